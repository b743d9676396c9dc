//! Records: the main input, and `getline`.

use super::{FAILED, Machine, Step, Stop};
use crate::array::Key;
use crate::code::From;
use crate::reader::Reader;
use crate::special::Special;
use crate::streams;
use crate::text::Text;
use crate::value::Value;
use std::io;

/// The files that the command line names, one after the other.
#[derive(Default)]
pub(super) struct Main {
    current: Current,
    /// The operand that comes next.
    operand: u64,
    /// Whether an operand was a file: without one, standard input is read.
    named: bool,
}

#[derive(Default)]
enum Current {
    #[default]
    None,
    Standard,
    File(Reader),
    Over,
}

impl Main {
    /// Goes on with the next file.
    pub fn skip_file(&mut self) {
        self.current = Current::None;
    }
}

impl Machine<'_> {
    /// Reads the next record of the main input into `$0`; false means that there is none, and `$0` stays.
    pub(super) fn next_record(&mut self) -> Step<bool> {
        let mut line = std::mem::take(&mut self.line);
        let found = self.read_main(&mut line);
        if let Ok(true) = found {
            self.record.exchange(&mut line);
        }
        self.line = line;
        found
    }

    fn read_main(&mut self, into: &mut Vec<u8>) -> Step<bool> {
        loop {
            let read = match &mut self.main.current {
                Current::File(reader) => reader.read(&self.terminator, into),
                Current::Standard => self.streams.read_standard(&self.terminator, into),
                Current::Over => return Ok(false),
                Current::None => match self.open_next()? {
                    true => continue,
                    false => return Ok(false),
                },
            };
            if self.read_or_warn(read) {
                self.nr += 1.0;
                self.fnr += 1.0;
                return Ok(true);
            }
            self.main.current = Current::None;
        }
    }

    fn read_or_warn(&mut self, read: io::Result<bool>) -> bool {
        match read {
            Ok(found) => found,
            Err(error) => {
                let name = self.globals[Special::Filename as usize].bytes(b"").into_owned();
                self.warn(format!("can't read {}: {error}", String::from_utf8_lossy(&name)));
                self.status = FAILED;
                false
            }
        }
    }

    /// Opens the next file; false means that there is none. The last record stays what it was.
    fn open_next(&mut self) -> Step<bool> {
        loop {
            let count = self.globals[Special::Argc as usize].number();
            self.main.operand += 1;
            if self.main.operand as f64 >= count {
                if self.main.named {
                    self.main.current = Current::Over;
                    return Ok(false);
                }
                self.main.named = true;
                self.fnr = 0.0;
                self.main.current = Current::Standard;
                return Ok(true);
            }
            let key = Key::of_number(self.main.operand as f64, b"");
            let argv = &self.arrays[Special::Argv as usize];
            let Some(operand) = argv.find(&key).map(|value| value.bytes(b"").into_owned()) else {
                continue;
            };
            if operand.is_empty() {
                continue;
            }
            if let Some((name, value)) = assignment(&operand) {
                self.assign_named(name, value)
                    .map_err(|error| Stop::Failed(Box::new(error)))?;
                continue;
            }
            self.main.named = true;
            self.fnr = 0.0;
            self.globals[Special::Filename as usize] = Value::input(&operand);
            if operand == b"-" || operand == b"/dev/stdin" {
                self.main.current = Current::Standard;
                return Ok(true);
            }
            match streams::open(&operand) {
                Ok(reader) => {
                    self.main.current = Current::File(reader);
                    return Ok(true);
                }
                Err(error) => {
                    self.warn(format!(
                        "can't open file {}: {}",
                        String::from_utf8_lossy(&operand),
                        reason(&error)
                    ));
                    self.status = FAILED;
                }
            }
        }
    }

    /// Reads a record from somewhere and leaves 1, 0 at the end or -1 for an error on the stack.
    pub(super) fn getline(&mut self, from: From, into_record: bool) -> Step {
        if from == From::Main {
            return self.getline_main(into_record);
        }
        let name = self.pop();
        let name = self.bytes_of(&name).into_owned();
        if name.is_empty() {
            return Err(self.failure("null file name in print or getline"));
        }
        let mut line = std::mem::take(&mut self.line);
        let (streams, terminator) = (&mut self.streams, &self.terminator);
        let read = match from {
            From::Command => streams.read_command(&name, terminator, &mut line),
            _ => streams.read_file(&name, terminator, &mut line),
        };
        let status = match read {
            Ok(true) => 1.0,
            Ok(false) => 0.0,
            Err(_) => -1.0,
        };
        if status > 0.0 {
            match into_record {
                true => self.record.set(&line),
                false => self.pending = Text::input(&line),
            }
        }
        self.line = line;
        self.push_number(status);
        Ok(())
    }

    fn getline_main(&mut self, into_record: bool) -> Step {
        if into_record {
            let found = self.next_record()?;
            self.push_number(f64::from(u8::from(found)));
            return Ok(());
        }
        let mut line = std::mem::take(&mut self.line);
        let found = self.read_main(&mut line);
        if let Ok(true) = found {
            self.pending = Text::input(&line);
        }
        self.line = line;
        self.push_number(f64::from(u8::from(found?)));
        Ok(())
    }
}

/// `name=value` of the command line.
pub(crate) fn assignment(operand: &[u8]) -> Option<(&str, &[u8])> {
    let at = memchr::memchr(b'=', operand)?;
    let name = std::str::from_utf8(&operand[..at]).ok()?;
    let mut bytes = name.bytes();
    let first = bytes.next()?;
    let is_name = (first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some((name, &operand[at + 1..]))
}

/// What is wrong with a file, in the words of C.
pub(super) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "No such file or directory".into(),
        io::ErrorKind::PermissionDenied => "Permission denied".into(),
        io::ErrorKind::IsADirectory => "Is a directory".into(),
        _ => error.to_string(),
    }
}
