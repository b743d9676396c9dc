//! `cmp`: where two files first differ, byte by byte.

use crate::TROUBLE;
use crate::compare::reason;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};

const USAGE: &str = "\
Usage: cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]
  -b, --print-bytes         print the bytes that differ
  -i, --ignore-initial=N[:M] skip N bytes (M of FILE2)
  -l, --verbose             print every difference: offset and both bytes
  -n, --bytes=N             compare at most N bytes
  -s, --quiet, --silent     print nothing";

#[derive(Default)]
struct Options {
    all: bool,
    silent: bool,
    show: bool,
    limit: Option<u64>,
    skip: [u64; 2],
    files: Vec<OsString>,
}

pub fn main(words: Vec<OsString>) -> i32 {
    if words.iter().any(|word| word == "--help") {
        println!("{USAGE}");
        return 0;
    }
    match parse(words).and_then(|options| compare(&options)) {
        Ok(status) => status,
        Err(message) => {
            eprintln!("cmp: {message}");
            TROUBLE
        }
    }
}

fn parse(words: Vec<OsString>) -> Result<Options, String> {
    let mut options = Options::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        if text == "-" || !text.starts_with('-') {
            options.files.push(word);
            continue;
        }
        let (flag, attached) = match text.split_once('=') {
            Some((flag, value)) => (flag.to_owned(), Some(value.to_owned())),
            None if text.starts_with("--") || text.len() == 2 => (text, None),
            None if text.starts_with("-n") || text.starts_with("-i") => {
                (text[..2].to_owned(), Some(text[2..].to_owned()))
            }
            None => (text, None),
        };
        let mut value = || match attached
            .clone()
            .or_else(|| Some(words.next()?.to_string_lossy().into_owned()))
        {
            Some(value) => Ok(value),
            None => Err(format!("option '{flag}' requires an argument")),
        };
        match flag.as_str() {
            "--verbose" => options.all = true,
            "--quiet" | "--silent" => options.silent = true,
            "--print-bytes" => options.show = true,
            "-n" | "--bytes" => options.limit = Some(number(&value()?)?),
            "-i" | "--ignore-initial" => {
                let value = value()?;
                let (first, second) = value.split_once(':').unwrap_or((&value, &value));
                options.skip = [number(first)?, number(second)?];
            }
            letters if !letters.starts_with("--") => {
                for letter in letters[1..].chars() {
                    match letter {
                        'l' => options.all = true,
                        's' => options.silent = true,
                        'b' => options.show = true,
                        _ => return Err(format!("invalid option -- '{letter}'")),
                    }
                }
            }
            _ => return Err(format!("unrecognized option '{flag}'")),
        }
    }
    match options.files.len() {
        0 => return Err("missing operand after 'cmp'".into()),
        1 => options.files.push("-".into()),
        _ => {}
    }
    for (at, skip) in options.files.split_off(2).iter().take(2).enumerate() {
        options.skip[at] = number(&skip.to_string_lossy())?;
    }
    Ok(options)
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("invalid number '{text}'"))
}

type Input = BufReader<Box<dyn Read>>;

fn open(name: &OsString, skip: u64) -> Result<Input, String> {
    let failed = |error: io::Error| format!("{}: {}", name.display(), reason(&error));
    let input: Box<dyn Read> = match name.to_str() {
        Some("-") => Box::new(io::stdin().lock()),
        _ => Box::new(File::open(name).map_err(failed)?),
    };
    let mut input = BufReader::with_capacity(64 * 1024, input);
    io::copy(&mut input.by_ref().take(skip), &mut io::sink()).map_err(failed)?;
    Ok(input)
}

fn compare(options: &Options) -> Result<i32, String> {
    let names = [options.files[0].display(), options.files[1].display()];
    let mut inputs = [
        open(&options.files[0], options.skip[0])?,
        open(&options.files[1], options.skip[1])?,
    ];
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut at, mut lines, mut last, mut status) = (0_u64, 1_u64, b'\n', 0);
    while options.limit.is_none_or(|limit| at < limit) {
        let [mut a, mut b] = [[0], [0]];
        let ends = [ended(&mut inputs[0], &mut a)?, ended(&mut inputs[1], &mut b)?];
        if ends != [false, false] {
            if ends != [true, true] {
                let _ = out.flush();
                status = 1;
                if !options.silent {
                    end_of_file(&names[usize::from(ends[1])].to_string(), at, lines, last, options.all);
                }
            }
            break;
        }
        at += 1;
        if a != b {
            if options.silent {
                return Ok(1);
            }
            let ([a], [b]) = (a, b);
            let shown = if options.show {
                format!(" {a:3o} {:<4} {b:3o} {}", visible(a), visible(b))
            } else {
                format!(" {a:3o} {b:3o}")
            };
            if options.all {
                let _ = writeln!(out, "{at}{shown}");
            } else {
                let shown = if options.show {
                    format!(" is {a:3o} {} {b:3o} {}", visible(a), visible(b))
                } else {
                    String::new()
                };
                let _ = writeln!(out, "{} {} differ: char {at}, line {lines}{shown}", names[0], names[1]);
                let _ = out.flush();
                return Ok(1);
            }
            status = 1;
        }
        lines += u64::from(a == *b"\n");
        last = a[0];
    }
    let _ = out.flush();
    Ok(status)
}

fn ended(input: &mut Input, byte: &mut [u8; 1]) -> Result<bool, String> {
    input.read(byte).map(|count| count == 0).map_err(|error| reason(&error))
}

fn end_of_file(name: &str, at: u64, lines: u64, last: u8, all: bool) {
    match at {
        0 => eprintln!("cmp: EOF on {name} which is empty"),
        _ if all => eprintln!("cmp: EOF on {name} after byte {at}"),
        _ if last == b'\n' => eprintln!("cmp: EOF on {name} after byte {at}, line {}", lines - 1),
        _ => eprintln!("cmp: EOF on {name} after byte {at}, in line {lines}"),
    }
}

/// A byte as `cat -v` shows it.
fn visible(byte: u8) -> String {
    let low = |byte: u8| match byte {
        0..32 => format!("^{}", char::from(byte + 64)),
        127 => "^?".into(),
        _ => char::from(byte).to_string(),
    };
    if byte < 128 {
        low(byte)
    } else {
        format!("M-{}", low(byte - 128))
    }
}
