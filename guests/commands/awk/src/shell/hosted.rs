//! The host runs a command to its end before it answers, and knows no pipes. So a file lies in between: it holds all
//! that an incoming command wrote, or all that an outgoing one is to read. It is there only while the command runs.

use start::Child;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::os::wasi::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// How much an outgoing command's input takes in memory before it goes to the file.
const HELD: usize = 8 << 20;

fn run(script: Vec<u8>) -> i32 {
    Child::new([OsString::from("sh"), OsString::from("-c"), OsString::from_vec(script)])
        .run()
        .into()
}

/// Runs a command to its end and answers its status.
pub fn system(command: &[u8]) -> i32 {
    run(command.to_vec())
}

/// A new file whose name needs no quoting. It is removed when this is dropped.
struct Between(PathBuf);

impl Between {
    fn new() -> io::Result<(Between, File)> {
        let directory = Path::new(if Path::new("/tmp").is_dir() { "/tmp" } else { "" });
        let mut attempts = 0;
        loop {
            let path = directory.join(format!(".awk-pipe-{:016x}", RandomState::new().hash_one(attempts)));
            let made = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
            match made {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempts < 100 => attempts += 1,
                made => return made.map(|file| (Between(path), file)),
            }
        }
    }

    /// `( command ) < file`, with the command on lines of its own: it may end with a comment.
    fn run(&self, command: &[u8], direction: &str) -> i32 {
        let path = self.0.to_string_lossy();
        run([b"(", command, b"\n) ", direction.as_bytes(), path.as_bytes()].concat())
    }
}

impl Drop for Between {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A command whose output is read.
pub struct Incoming(i32);

impl Incoming {
    /// Runs it.
    pub fn start(command: &[u8]) -> io::Result<(Incoming, Box<dyn Read>)> {
        let (between, _) = Between::new()?;
        let status = between.run(command, ">");
        let output = File::open(&between.0)?;
        Ok((Incoming(status), Box::new(output)))
    }

    /// Its status.
    pub fn close(self) -> i32 {
        self.0
    }
}

/// A command whose input is written.
pub struct Outgoing {
    command: Vec<u8>,
    held: Vec<u8>,
    spilled: Option<(Between, File)>,
}

impl Outgoing {
    /// Remembers it: it runs when it is closed.
    pub fn start(command: &[u8]) -> io::Result<Outgoing> {
        Ok(Outgoing {
            command: command.to_vec(),
            held: Vec::new(),
            spilled: None,
        })
    }

    /// Keeps some input for it.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.held.extend_from_slice(bytes);
        match self.held.len() > HELD {
            true => self.spill(),
            false => Ok(()),
        }
    }

    fn spill(&mut self) -> io::Result<()> {
        if self.spilled.is_none() {
            self.spilled = Some(Between::new()?);
        }
        if let Some((_, file)) = &mut self.spilled {
            file.write_all(&self.held)?;
        }
        self.held.clear();
        Ok(())
    }

    /// Runs it and answers its status.
    pub fn close(mut self) -> i32 {
        const REFUSED: i32 = 126;
        match (self.spill(), &self.spilled) {
            (Ok(()), Some((between, _))) => between.run(&self.command, "<"),
            _ => REFUSED,
        }
    }
}
