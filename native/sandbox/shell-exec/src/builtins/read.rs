//! `read`.

use super::{Done, Halt};
use crate::Error;
use crate::ast::{Bytes, is_name};
use crate::expand::field::{Class, Separators};
use crate::meter::Held;
use crate::shell::{Shell, lossy};

pub(super) async fn read(shell: &mut Shell, args: &[Bytes]) -> Done {
    let mut raw = false;
    let mut delimiter = b'\n';
    let mut names = &args[1..];
    while let Some(arg) = names.first().filter(|arg| arg.len() > 1 && arg[0] == b'-') {
        names = &names[1..];
        match &arg[..] {
            b"--" => break,
            b"-r" => raw = true,
            b"-d" | b"-p" => {
                let Some((value, rest)) = names.split_first() else {
                    return Err(format!("{}: needs an argument", lossy(arg)).into());
                };
                names = rest;
                // A prompt is for nobody: there is no terminal.
                if arg[1] == b'd' {
                    delimiter = value.first().copied().unwrap_or(0);
                }
            }
            _ => return Err(format!("{}: bad option", lossy(arg)).into()),
        }
    }
    if let Some(bad) = names.iter().find(|name| !is_name(name)) {
        return Err(format!("{}: bad variable name", lossy(bad)).into());
    }
    let Some(stdin) = shell.descriptor(0).cloned() else {
        return Err("read error: Bad file descriptor".to_owned().into());
    };
    // A line is only paid for once it is there, and many may be read at once.
    let longest = shell.world.limits.memory / 16;
    let mut held = shell.world.meter.memory(0)?;
    let mut line = Line::default();
    let mut ended = false;
    while !ended {
        let piece = match stdin.read_until(delimiter, longest).await {
            Ok(piece) => piece,
            Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => return Err(Error::TooMuchMemory.into()),
            Err(error) => return Err(format!("read error: {}", crate::files::reason(&error)).into()),
        };
        if piece.is_empty() {
            break;
        }
        ended = line.add(&piece, raw, delimiter, &mut held)?;
    }
    let status = u8::from(!ended);
    let reply = [b"REPLY".to_vec()];
    let names = if names.is_empty() { &reply[..] } else { names };
    let values = line.split(&shell.separators(), names.len());
    for (name, value) in names.iter().zip(values) {
        shell.assign(name, value)?;
    }
    Ok(status)
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
