//! `read`.

use super::{Done, Halt, number, only_bash};
use crate::assign::Written;
use crate::ast::Bytes;
use crate::expand::field::{Class, Separators};
use crate::meter::Held;
use crate::shell::{Shell, lossy};
use crate::{Error, timer};
use pipe::Stream;
use std::time::Duration;

/// What `read` was asked for.
struct Wanted {
    raw: bool,
    delimiter: u8,
    /// Characters, and whether a delimiter ends the text before.
    count: Option<(usize, bool)>,
    time: Option<Duration>,
    array: Option<Bytes>,
    fd: usize,
}

fn wanted<'a>(shell: &Shell, args: &'a [Bytes]) -> Result<(Wanted, &'a [Bytes]), Halt> {
    let mut wanted = Wanted {
        raw: false,
        delimiter: b'\n',
        count: None,
        time: None,
        array: None,
        fd: 0,
    };
    let mut names = &args[1..];
    while let Some(arg) = names.first().filter(|arg| arg.len() > 1 && arg[0] == b'-') {
        names = &names[1..];
        if arg == b"--" {
            break;
        }
        let mut letters = &arg[1..];
        while let Some((letter, more)) = letters.split_first() {
            letters = more;
            if !b"rdp".contains(letter) && b"antsuNei".contains(letter) {
                only_bash(shell, &format!("read -{}", char::from(*letter)))?;
            }
            match letter {
                b'r' => wanted.raw = true,
                // There is no terminal, so there is nothing to hide or to edit.
                b's' | b'e' => {}
                b'd' | b'p' | b'a' | b'n' | b'N' | b't' | b'u' | b'i' => {
                    let value = match letters.is_empty() {
                        false => std::mem::take(&mut letters).to_vec(),
                        true => match names.split_first() {
                            Some((value, rest)) => {
                                names = rest;
                                value.clone()
                            }
                            None => return Err(format!("-{}: needs an argument", char::from(*letter)).into()),
                        },
                    };
                    let invalid = || format!("{}: invalid number", lossy(&value));
                    match letter {
                        b'd' => wanted.delimiter = value.first().copied().unwrap_or(0),
                        b'a' => wanted.array = Some(value),
                        b'n' => wanted.count = Some((number(&value).ok_or_else(invalid)?, true)),
                        b'N' => wanted.count = Some((number(&value).ok_or_else(invalid)?, false)),
                        b'u' => wanted.fd = number(&value).ok_or_else(invalid)?,
                        b't' => {
                            let seconds: Option<f64> =
                                std::str::from_utf8(&value).ok().and_then(|text| text.parse().ok());
                            let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                            wanted.time =
                                Some(time.ok_or_else(|| format!("{}: invalid timeout specification", lossy(&value)))?);
                        }
                        // A prompt and a text to begin with are for nobody: there is no terminal.
                        _ => {}
                    }
                }
                _ => return Err(format!("-{}: bad option", char::from(*letter)).into()),
            }
        }
    }
    Ok((wanted, names))
}

/// What a `read` that waits too long ends with.
const TIMED_OUT: u8 = 142;

pub(super) async fn read(shell: &mut Shell, args: &[Bytes]) -> Done {
    let (wanted, names) = wanted(shell, args)?;
    for name in names.iter().chain(&wanted.array) {
        shell.place(name)?;
    }
    let Some(stdin) = shell.descriptor(wanted.fd).cloned() else {
        return Err("read error: Bad file descriptor".to_owned().into());
    };
    if wanted.time == Some(Duration::ZERO) {
        // Whether something is there cannot be asked without waiting, but for what never waits.
        return Ok(u8::from(stdin.file().is_none() && !stdin.is_device()));
    }
    // A line is only paid for once it is there, and many may be read at once.
    let longest = shell.world.limits.memory / 16;
    let mut held = shell.world.meter.memory(0)?;
    let mut line = Line::default();
    let mut ended = false;
    let mut late = false;
    {
        let reading = fill(&stdin, &wanted, longest, &mut line, &mut held);
        let done = match wanted.time {
            None => Some(reading.await),
            Some(time) => timer::within(time, reading).await,
        };
        match done {
            Some(done) => ended = done?,
            None => late = true,
        }
    }
    let status = match late {
        true => TIMED_OUT,
        false => u8::from(!ended),
    };
    if let Some(array) = &wanted.array {
        let separators = shell.separators();
        let values = line.all(&separators);
        let written = vec![Written {
            index: None,
            append: false,
            values,
        }];
        let name = shell.place(array)?.name;
        shell.variables.remove(&name);
        shell.assign_array(&name, written, false)?;
        return Ok(status);
    }
    if names.is_empty() || matches!(wanted.count, Some((_, false))) {
        // The whole line, blanks and all; in sh it is split as for any other name.
        let whole = shell.is_bash() || matches!(wanted.count, Some((_, false)));
        let reply = b"REPLY".to_vec();
        let value = match whole {
            true => text(&line.bytes),
            false => line.split(&shell.separators(), 1).remove(0),
        };
        let (name, rest) = names.split_first().unwrap_or((&reply, &[]));
        shell.assign_named(name, value)?;
        for name in rest {
            shell.assign_named(name, Bytes::new())?;
        }
        return Ok(status);
    }
    let values = line.split(&shell.separators(), names.len());
    for (name, value) in names.iter().zip(values) {
        shell.assign_named(name, value)?;
    }
    Ok(status)
}

