//! Files and commands that a program has open, by their names.

use crate::ast::Redirect;
use crate::reader::{Reader, Terminator};
use crate::shell::{self, Incoming, Outgoing};
use rustc_hash::FxHashMap;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;
#[cfg(target_os = "wasi")]
use std::os::wasi::ffi::OsStrExt;
use std::path::Path;

/// Output is written when there is so much of it.
const BUFFER: usize = 64 << 10;

/// The standard streams of the program.
pub struct Standard {
    /// Read from when no file is named, and as `-` and `/dev/stdin`.
    pub input: Option<Box<dyn Read>>,
    /// Where `print` prints.
    pub output: Box<dyn Write>,
    /// `/dev/stderr`.
    pub errors: Box<dyn Write>,
}

/// All that is open.
pub struct Streams {
    /// What was printed and is not written yet.
    pub printed: Vec<u8>,
    output: Box<dyn Write>,
    errors: Box<dyn Write>,
    input: Option<Reader>,
    files: FxHashMap<Vec<u8>, Reader>,
    commands: FxHashMap<Vec<u8>, (Incoming, Reader)>,
    outputs: FxHashMap<Vec<u8>, Output>,
    /// The names of outputs in the order they were opened: so they are closed at the end.
    order: Vec<Vec<u8>>,
}

enum Output {
    Stdout,
    Stderr,
    File(File, Vec<u8>),
    Command(Outgoing, Vec<u8>),
}

/// The path that a name is.
pub fn path(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(name))
}

/// Opens a file to read, which is no directory.
pub fn open(name: &[u8]) -> io::Result<Reader> {
    let file = File::open(path(name))?;
    if file.metadata().is_ok_and(|found| found.is_dir()) {
        return Err(io::Error::other("Is a directory"));
    }
    Ok(Reader::new(Box::new(file)))
}

impl Streams {
    /// Nothing is open but the standard streams.
    pub fn new(standard: Standard) -> Streams {
        Streams {
            printed: Vec::with_capacity(BUFFER + 4096),
            output: standard.output,
            errors: standard.errors,
            input: standard.input.map(Reader::new),
            files: FxHashMap::default(),
            commands: FxHashMap::default(),
            outputs: FxHashMap::default(),
            order: Vec::new(),
        }
    }

    /// Writes what was printed if it is much.
    #[inline]
    pub fn settle(&mut self) -> io::Result<()> {
        match self.printed.len() >= BUFFER {
            true => self.flush_stdout(),
            false => Ok(()),
        }
    }

    fn flush_stdout(&mut self) -> io::Result<()> {
        let written = self.output.write_all(&self.printed).and_then(|()| self.output.flush());
        self.printed.clear();
        written
    }

    /// Writes everything that waits, before a command runs and whenever the program asks for it.
    pub fn flush(&mut self) -> io::Result<()> {
        self.flush_stdout()?;
        self.outputs.values_mut().try_for_each(Output::flush)
    }

    /// Writes what waits for one name; false if nothing of that name is open.
    pub fn flush_one(&mut self, name: &[u8]) -> io::Result<bool> {
        if name == b"/dev/stdout" {
            self.flush_stdout()?;
            return Ok(true);
        }
        match self.outputs.get_mut(name) {
            Some(output) => output.flush().map(|()| true),
            None => Ok(self.files.contains_key(name) || self.commands.contains_key(name)),
        }
    }

    /// Prints to what a redirection names, which is opened if it is not open yet.
    pub fn print_to(&mut self, redirect: Redirect, name: &[u8], bytes: &[u8]) -> io::Result<()> {
        if !self.outputs.contains_key(name) {
            let output = self.open_output(redirect, name)?;
            self.outputs.insert(name.to_vec(), output);
            self.order.push(name.to_vec());
        }
        match self.outputs.get_mut(name) {
            Some(Output::Stdout) => {
                self.printed.extend_from_slice(bytes);
                self.settle()
            }
            Some(Output::Stderr) => {
                self.flush_stdout()?;
                self.errors.write_all(bytes)
            }
            Some(output) => output.write(bytes),
            None => Ok(()),
        }
    }

