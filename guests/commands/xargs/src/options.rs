//! The command line of xargs itself.

use std::ffi::OsString;
use std::os::wasi::ffi::OsStringExt;
use std::path::PathBuf;

pub const USAGE: &str = "\
Usage: xargs [OPTION]... COMMAND [INITIAL-ARGS]...
Run COMMAND with arguments INITIAL-ARGS and more arguments read from input.
  -0, --null                   items end with a null, not white space; quotes and backslash are ordinary
  -a, --arg-file=FILE          read from FILE, not standard input
  -d, --delimiter=CHARACTER    items end with CHARACTER; quotes and backslash are ordinary
  -E END                       stop at the item END
  -I R                         replace R in INITIAL-ARGS with each input line
  -L, --max-lines=N            at most N input lines per command line
  -n, --max-args=N             at most N arguments per command line
  -P, --max-procs=N            accepted; commands run one after the other
  -r, --no-run-if-empty        without input, run nothing
  -s, --max-chars=N            at most N bytes per command line
  -t, --verbose                print each command line before running it
  -x, --exit                   exit when -s is exceeded";

/// The default of -s, and the most it may be: half of what the shell lets a command line be.
const MAX_BYTES: usize = 128 * 1024;

/// What ends an item.
#[derive(Clone, Copy, PartialEq)]
pub enum Split {
    /// White space, with quotes and backslash.
    Words,
    /// The end of the line, with quotes and backslash: for -I.
    Lines,
    /// This byte, and nothing else is special.
    Byte(u8),
}

pub struct Options {
    pub command: Vec<Vec<u8>>,
    pub split: Split,
    pub file: Option<PathBuf>,
    pub end: Option<Vec<u8>>,
    pub replace: Option<Vec<u8>>,
    pub max_lines: Option<usize>,
    pub max_args: Option<usize>,
    pub max_bytes: usize,
    pub skip_if_empty: bool,
    pub verbose: bool,
    pub strict: bool,
}

pub enum Parsed {
    Run(Options),
    Help,
    Version,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            split: Split::Words,
            file: None,
            end: None,
            replace: None,
            max_lines: None,
            max_args: None,
            max_bytes: MAX_BYTES,
            skip_if_empty: false,
            verbose: false,
            strict: false,
        }
    }
}

/// Options come before the command; the first other word begins it.
pub fn parse(words: Vec<Vec<u8>>) -> Result<Parsed, String> {
    let mut options = Options::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if word == b"--" {
            break;
        }
        if let Some(long) = word.strip_prefix(b"--") {
            match long {
                b"help" => return Ok(Parsed::Help),
                b"version" => return Ok(Parsed::Version),
                _ => long_option(&mut options, long, &mut words)?,
            }
        } else if word.len() > 1 && word[0] == b'-' {
            short_options(&mut options, &word[1..], &mut words)?;
        } else {
            options.command.push(word);
            break;
        }
    }
    options.command.extend(words);
    if options.command.is_empty() {
        options.command.push(b"echo".to_vec());
    }
    Ok(Parsed::Run(options))
}

fn long_option(options: &mut Options, long: &[u8], words: &mut impl Iterator<Item = Vec<u8>>) -> Result<(), String> {
    let (name, value) = match long.iter().position(|&byte| byte == b'=') {
        Some(at) => (&long[..at], Some(long[at + 1..].to_vec())),
        None => (long, None),
    };
    // The optional value of a long option is only ever attached.
    let letter = match name {
        b"null" => b'0',
        b"arg-file" => b'a',
        b"delimiter" => b'd',
        b"eof" => b'e',
        b"replace" => b'i',
        b"max-lines" => b'l',
        b"max-args" => b'n',
        b"max-procs" => b'P',
        b"max-chars" => b's',
        b"no-run-if-empty" => b'r',
        b"verbose" => b't',
        b"exit" => b'x',
        b"process-slot-var" => return value.map(drop).ok_or_else(|| "--process-slot-var needs a value".into()),
        _ => return Err(format!("unrecognized option '--{}'", text(long))),
    };
    let value = match (takes(letter), value) {
        (Takes::Nothing, Some(_)) => return Err(format!("option '--{}' takes no value", text(name))),
        (Takes::Value, None) => Some(
            words
                .next()
                .ok_or_else(|| format!("option '--{}' requires an argument", text(name)))?,
        ),
        (_, value) => value,
    };
    set(options, letter, value)
}