/// Reads up to the end of what was asked for; true when it came.
async fn fill(stdin: &Stream, wanted: &Wanted, longest: usize, line: &mut Line, held: &mut Held) -> Result<bool, Halt> {
    if let Some((count, delimited)) = wanted.count {
        let mut chars = 0;
        let mut byte = [0];
        while chars < count {
            let read = stdin.read(&mut byte).await;
            if read.map_err(|error| format!("read error: {}", crate::files::reason(&error)))? == 0 {
                return Ok(false);
            }
            // `-N` takes delimiters as they come.
            let delimiter = if delimited { wanted.delimiter } else { 0 };
            let raw = wanted.raw;
            // A NUL byte can be no part of a value; it can only end one.
            let over = (delimited || byte[0] != 0) && line.add(&byte, raw, delimiter, held)?;
            if over && delimited {
                return Ok(true);
            }
            // A character counts when its last byte is there.
            if !line.escaping && whole_chars(&line.bytes) {
                chars = char_count(&line.bytes);
            }
        }
        return Ok(true);
    }
    loop {
        let piece = match stdin.read_until(wanted.delimiter, longest).await {
            Ok(piece) => piece,
            Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => return Err(Error::TooMuchMemory.into()),
            Err(error) => return Err(format!("read error: {}", crate::files::reason(&error)).into()),
        };
        if piece.is_empty() {
            return Ok(false);
        }
        if line.add(&piece, wanted.raw, wanted.delimiter, held)? {
            return Ok(true);
        }
    }
}

/// Whether the last character is complete.
fn whole_chars(bytes: &[(u8, bool)]) -> bool {
    let tail: Bytes = bytes.iter().rev().take(4).rev().map(|(byte, _)| *byte).collect();
    match std::str::from_utf8(&tail) {
        Ok(_) => true,
        // The beginning may be cut by taking four; what counts is whether more is needed.
        Err(error) => error.error_len().is_some() || error.valid_up_to() == tail.len(),
    }
}

fn char_count(bytes: &[(u8, bool)]) -> usize {
    // Every byte that does not continue a character begins one.
    bytes.iter().filter(|(byte, _)| byte & 0xc0 != 0x80).count()
}

/// What was read: bytes, and whether a backslash protects them.
#[derive(Default)]
struct Line {
    bytes: Vec<(u8, bool)>,
    /// A backslash came last.
    escaping: bool,
}

impl Line {
    /// Adds what was read up to a delimiter; true when that ends the line.
    fn add(&mut self, piece: &[u8], raw: bool, delimiter: u8, held: &mut Held) -> Result<bool, Halt> {
        held.grow(piece.len() * size_of::<(u8, bool)>())?;
        held.meter().copied(piece.len())?;
        for byte in piece.iter().copied() {
            if self.escaping {
                self.escaping = false;
                // An escaped newline joins two lines.
                if byte != b'\n' {
                    self.bytes.push((byte, true));
                }
            } else if byte == delimiter {
                return Ok(true);
            } else if byte == b'\\' && !raw {
                self.escaping = true;
            } else if byte != 0 {
                self.bytes.push((byte, false));
            }
        }
        Ok(false)
    }

    /// All fields.
    fn all(&self, separators: &Separators) -> Vec<Bytes> {
        let bytes = &self.bytes;
        let class = |at: usize| match bytes.get(at) {
            Some((byte, false)) => separators.class(*byte),
            _ => None,
        };
        let blanks = |mut at: usize| {
            while class(at) == Some(Class::Blank) {
                at += 1;
            }
            at
        };
        let mut values = Vec::new();
        let mut at = blanks(0);
        while at < bytes.len() {
            let start = at;
            while at < bytes.len() && class(at).is_none() {
                at += 1;
            }
            values.push(text(&bytes[start..at]));
            at = blanks(at);
            if class(at) == Some(Class::Other) {
                at = blanks(at + 1);
            }
        }
        values
    }

    /// One value for each name; the last takes all that is left.
    fn split(self, separators: &Separators, count: usize) -> Vec<Bytes> {
        let bytes = &self.bytes;
        let class = |at: usize| match bytes.get(at) {
            Some((byte, false)) => separators.class(*byte),
            _ => None,
        };
        let mut values = Vec::new();
        let mut at = 0;
        while class(at) == Some(Class::Blank) {
            at += 1;
        }
        while values.len() + 1 < count && at < bytes.len() {
            let start = at;
            while at < bytes.len() && class(at).is_none() {
                at += 1;
            }
            values.push(text(&bytes[start..at]));
            while class(at) == Some(Class::Blank) {
                at += 1;
            }
            if class(at) == Some(Class::Other) {
                at += 1;
                while class(at) == Some(Class::Blank) {
                    at += 1;
                }
            }
        }
        let trimmed = |mut end: usize| {
            while end > at && class(end - 1) == Some(Class::Blank) {
                end -= 1;
            }
            end
        };
        let mut end = trimmed(bytes.len());
        // A separator behind one last field only ends it.
        if end > at && class(end - 1) == Some(Class::Other) {
            let before = trimmed(end - 1);
            if (at..before).all(|place| class(place).is_none()) {
                end = before;
            }
        }
        values.push(text(&bytes[at.min(end)..end]));
        values.resize(count, Bytes::new());
        values
    }
}

fn text(bytes: &[(u8, bool)]) -> Bytes {
    bytes.iter().map(|(byte, _)| *byte).collect()
}
