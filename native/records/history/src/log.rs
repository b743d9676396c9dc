//! `_steps.jsonl`, the truth: lines are added at its end, and a chain runs over them.

use crate::{Error, fault};
use ledger::Chain;
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A log that is being written. Lines for which there is no room wait, and go out in their order when there is.
pub(crate) struct Log {
    file: File,
    /// Over all lines, also those that wait.
    chain: Chain,
    /// Over the lines in the file.
    written: Mark,
    waiting: VecDeque<String>,
    synced: bool,
}

/// How far a log goes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Mark {
    pub chain: Chain,
    pub bytes: u64,
}

impl Mark {
    pub fn add(&mut self, line: &[u8]) {
        self.chain.append(line);
        self.bytes += line.len() as u64 + 1;
    }
}

impl Log {
    /// Goes on after `mark`, which is where the file ends.
    pub fn resume(path: &Path, mark: Mark) -> Result<Log, Error> {
        let file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)
            .map_err(Error::io("open", path))?;
        Ok(Log {
            file,
            chain: mark.chain.clone(),
            written: mark,
            waiting: VecDeque::new(),
            synced: false,
        })
    }

    /// Adds an object as a line, and returns the line's number. [`Log::write`] puts it into the file.
    pub fn add(&mut self, object: &str) -> Result<u64, Error> {
        let line = self.chain.link(object)?;
        self.waiting.push_back(line);
        Ok(self.chain.count())
    }

    /// Writes what waits. A write that fails half-way leaves no half line behind: it is cut off, now or by the next.
    pub fn write(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        for line in &self.waiting {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        if fault::reached("log.torn") {
            let _ = self.file.write_all_at(&bytes[..bytes.len() / 2], self.written.bytes);
            fault::die();
        }
        if let Err(e) = self.file.write_all_at(&bytes, self.written.bytes) {
            let _ = self.file.set_len(self.written.bytes);
            return Err(e);
        }
        fault::point("log.written");
        self.synced = false;
        for line in self.waiting.drain(..) {
            self.written.add(line.as_bytes());
        }
        Ok(())
    }

    /// Waits until what is written survives the power going off.
    pub fn sync(&mut self) -> io::Result<()> {
        if !self.synced {
            self.file.sync_data()?;
            self.synced = true;
            fault::point("log.synced");
        }
        Ok(())
    }

    /// Whether every line is on the disk.
    pub fn is_saved(&self) -> bool {
        self.waiting.is_empty() && self.synced
    }

    pub fn written(&self) -> &Mark {
        &self.written
    }

    /// Copies what is written from a byte on to another file, at the same place.
    pub fn copy_to(&self, to: &File, from: u64) -> io::Result<()> {
        let mut piece = vec![0; 256 * 1024];
        let mut at = from;
        while at < self.written.bytes {
            let room = usize::try_from(self.written.bytes - at).unwrap_or(usize::MAX);
            let piece = &mut piece[..room.min(256 * 1024)];
            self.file.read_exact_at(piece, at)?;
            to.write_all_at(piece, at)?;
            at += piece.len() as u64;
        }
        Ok(())
    }
}