    fn open_output(&mut self, redirect: Redirect, name: &[u8]) -> io::Result<Output> {
        Ok(match (redirect, name) {
            (Redirect::Pipe, command) => {
                // What was printed before comes before what the command prints.
                self.flush()?;
                Output::Command(Outgoing::start(command)?, Vec::new())
            }
            (_, b"/dev/stdout") => Output::Stdout,
            (_, b"/dev/stderr") => Output::Stderr,
            (Redirect::Append, name) => {
                let file = OpenOptions::new().append(true).create(true).open(path(name))?;
                Output::File(file, Vec::new())
            }
            (_, name) => Output::File(File::create(path(name))?, Vec::new()),
        })
    }

    /// Takes standard input for the main input; whoever reads it otherwise shares it.
    pub fn read_standard(&mut self, terminator: &Terminator, into: &mut Vec<u8>) -> io::Result<bool> {
        match &mut self.input {
            Some(reader) => reader.read(terminator, into),
            None => Ok(false),
        }
    }

    /// Reads a record from a file, which is opened if it is not open yet.
    pub fn read_file(&mut self, name: &[u8], terminator: &Terminator, into: &mut Vec<u8>) -> io::Result<bool> {
        if name == b"-" || name == b"/dev/stdin" {
            return self.read_standard(terminator, into);
        }
        if !self.files.contains_key(name) {
            if let Some(output) = self.outputs.get_mut(name) {
                output.flush()?;
            }
            self.files.insert(name.to_vec(), open(name)?);
        }
        match self.files.get_mut(name) {
            Some(reader) => reader.read(terminator, into),
            None => Ok(false),
        }
    }

    /// Reads a record from a command, which is started if it does not run yet.
    pub fn read_command(&mut self, command: &[u8], terminator: &Terminator, into: &mut Vec<u8>) -> io::Result<bool> {
        if !self.commands.contains_key(command) {
            self.flush()?;
            let (incoming, output) = Incoming::start(command)?;
            self.commands.insert(command.to_vec(), (incoming, Reader::new(output)));
        }
        match self.commands.get_mut(command) {
            Some((_, reader)) => reader.read(terminator, into),
            None => Ok(false),
        }
    }

    /// Runs a command to its end.
    pub fn system(&mut self, command: &[u8]) -> io::Result<i32> {
        self.flush()?;
        Ok(shell::system(command))
    }

    /// Closes what has this name; none if nothing has.
    pub fn close(&mut self, name: &[u8]) -> Option<i32> {
        let mut status = None;
        if self.files.remove(name).is_some() {
            status = Some(0);
        }
        if let Some((incoming, reader)) = self.commands.remove(name) {
            drop(reader);
            status = Some(incoming.close());
        }
        if let Some(output) = self.outputs.remove(name) {
            self.order.retain(|known| known != name);
            // A command's own output comes behind what was printed.
            let _ = self.flush_stdout();
            status = Some(output.close());
        }
        status
    }

    /// Closes everything; an error is one of standard output.
    pub fn close_all(&mut self) -> io::Result<()> {
        let flushed = self.flush_stdout();
        for name in std::mem::take(&mut self.order) {
            if let Some(output) = self.outputs.remove(&name) {
                output.close();
            }
        }
        for (_, (incoming, reader)) in self.commands.drain() {
            drop(reader);
            incoming.close();
        }
        flushed
    }
}

impl Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Output::File(_, waiting) | Output::Command(_, waiting) => {
                waiting.extend_from_slice(bytes);
                match waiting.len() >= BUFFER {
                    true => self.flush(),
                    false => Ok(()),
                }
            }
            Output::Stdout | Output::Stderr => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::File(file, waiting) => {
                let written = file.write_all(waiting);
                waiting.clear();
                written
            }
            Output::Command(command, waiting) => {
                let written = command.write(waiting);
                waiting.clear();
                written
            }
            Output::Stdout | Output::Stderr => Ok(()),
        }
    }

    fn close(mut self) -> i32 {
        let flushed = self.flush();
        match self {
            Output::Command(command, _) => command.close(),
            _ => -i32::from(flushed.is_err()),
        }
    }
}