fn short_options(
    options: &mut Options,
    letters: &[u8],
    words: &mut impl Iterator<Item = Vec<u8>>,
) -> Result<(), String> {
    for (at, &letter) in letters.iter().enumerate() {
        let rest = &letters[at + 1..];
        let value = match takes(letter) {
            Takes::Nothing => None,
            Takes::Attached => (!rest.is_empty()).then(|| rest.to_vec()),
            Takes::Value if !rest.is_empty() => Some(rest.to_vec()),
            Takes::Value => Some(
                words
                    .next()
                    .ok_or_else(|| format!("option requires an argument -- '{}'", char::from(letter)))?,
            ),
        };
        let done = takes(letter) != Takes::Nothing;
        set(options, letter, value)?;
        if done {
            break;
        }
    }
    Ok(())
}

#[derive(PartialEq)]
enum Takes {
    Nothing,
    /// A value, but only one attached to the letter.
    Attached,
    Value,
}

fn takes(letter: u8) -> Takes {
    match letter {
        b'a' | b'd' | b'E' | b'I' | b'L' | b'n' | b'P' | b's' => Takes::Value,
        b'e' | b'i' | b'l' => Takes::Attached,
        _ => Takes::Nothing,
    }
}

fn set(options: &mut Options, letter: u8, value: Option<Vec<u8>>) -> Result<(), String> {
    let required = || value.clone().expect("the parser saw to it");
    match letter {
        b'0' => options.split = Split::Byte(0),
        b'a' => options.file = Some(OsString::from_vec(required()).into()),
        b'd' => options.split = Split::Byte(delimiter(&required())?),
        b'E' | b'e' => options.end = value.filter(|end| !end.is_empty()),
        b'I' | b'i' => {
            options.replace = Some(value.unwrap_or_else(|| b"{}".to_vec()));
            (options.max_args, options.max_lines) = (None, None);
            options.strict = true;
            if options.split == Split::Words {
                options.split = Split::Lines;
            }
        }
        b'L' | b'l' => {
            options.max_lines = Some(value.as_deref().map_or(Ok(1), |value| number(value, letter))?);
            (options.max_args, options.replace) = (None, None);
            options.strict = true;
            words_again(options);
        }
        b'n' => {
            options.max_args = Some(number(&required(), letter)?);
            // GNU keeps -I when -n is 1: both mean one item per command line.
            if options.max_args != Some(1) || options.replace.is_none() {
                (options.max_lines, options.replace) = (None, None);
                words_again(options);
            } else {
                options.max_args = None;
            }
        }
        b'P' => {
            let value = required();
            text(&value)
                .parse::<usize>()
                .map_err(|_| format!("invalid number \"{}\" for -P option", text(&value)))?;
        }
        b's' => options.max_bytes = number(&required(), letter)?.min(MAX_BYTES),
        b'r' => options.skip_if_empty = true,
        b't' => options.verbose = true,
        b'x' => options.strict = true,
        b'o' => {}
        b'p' => return Err("-p needs a terminal, and there is none".into()),
        _ => return Err(format!("invalid option -- '{}'", char::from(letter))),
    }
    Ok(())
}

fn words_again(options: &mut Options) {
    if options.split == Split::Lines {
        options.split = Split::Words;
    }
}

fn number(value: &[u8], letter: u8) -> Result<usize, String> {
    match text(value).parse() {
        Ok(0) => Err(format!(
            "value {} for -{} option should be >= 1",
            text(value),
            char::from(letter)
        )),
        Ok(number) => Ok(number),
        Err(_) => Err(format!(
            "invalid number \"{}\" for -{} option",
            text(value),
            char::from(letter)
        )),
    }
}

/// One byte, or the escape of one.
fn delimiter(value: &[u8]) -> Result<u8, String> {
    let bad = || {
        format!(
            "invalid input delimiter specification {}: it must be one character or an escape",
            text(value)
        )
    };
    match value {
        [byte] => Ok(*byte),
        [b'\\', b'a'] => Ok(7),
        [b'\\', b'b'] => Ok(8),
        [b'\\', b'f'] => Ok(12),
        [b'\\', b'n'] => Ok(b'\n'),
        [b'\\', b'r'] => Ok(b'\r'),
        [b'\\', b't'] => Ok(b'\t'),
        [b'\\', b'v'] => Ok(11),
        [b'\\', b'\\'] => Ok(b'\\'),
        [b'\\', b'x', hex @ ..] => u8::from_str_radix(&text(hex), 16).map_err(|_| bad()),
        [b'\\', octal @ ..] if !octal.is_empty() => u8::from_str_radix(&text(octal), 8).map_err(|_| bad()),
        _ => Err(bad()),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
