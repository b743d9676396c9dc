//! Another command, run by the host under the limits of this one.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::wasi::ffi::OsStrExt;
use std::time::Duration;

/// The status of a command that was not found.
const NOT_FOUND: u8 = 127;
/// "Inherit" in place of a length.
const INHERIT: i32 = -1;
const EMPTY_STDIN: i32 = 1;
/// Where the deadline begins in the flags: milliseconds, zero for none.
const DEADLINE_SHIFT: u32 = 8;
const LONGEST_DEADLINE: u128 = (1 << 23) - 1;

#[link(wasm_import_module = "workbooks")]
unsafe extern "C" {
    fn spawn(
        argv: *const u8,
        argv_len: i32,
        env: *const u8,
        env_len: i32,
        cwd: *const u8,
        cwd_len: i32,
        flags: i32,
    ) -> i32;
}

/// A command to run. It shares stdout and stderr with its caller, and stdin unless told otherwise.
#[derive(Debug, Default)]
pub struct Child {
    argv: Vec<u8>,
    env: Option<Vec<u8>>,
    cwd: OsString,
    flags: i32,
}

impl Child {
    /// The command named by the first word, with the rest as its arguments.
    pub fn new(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        let mut child = Self::default();
        for word in words {
            push(&mut child.argv, &[word.as_ref()]);
        }
        child
    }

    /// Runs with these variables and no others.
    pub fn env(mut self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut env = Vec::new();
        for (name, value) in variables {
            push(&mut env, &[&name, "=".as_ref(), &value]);
        }
        self.env = Some(env);
        self
    }

    /// Runs in this directory, an absolute path.
    pub fn cwd(mut self, directory: impl Into<OsString>) -> Self {
        self.cwd = directory.into();
        self
    }

    /// Runs with nothing on stdin.
    pub fn empty_stdin(mut self) -> Self {
        self.flags |= EMPTY_STDIN;
        self
    }

    /// Ends it, with status 124, when it still runs after `limit`; zero means never. The longest limit is 2 hours, 19 minutes.
    pub fn deadline(mut self, limit: Duration) -> Self {
        let tiny = u128::from(!limit.is_zero());
        let milliseconds = limit.as_millis().clamp(tiny, LONGEST_DEADLINE);
        self.flags |= (milliseconds as i32) << DEADLINE_SHIFT;
        self
    }

    /// Runs it to its end and answers its exit status.
    pub fn run(&self) -> u8 {
        let _ = std::io::stdout().flush();
        let (env, env_len) = match &self.env {
            Some(env) => (env.as_ptr(), length(env)),
            None => (std::ptr::null(), INHERIT),
        };
        let cwd = self.cwd.as_bytes();
        // SAFETY: every pointer is valid for its length, and the host only reads.
        let status = unsafe {
            spawn(
                self.argv.as_ptr(),
                length(&self.argv),
                env,
                env_len,
                cwd.as_ptr(),
                length(cwd),
                self.flags,
            )
        };
        u8::try_from(status).unwrap_or(NOT_FOUND)
    }
}

fn push(to: &mut Vec<u8>, pieces: &[&OsStr]) {
    for piece in pieces {
        to.extend(piece.as_bytes());
    }
    to.push(0);
}

fn length(bytes: &[u8]) -> i32 {
    i32::try_from(bytes.len()).expect("a guest has less than 2 GiB")
}
