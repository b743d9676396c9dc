//! `hexdump`: the default of two-byte words, `-C`, `-b`, `-c`, `-d`, `-o`, `-x`.

use crate::input::{fill, number, open, reason};
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};

const WIDTH: usize = 16;

#[derive(Clone, Copy)]
enum Format {
    Words,
    Canonical,
    Octal,
    Characters,
    DecimalWords,
    OctalWords,
    HexWords,
}

pub fn main(words: Vec<OsString>, canonical: bool) -> Result<(), String> {
    let mut format = if canonical { Format::Canonical } else { Format::Words };
    let (mut limit, mut skip, mut all, mut files) = (None, 0, false, Vec::new());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        if text == "-" || !text.starts_with('-') {
            files.push(word);
            continue;
        }
        let mut rest = text[1..].chars();
        while let Some(letter) = rest.next() {
            match letter {
                'C' => format = Format::Canonical,
                'b' => format = Format::Octal,
                'c' => format = Format::Characters,
                'd' => format = Format::DecimalWords,
                'o' => format = Format::OctalWords,
                'x' => format = Format::HexWords,
                'v' => all = true,
                'n' | 's' => {
                    let value = match rest.as_str() {
                        "" => words
                            .next()
                            .map(|word| word.to_string_lossy().into_owned())
                            .unwrap_or_default(),
                        attached => attached.to_owned(),
                    };
                    match letter {
                        'n' => limit = Some(number(&value)?),
                        _ => skip = number(&value)?,
                    }
                    break;
                }
                _ => return Err(format!("invalid option -- '{letter}'")),
            }
        }
    }
    let mut out = BufWriter::new(io::stdout().lock());
    dump(format, open(&files, skip, limit)?, skip, all, &mut out)?;
    out.flush().map_err(|error| reason(&error))
}

fn dump(format: Format, mut input: impl io::Read, skip: u64, all: bool, out: &mut impl Write) -> Result<(), String> {
    let mut at = skip;
    let mut line = [0; WIDTH];
    let mut before: Option<[u8; WIDTH]> = None;
    let mut starred = false;
    loop {
        let count = fill(&mut input, &mut line)?;
        if count == 0 {
            break;
        }
        let written = if count == WIDTH && !all && before == Some(line) {
            // Lines like the one before are one star.
            match std::mem::replace(&mut starred, true) {
                true => Ok(()),
                false => out.write_all(b"*\n"),
            }
        } else {
            starred = false;
            out.write_all(shown(format, &line[..count], at).as_bytes())
        };
        written.map_err(|error| reason(&error))?;
        before = Some(line);
        at += count as u64;
    }
    let last = match format {
        _ if at == skip => String::new(),
        Format::Canonical => format!("{at:08x}\n"),
        _ => format!("{at:07x}\n"),
    };
    out.write_all(last.as_bytes()).map_err(|error| reason(&error))
}

fn shown(format: Format, bytes: &[u8], at: u64) -> String {
    let words = || {
        bytes
            .chunks(2)
            .map(|pair| u16::from(pair[0]) | u16::from(*pair.get(1).unwrap_or(&0)) << 8)
    };
    let text: String = match format {
        Format::Canonical => return canonical(bytes, at),
        Format::Words => words().map(|word| format!(" {word:04x}")).collect(),
        Format::HexWords => words().map(|word| format!("    {word:04x}")).collect(),
        Format::DecimalWords => words().map(|word| format!("   {word:05}")).collect(),
        Format::OctalWords => words().map(|word| format!("  {word:06o}")).collect(),
        Format::Octal => bytes.iter().map(|byte| format!(" {byte:03o}")).collect(),
        Format::Characters => bytes.iter().map(|&byte| format!(" {:>3}", character(byte))).collect(),
    };
    let width = match format {
        Format::Words => 40,
        _ => 64,
    };
    format!("{at:07x}{text:<width$}\n")
}

fn canonical(bytes: &[u8], at: u64) -> String {
    let mut text = format!("{at:08x} ");
    for (place, byte) in bytes.iter().enumerate() {
        text += if place == 8 { "  " } else { " " };
        text += &format!("{byte:02x}");
    }
    let readable: String = bytes
        .iter()
        .map(|&byte| if (32..127).contains(&byte) { byte as char } else { '.' })
        .collect();
    format!("{text:<60}|{readable}|\n")
}

fn character(byte: u8) -> String {
    match byte {
        0 => "\\0".into(),
        7 => "\\a".into(),
        8 => "\\b".into(),
        9 => "\\t".into(),
        10 => "\\n".into(),
        11 => "\\v".into(),
        12 => "\\f".into(),
        13 => "\\r".into(),
        32..127 => char::from(byte).to_string(),
        _ => format!("{byte:03o}"),
    }
}
