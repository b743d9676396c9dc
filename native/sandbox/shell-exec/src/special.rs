//! Variables that bash makes up as they are asked for.

use crate::ast::Bytes;
use crate::shell::Shell;
use std::borrow::Cow;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The version of bash whose language this is.
pub(crate) const VERSION: [&str; 6] = ["5", "2", "37", "1", "release", "wasm32-wasi"];

/// What only an implementation of bash itself could say: an error for whoever asks.
const UNKNOWN: &[&[u8]] = &[b"BASH_COMMAND", b"BASH_ARGV", b"BASH_ARGC", b"BASH_EXECUTION_STRING"];

/// The numbers and times of one shell.
#[derive(Clone)]
pub(crate) struct Made {
    /// `RANDOM`, as it goes on.
    random: u32,
    /// What `SECONDS` was set to, and when.
    seconds: (i64, Instant),
}

impl Made {
    pub fn new(pid: u32) -> Made {
        let now = since_epoch();
        Made {
            random: now.subsec_nanos() ^ (pid << 16) ^ now.as_secs() as u32,
            seconds: (0, Instant::now()),
        }
    }
}

fn since_epoch() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

impl Shell {
    /// A variable's value; some are made up as they are asked for.
    pub fn variable(&self, name: &[u8]) -> Option<Cow<'_, [u8]>> {
        match self.variables.entry(name) {
            Some(variable) if variable.is_set() => variable.value().map(Cow::Borrowed),
            _ if name == b"LINENO" => Some(Cow::Owned(self.line.to_string().into())),
            _ if self.is_bash() => self.made(name).map(Cow::Owned),
            _ => None,
        }
    }

    fn made(&self, name: &[u8]) -> Option<Bytes> {
        if let Some(list) = self.dynamic_array(name) {
            return list.into_iter().next();
        }
        let text = match name {
            b"SECONDS" => {
                let (set, when) = self.made.seconds;
                (set + when.elapsed().as_secs() as i64).to_string()
            }
            b"EPOCHSECONDS" => since_epoch().as_secs().to_string(),
            b"EPOCHREALTIME" => {
                let now = since_epoch();
                format!("{}.{:06}", now.as_secs(), now.subsec_micros())
            }
            b"BASHPID" => self.process.pid.to_string(),
            b"BASH_SUBSHELL" => self.subshells.to_string(),
            b"BASH_VERSION" => format!(
                "{}.{}.{}({})-{}",
                VERSION[0], VERSION[1], VERSION[2], VERSION[3], VERSION[4]
            ),
            b"BASH" => "/bin/bash".into(),
            b"OSTYPE" => "linux-gnu".into(),
            b"HOSTTYPE" => "wasm32".into(),
            b"MACHTYPE" => "wasm32-wasi".into(),
            b"HOSTNAME" => "localhost".into(),
            b"UID" | b"EUID" => rustix::process::geteuid().as_raw().to_string(),
            b"SHELLOPTS" => self.options.names().join(":"),
            b"BASHOPTS" => self.shopt.names().join(":"),
            _ => return None,
        };
        Some(text.into())
    }

    /// `RANDOM` and `SRANDOM` change as they are read.
    pub fn drawn(&mut self, name: &[u8]) -> Option<Bytes> {
        if !self.is_bash() || self.variables.entry(name).is_some() {
            return None;
        }
        match name {
            b"RANDOM" => Some(self.random().to_string().into()),
            b"SRANDOM" => {
                let (high, low) = (u64::from(self.random()), u64::from(self.random()));
                Some((high << 17 | low << 2).to_string().into())
            }
            _ => None,
        }
    }

    fn random(&mut self) -> u32 {
        // Fifteen bits of a generator that is good enough for what `RANDOM` is used for.
        self.made.random = self.made.random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.made.random >> 16 & 0x7fff
    }

    /// Assigning to `RANDOM` or `SECONDS` sets something else than a variable; false for all others.
    pub fn set_special(&mut self, name: &[u8], value: &[u8]) -> bool {
        if !self.is_bash() {
            return false;
        }
        let number = || {
            std::str::from_utf8(value)
                .ok()
                .and_then(|text| text.parse::<i64>().ok())
                .unwrap_or(0)
        };
        match name {
            b"RANDOM" => self.made.random = number() as u32,
            b"SECONDS" => self.made.seconds = (number(), Instant::now()),
            // They are told by the shell alone; what is assigned is lost, as in bash.
            b"FUNCNAME" | b"BASH_SOURCE" | b"BASH_LINENO" | b"GROUPS" | b"BASHPID" | b"SRANDOM" => {}
            _ => return false,
        }
        true
    }

    /// Arrays that the shell makes up.
    pub fn dynamic_array(&self, name: &[u8]) -> Option<Vec<Bytes>> {
        if !self.is_bash() {
            return None;
        }
        Some(match name {
            b"PIPESTATUS" => self.statuses.iter().map(|status| status.to_string().into()).collect(),
            b"FUNCNAME" => {
                let mut names: Vec<Bytes> = self.frames.iter().rev().map(|frame| frame.name.to_vec()).collect();
                if names.is_empty() {
                    return None;
                }
                if self.frames.iter().all(|frame| &frame.name[..] != b"main") && self.has_file() {
                    names.push(b"main".to_vec());
                }
                names
            }
            b"BASH_SOURCE" => {
                let mut sources: Vec<Bytes> = self.frames.iter().rev().map(|frame| frame.source.to_vec()).collect();
                if self.has_file() {
                    sources.push(self.name.to_vec());
                } else if sources.is_empty() {
                    return None;
                }
                sources
            }
            b"BASH_LINENO" => {
                let mut lines: Vec<Bytes> = self
                    .frames
                    .iter()
                    .rev()
                    .map(|frame| frame.line.to_string().into())
                    .collect();
                if self.has_file() {
                    lines.push(b"0".to_vec());
                }
                lines
            }
            b"DIRSTACK" => self.directories(),
            b"BASH_VERSINFO" => VERSION.iter().map(|text| text.as_bytes().to_vec()).collect(),
            b"GROUPS" => vec![rustix::process::getegid().as_raw().to_string().into()],
            _ => return None,
        })
    }

    /// Whether the script comes from a file.
    fn has_file(&self) -> bool {
        self.from_file
    }

    /// What is known to bash and not to us is no empty text.
    pub fn refuse_unknown(&self, name: &[u8]) -> Result<(), crate::shell::Trouble> {
        match self.is_bash() && UNKNOWN.contains(&name) && self.variables.entry(name).is_none() {
            true => Err(format!("{}: not supported here", String::from_utf8_lossy(name)).into()),
            false => Ok(()),
        }
    }
}
