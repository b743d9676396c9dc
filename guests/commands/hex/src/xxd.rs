//! `xxd`.

use crate::input::{fill, number, open, reason};
use crate::revert;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

const USAGE: &str = "\
Usage: xxd [OPTION]... [FILE [OUTPUT]]
  -b       bits           -c N  N bytes in a line (16; -p: 30; -b: 6)
  -e       little endian  -g N  N bytes in a group (2; -b: 1; -e: 4)
  -i       as C source    -l N  stop after N bytes
  -p       plain          -s N  begin at byte N
  -r       back to bytes  -u    capital letters";

#[derive(Default)]
struct Options {
    bits: bool,
    little: bool,
    include: bool,
    plain: bool,
    revert: bool,
    upper: bool,
    columns: Option<usize>,
    group: Option<usize>,
    limit: Option<u64>,
    skip: u64,
    files: Vec<OsString>,
}

pub fn main(words: Vec<OsString>) -> Result<(), String> {
    let mut options = Options::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        if text == "-" || !text.starts_with('-') {
            options.files.push(word);
            continue;
        }
        let mut value = |attached: &str| match attached {
            "" => words
                .next()
                .map(|word| word.to_string_lossy().into_owned())
                .ok_or_else(|| format!("{text} needs a number")),
            attached => Ok(attached.to_owned()),
        };
        match text.as_str() {
            "-h" | "--help" => {
                println!("{USAGE}");
                return Ok(());
            }
            "-b" | "-bits" => options.bits = true,
            "-e" => options.little = true,
            "-i" | "-include" => options.include = true,
            "-p" | "-ps" | "-plain" | "-postscript" => options.plain = true,
            "-r" | "-revert" => options.revert = true,
            "-u" => options.upper = true,
            "-rp" | "-pr" => (options.revert, options.plain) = (true, true),
            _ if text.starts_with("-c") => options.columns = Some(number(&value(&text[2..])?)?.clamp(1, 256) as usize),
            _ if text.starts_with("-g") => options.group = Some(number(&value(&text[2..])?)? as usize),
            _ if text.starts_with("-l") => options.limit = Some(number(&value(&text[2..])?)?),
            _ if text.starts_with("-s") => options.skip = number(value(&text[2..])?.trim_start_matches('+'))?,
            _ => return Err(format!("unknown option {text}")),
        }
    }
    let output = if options.files.len() > 1 {
        options.files.pop()
    } else {
        None
    };
    let out: Box<dyn Write> = match output {
        Some(path) => {
            Box::new(std::fs::File::create(&path).map_err(|error| format!("{}: {}", path.display(), reason(&error)))?)
        }
        None => Box::new(io::stdout().lock()),
    };
    let mut out = BufWriter::new(out);
    let input = open(&options.files, options.skip, options.limit)?;
    if options.revert {
        revert::revert(input, &mut out, options.plain)?;
    } else {
        dump(&options, input, &mut out)?;
    }
    out.flush().map_err(|error| reason(&error))
}

fn dump(options: &Options, mut input: impl io::Read, out: &mut impl Write) -> Result<(), String> {
    let default = match () {
        () if options.include => 12,
        () if options.plain => 30,
        () if options.bits => 6,
        () => 16,
    };
    let mut line = vec![0; options.columns.unwrap_or(default)];
    let name = options
        .files
        .first()
        .filter(|_| options.include)
        .map(|name| identifier(&name.to_string_lossy()));
    let mut at = options.skip;
    let mut text = name
        .as_ref()
        .map(|name| format!("unsigned char {name}[] = {{\n"))
        .unwrap_or_default();
    loop {
        let count = fill(&mut input, &mut line)?;
        if count == 0 {
            break;
        }
        let bytes = &line[..count];
        match () {
            () if options.include => include(options, bytes, at == options.skip, &mut text),
            () if options.plain => {
                bytes.iter().for_each(|byte| hex(&mut text, *byte, options.upper));
                text.push('\n');
            }
            () => numbered(options, bytes, line.len(), at, &mut text),
        }
        at += count as u64;
        out.write_all(text.as_bytes()).map_err(|error| reason(&error))?;
        text.clear();
    }
    let length = at - options.skip;
    match (options.include, name) {
        (true, Some(name)) => text += &format!("\n}};\nunsigned int {name}_len = {length};\n"),
        (true, None) if length > 0 => text.push('\n'),
        _ => {}
    }
    out.write_all(text.as_bytes()).map_err(|error| reason(&error))
}

fn hex(text: &mut String, byte: u8, upper: bool) {
    let _ = if upper {
        write!(text, "{byte:02X}")
    } else {
        write!(text, "{byte:02x}")
    };
}

fn include(options: &Options, bytes: &[u8], first: bool, text: &mut String) {
    *text += if first { "  " } else { ",\n  " };
    for (at, byte) in bytes.iter().enumerate() {
        *text += if at > 0 { ", 0x" } else { "0x" };
        hex(text, *byte, options.upper);
    }
}

fn identifier(name: &str) -> String {
    let plain = |char: char| if char.is_ascii_alphanumeric() { char } else { '_' };
    let digit = name.starts_with(|first: char| first.is_ascii_digit());
    format!(
        "{}{}",
        if digit { "__" } else { "" },
        name.chars().map(plain).collect::<String>()
    )
}

/// Offset, groups, and what can be read of it.
fn numbered(options: &Options, bytes: &[u8], columns: usize, at: u64, text: &mut String) {
    let _ = write!(text, "{at:08x}: ");
    let group = match options.group {
        Some(0) => columns,
        Some(group) => group,
        None if options.bits => 1,
        None if options.little => 4,
        None => 2,
    };
    let digits = if options.bits { 8 } else { 2 };
    let width = columns * digits + columns.div_ceil(group);
    let start = text.len();
    for part in bytes.chunks(group) {
        let ordered: Vec<u8> = match options.little {
            true => part.iter().rev().copied().collect(),
            false => part.to_vec(),
        };
        if options.little {
            text.extend(std::iter::repeat_n(' ', (group - part.len()) * digits));
        }
        for byte in ordered {
            match options.bits {
                true => drop(write!(text, "{byte:08b}")),
                false => hex(text, byte, options.upper),
            }
        }
        text.push(' ');
    }
    let written = text.len() - start;
    text.extend(std::iter::repeat_n(' ', width.saturating_sub(written) + 1));
    text.extend(
        bytes
            .iter()
            .map(|&byte| if (32..127).contains(&byte) { byte as char } else { '.' }),
    );
    text.push('\n');
}
