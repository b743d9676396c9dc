//! The command line of diff.

use crate::text::Folding;
use std::ffi::OsString;
use std::path::PathBuf;

pub const USAGE: &str = "\
Usage: diff [OPTION]... FILE1 FILE2
  -q, --brief                  only say whether files differ
  -s, --report-identical-files also say when they do not
  -c, -C N, --context[=N]      N (3) lines of copied context
  -u, -U N, --unified[=N]      N (3) lines of unified context
  -L, --label LABEL            LABEL in place of a file's name and time
  -r, --recursive              compare directories and what is below
  -N, --new-file               take a file that is not there as empty
  -x, --exclude PATTERN        leave out files whose name matches (* and ?)
  -i, --ignore-case            -w, --ignore-all-space   -b, --ignore-space-change
  -Z, --ignore-trailing-space  -B, --ignore-blank-lines --strip-trailing-cr
  -a, --text                   take all files as text";

#[derive(Clone, Copy, Default, PartialEq)]
pub enum Blanks {
    #[default]
    Count,
    IgnoreAtEnd,
    IgnoreAmount,
    IgnoreAll,
}

#[derive(Clone, Copy)]
pub enum Format {
    Normal,
    Context(usize),
    Unified(usize),
}

pub struct Options {
    pub format: Format,
    pub folding: Folding,
    pub ignore_blank_lines: bool,
    pub brief: bool,
    pub identical: bool,
    pub recursive: bool,
    pub new_file: bool,
    pub text: bool,
    pub exclude: Vec<String>,
    pub labels: Vec<String>,
    /// The options as they were given, for the line before each file of a tree.
    pub given: Vec<String>,
    pub files: [PathBuf; 2],
}

pub enum Parsed {
    Run(Box<Options>),
    Print(String),
}

const CONTEXT: usize = 3;

pub fn parse(words: Vec<OsString>) -> Result<Parsed, String> {
    let mut options = Options {
        format: Format::Normal,
        folding: Folding::default(),
        ignore_blank_lines: false,
        brief: false,
        identical: false,
        recursive: false,
        new_file: false,
        text: false,
        exclude: Vec::new(),
        labels: Vec::new(),
        given: Vec::new(),
        files: Default::default(),
    };
    let mut files = Vec::new();
    let mut only_files = false;
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        if only_files || text == "-" || !text.starts_with('-') {
            files.push(PathBuf::from(word));
        } else if text == "--" {
            only_files = true;
        } else if text == "--help" {
            return Ok(Parsed::Print(USAGE.into()));
        } else if text == "--version" || text == "-v" {
            return Ok(Parsed::Print(format!("diff (Workbooks) {}", env!("CARGO_PKG_VERSION"))));
        } else {
            options.given.push(text.clone());
            match text.strip_prefix("--") {
                Some(long) => set_long(&mut options, long, &mut words)?,
                None => set_short(&mut options, &text[1..], &mut words)?,
            }
        }
    }
    match <[PathBuf; 2]>::try_from(files) {
        Ok(files) => options.files = files,
        Err(files) if files.len() < 2 => {
            let after = files.last().map_or("diff".into(), |file| file.display().to_string());
            return Err(format!("missing operand after '{after}'"));
        }
        Err(files) => return Err(format!("extra operand '{}'", files[2].display())),
    }
    Ok(Parsed::Run(Box::new(options)))
}

fn set_long(options: &mut Options, long: &str, words: &mut impl Iterator<Item = OsString>) -> Result<(), String> {
    let (name, value) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (long, None),
    };
    let letter = match name {
        "normal" => {
            options.format = Format::Normal;
            return Ok(());
        }
        "strip-trailing-cr" => {
            options.folding.strip_cr = true;
            return Ok(());
        }
        "brief" => 'q',
        "report-identical-files" => 's',
        "context" => return number(value.as_deref()).map(|lines| options.format = Format::Context(lines)),
        "unified" => return number(value.as_deref()).map(|lines| options.format = Format::Unified(lines)),
        "label" => 'L',
        "recursive" => 'r',
        "new-file" => 'N',
        "exclude" => 'x',
        "ignore-case" => 'i',
        "ignore-all-space" => 'w',
        "ignore-space-change" => 'b',
        "ignore-trailing-space" => 'Z',
        "ignore-blank-lines" => 'B',
        "text" => 'a',
        "minimal" | "speed-large-files" | "color" => return Ok(()),
        _ => return Err(format!("unrecognized option '--{long}'")),
    };
    let value = match value {
        None if takes_value(letter) => Some(next(letter, words)?),
        value => value,
    };
    set(options, letter, value)
}

fn set_short(options: &mut Options, letters: &str, words: &mut impl Iterator<Item = OsString>) -> Result<(), String> {
    let mut rest = letters.chars();
    while let Some(letter) = rest.next() {
        if takes_value(letter) {
            let attached = rest.as_str();
            let value = if attached.is_empty() {
                next(letter, words)?
            } else {
                attached.to_owned()
            };
            return set(options, letter, Some(value));
        }
        set(options, letter, None)?;
    }
    Ok(())
}

fn takes_value(letter: char) -> bool {
    matches!(letter, 'C' | 'U' | 'L' | 'x')
}

fn next(letter: char, words: &mut impl Iterator<Item = OsString>) -> Result<String, String> {
    let word = words
        .next()
        .ok_or_else(|| format!("option requires an argument -- '{letter}'"))?;
    Ok(word.to_string_lossy().into_owned())
}

fn set(options: &mut Options, letter: char, value: Option<String>) -> Result<(), String> {
    match letter {
        'q' => options.brief = true,
        's' => options.identical = true,
        'c' => options.format = Format::Context(CONTEXT),
        'C' => options.format = Format::Context(number(value.as_deref())?),
        'u' => options.format = Format::Unified(CONTEXT),
        'U' => options.format = Format::Unified(number(value.as_deref())?),
        'L' => options.labels.extend(value),
        'r' => options.recursive = true,
        'N' => options.new_file = true,
        'x' => options.exclude.extend(value),
        'i' => options.folding.ignore_case = true,
        'w' => options.folding.blanks = Blanks::IgnoreAll,
        'b' if options.folding.blanks != Blanks::IgnoreAll => options.folding.blanks = Blanks::IgnoreAmount,
        'Z' if options.folding.blanks == Blanks::Count => options.folding.blanks = Blanks::IgnoreAtEnd,
        'B' => options.ignore_blank_lines = true,
        'a' => options.text = true,
        'b' | 'Z' | 'd' | 'H' => {}
        _ => return Err(format!("invalid option -- '{letter}'")),
    }
    Ok(())
}

fn number(value: Option<&str>) -> Result<usize, String> {
    match value {
        None => Ok(CONTEXT),
        Some(value) => value.parse().map_err(|_| format!("invalid context length '{value}'")),
    }
}
