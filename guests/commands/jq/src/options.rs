//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

pub const USAGE: &str = "\
Usage: jq [OPTION]... FILTER [FILE]...
       jq [OPTION]... --args FILTER [STRING]...
       jq [OPTION]... --jsonargs FILTER [JSON]...
  -n, --null-input            run FILTER once, on null
  -R, --raw-input             read lines of text, not JSON
  -s, --slurp                 read all input into one array
  -c, --compact-output        one line per value
  -r, --raw-output            strings as they are, without quotes
      --raw-output0           as -r, each value followed by NUL
  -j, --join-output           as -r, no newline after a value
  -a, --ascii-output          escape what is not ASCII
  -S, --sort-keys             objects in the order of their keys
  -C, --color-output          colours; -M, --monochrome-output: none
      --tab, --indent N       how to indent
      --seq                   a record separator before each value
  -f, --from-file             FILTER is the name of a file
  -L, --library-path DIR      where modules are
  -e, --exit-status           status 1 when the last value is false or null, 4 when there is none
      --arg NAME STRING, --argjson NAME JSON, --slurpfile NAME FILE, --rawfile NAME FILE";

/// What ends a value in the output.
#[derive(Clone, Copy, PartialEq)]
pub enum End {
    Newline,
    Nul,
    Nothing,
}

pub enum Binding {
    Text(String),
    Json(String),
    Values(PathBuf),
    File(PathBuf),
}

pub struct Options {
    pub filter: String,
    pub from_file: bool,
    pub files: Vec<PathBuf>,
    pub library: Vec<PathBuf>,
    pub null_input: bool,
    pub raw_input: bool,
    pub slurp: bool,
    pub raw_output: bool,
    pub ascii: bool,
    pub end: End,
    pub seq: bool,
    pub sort_keys: bool,
    pub color: bool,
    /// Nothing for compact output.
    pub indent: Option<String>,
    pub exit_status: bool,
    pub named: Vec<(String, Binding)>,
    pub positional: Vec<Binding>,
}

pub enum Parsed {
    Run(Box<Options>),
    Print(String),
}

#[derive(Clone, Copy)]
enum Rest {
    Files,
    Strings,
    Json,
}

pub fn parse(words: Vec<OsString>) -> Result<Parsed, String> {
    let mut options = Options {
        filter: String::new(),
        from_file: false,
        files: Vec::new(),
        library: Vec::new(),
        null_input: false,
        raw_input: false,
        slurp: false,
        raw_output: false,
        ascii: false,
        end: End::Newline,
        seq: false,
        sort_keys: false,
        color: false,
        indent: Some("  ".into()),
        exit_status: false,
        named: Vec::new(),
        positional: Vec::new(),
    };
    let mut filter = None;
    let mut rest = Rest::Files;
    let mut only_words = false;
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_str().unwrap_or_default();
        if only_words || !text.starts_with('-') || text == "-" {
            match (&filter, rest) {
                (None, _) => filter = Some(utf8(word)?),
                (_, Rest::Files) => options.files.push(word.into()),
                (_, Rest::Strings) => options.positional.push(Binding::Text(utf8(word)?)),
                (_, Rest::Json) => options.positional.push(Binding::Json(utf8(word)?)),
            }
            continue;
        }
        match text {
            "--" => only_words = true,
            "--args" => rest = Rest::Strings,
            "--jsonargs" => rest = Rest::Json,
            "-h" | "--help" => return Ok(Parsed::Print(USAGE.into())),
            "-V" | "--version" => return Ok(Parsed::Print("jq-1.7 (jaq 3.1)".into())),
            _ if text.starts_with("--") => long(&mut options, &text[2..], &mut words)?,
            _ => {
                for letter in text[1..].chars() {
                    short(&mut options, letter, &mut words)?;
                }
            }
        }
    }
    match filter {
        Some(filter) => options.filter = filter,
        None => options.filter = ".".into(),
    }
    Ok(Parsed::Run(Box::new(options)))
}

fn long(options: &mut Options, name: &str, words: &mut impl Iterator<Item = OsString>) -> Result<(), String> {
    let mut next = || words.next().ok_or_else(|| format!("--{name} takes a parameter"));
    match name {
        "null-input" => options.null_input = true,
        "raw-input" => options.raw_input = true,
        "slurp" => options.slurp = true,
        "compact-output" => options.indent = None,
        "raw-output" => options.raw_output = true,
        "raw-output0" => (options.raw_output, options.end) = (true, End::Nul),
        "join-output" => (options.raw_output, options.end) = (true, End::Nothing),
        "ascii-output" => options.ascii = true,
        "sort-keys" => options.sort_keys = true,
        "color-output" => options.color = true,
        "monochrome-output" => options.color = false,
        "tab" => options.indent = Some("\t".into()),
        "indent" => {
            options.indent = match utf8(next()?)?.parse() {
                Ok(0) => None,
                Ok(width @ 1..=7) => Some(" ".repeat(width)),
                _ => return Err("--indent takes a number from 0 to 7".into()),
            };
        }
        "seq" => options.seq = true,
        "from-file" => options.from_file = true,
        "library-path" => options.library.push(next()?.into()),
        "exit-status" => options.exit_status = true,
        "unbuffered" => {}
        "arg" => options.named.push((utf8(next()?)?, Binding::Text(utf8(next()?)?))),
        "argjson" => options.named.push((utf8(next()?)?, Binding::Json(utf8(next()?)?))),
        "slurpfile" => options.named.push((utf8(next()?)?, Binding::Values(next()?.into()))),
        "rawfile" => options.named.push((utf8(next()?)?, Binding::File(next()?.into()))),
        _ => return Err(format!("unknown option: --{name}")),
    }
    Ok(())
}

fn short(options: &mut Options, letter: char, words: &mut impl Iterator<Item = OsString>) -> Result<(), String> {
    let name = match letter {
        'n' => "null-input",
        'R' => "raw-input",
        's' => "slurp",
        'c' => "compact-output",
        'r' => "raw-output",
        'j' => "join-output",
        'a' => "ascii-output",
        'S' => "sort-keys",
        'C' => "color-output",
        'M' => "monochrome-output",
        'f' => "from-file",
        'L' => "library-path",
        'e' => "exit-status",
        _ => return Err(format!("unknown option: -{letter}")),
    };
    long(options, name, words)
}

fn utf8(word: OsString) -> Result<String, String> {
    word.into_string()
        .map_err(|word| format!("not UTF-8: {}", word.display()))
}
