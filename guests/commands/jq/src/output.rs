//! Values to stdout.

use crate::options::{End, Options};
use jaq_all::json::Val;
use jaq_all::json::write::{Pp, Styles, write};
use std::io::{self, BufWriter, StdoutLock, Write};

pub struct Printer {
    out: BufWriter<StdoutLock<'static>>,
    pretty: Pp,
    raw: bool,
    ascii: bool,
    seq: bool,
    end: End,
}

impl Printer {
    pub fn new(options: &Options) -> Self {
        Self {
            out: BufWriter::new(io::stdout().lock()),
            pretty: Pp {
                indent: options.indent.clone(),
                sort_keys: options.sort_keys,
                styles: if options.color {
                    Styles::ansi()
                } else {
                    Styles::default()
                },
                sep_space: options.indent.is_some(),
            },
            raw: options.raw_output,
            ascii: options.ascii,
            seq: options.seq,
            end: options.end,
        }
    }

    pub fn print(&mut self, value: &Val) -> io::Result<()> {
        if self.seq {
            self.out.write_all(b"\x1e")?;
        }
        match value {
            Val::TStr(text) | Val::BStr(text) if self.raw && !self.ascii => self.out.write_all(text)?,
            Val::TStr(text) if self.raw => self.out.write_all(escaped(&String::from_utf8_lossy(text)).as_bytes())?,
            _ if self.ascii => {
                let mut bytes = Vec::new();
                write(&mut bytes, &self.pretty, 0, value)?;
                self.out
                    .write_all(escaped(&String::from_utf8_lossy(&bytes)).as_bytes())?;
            }
            _ => write(&mut self.out, &self.pretty, 0, value)?,
        }
        match self.end {
            End::Newline => self.out.write_all(b"\n"),
            End::Nul => self.out.write_all(b"\0"),
            End::Nothing => Ok(()),
        }
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// What is not ASCII as `\u` escapes: in JSON it can only be inside a string.
fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_ascii() {
            result.push(char);
        } else {
            for unit in char.encode_utf16(&mut [0; 2]) {
                result += &format!("\\u{unit:04x}");
            }
        }
    }
    result
}
