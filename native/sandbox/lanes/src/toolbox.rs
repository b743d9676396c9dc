//! The compilers, and how one is run: as a guest that has its input and nothing else.

use crate::{Bounds, Error};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use host::{Cancel, Command, Launch, Limits, Sandbox};
use parking_lot::Mutex;
use pipe::Stream;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Builder;

/// The version of the list of tools.
const VERSION: u32 = 1;

/// A directory of compilers, with a list of what was put there.
pub(crate) struct Toolbox {
    dir: PathBuf,
    sandbox: Arc<Sandbox>,
    list: BTreeMap<String, String>,
    /// Loaded once: their code is large. Whoever needs one that is being loaded waits for it.
    loaded: Mutex<HashMap<String, Arc<Mutex<Option<Command>>>>>,
}

#[derive(Deserialize)]
struct List {
    version: u32,
    /// SHA-256 in hex by file.
    tools: BTreeMap<String, String>,
}

/// One run of a compiler.
#[derive(Default)]
pub(crate) struct Run<'a> {
    /// The program's name and its arguments.
    pub argv: Vec<String>,
    /// Its input.
    pub stdin: Vec<u8>,
    /// What it has as `/`, to read and to write.
    pub root: Option<&'a Path>,
    /// Directories of the toolbox that it can read, by the paths where it finds them.
    pub shown: &'a [(&'a str, &'a str)],
}

/// How a compiler ended.
pub(crate) struct Ran {
    pub status: u8,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// The time and the switch of one build.
pub(crate) struct Site<'a> {
    pub toolbox: &'a Toolbox,
    pub bounds: Bounds,
    pub deadline: Instant,
    pub cancel: &'a Cancel,
}

impl Toolbox {
    /// A directory that is not there is an empty toolbox.
    pub fn open(dir: &Path, sandbox: Arc<Sandbox>) -> Result<Toolbox, Error> {
        let path = dir.join("lanes.json");
        let list = match path.exists() {
            false => BTreeMap::new(),
            true => {
                let text = fs::read(&path).map_err(|e| Error::file(&path, e))?;
                let list: Option<List> = serde_json::from_slice(&text).ok();
                let known = list.filter(|list| list.version == VERSION);
                known.ok_or_else(|| Error::Tampered(path.display().to_string()))?.tools
            }
        };
        Ok(Toolbox {
            dir: dir.to_owned(),
            sandbox,
            list,
            loaded: Mutex::default(),
        })
    }

    /// Whether the tool was installed and its file is there.
    pub fn has(&self, tool: &str) -> bool {
        self.list.contains_key(tool) && self.dir.join(tool).exists()
    }

    /// What stands for the exact bytes of a tool.
    pub fn version(&self, tool: &str) -> &str {
        self.list.get(tool).map_or("", String::as_str)
    }

    /// The bytes of a tool, when they are what was installed.
    pub fn bytes(&self, tool: &str) -> Result<Vec<u8>, Error> {
        let path = self.dir.join(tool);
        let bytes = fs::read(&path).map_err(|e| Error::file(&path, e))?;
        match self.list.get(tool) {
            Some(sha256) if *sha256 == format!("{:x}", Sha256::digest(&bytes)) => Ok(bytes),
            _ => Err(Error::Tampered(path.display().to_string())),
        }
    }

    /// The tool, compiled on first use; that may take a minute, and is kept on disk.
    pub fn command(&self, tool: &str) -> Result<Command, Error> {
        let slot = self.loaded.lock().entry(tool.to_owned()).or_default().clone();
        let mut slot = slot.lock();
        if let Some(command) = &*slot {
            return Ok(command.clone());
        }
        let command = Command::load(&self.sandbox, &self.bytes(tool)?)?;
        *slot = Some(command.clone());
        Ok(command)
    }
}

impl Site<'_> {
    /// Runs a tool to its end.
    pub fn run(&self, tool: &str, run: Run) -> Result<Ran, Error> {
        let command = self.toolbox.command(tool)?;
        let open = |path: &Path| {
            Dir::open_ambient_dir(path, ambient_authority())
                .map(Arc::new)
                .map_err(|e| Error::file(path, e))
        };
        let mut shown = Vec::new();
        for (at, dir) in run.shown {
            shown.push(((*at).to_owned(), open(&self.toolbox.dir.join(dir))?));
        }
        let (stdout, stderr) = (Printed::new(self.bounds.output), Printed::new(self.bounds.output));
        let left = self.deadline.saturating_duration_since(Instant::now());
        let launch = Launch {
            argv: run.argv.into_iter().map(String::into_bytes).collect(),
            env: Vec::new(),
            root: run.root.map(open).transpose()?,
            tmp: None,
            fence: None,
            shown,
            descriptors: Vec::new(),
            umask: 0o022,
            written: None,
            streams: [Stream::bytes(run.stdin), stdout.stream(), stderr.stream()],
            limits: Limits {
                memory: self.bounds.memory,
                time: left,
            },
            deadline: self.deadline,
            cancel: self.cancel.clone(),
            spawn: None,
        };
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|e| host::Error::Engine(e.to_string()))?;
        let status = runtime.block_on(async {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => Err(host::Error::Cancelled.into()),
                () = tokio::time::sleep_until(self.deadline.into()) => Err(Error::Deadline(self.bounds.time)),
                status = command.launch(&self.toolbox.sandbox, launch) => status.map_err(|error| match error {
                    host::Error::Deadline(_) => Error::Deadline(self.bounds.time),
                    error => error.into(),
                }),
            }
        })?;
        if stdout.is_full() || stderr.is_full() {
            let most = self.bounds.output;
            return Err(Error::TooLarge(format!("{tool} printed more than {most} bytes")));
        }
        Ok(Ran {
            status,
            stdout: stdout.take(),
            stderr: stderr.take(),
        })
    }
}

/// What a compiler has printed, as much as it may.
#[derive(Clone)]
struct Printed(Arc<Mutex<(usize, Vec<u8>)>>);

impl Printed {
    fn new(most: usize) -> Printed {
        Printed(Arc::new(Mutex::new((most, Vec::new()))))
    }

    fn stream(&self) -> Stream {
        let printed = self.0.clone();
        Stream::sink(move |bytes| {
            let (left, kept) = &mut *printed.lock();
            *left = left.saturating_sub(bytes.len());
            if *left == 0 {
                return Err(std::io::ErrorKind::QuotaExceeded.into());
            }
            kept.extend_from_slice(bytes);
            Ok(())
        })
    }

    fn is_full(&self) -> bool {
        self.0.lock().0 == 0
    }

    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().1)
    }
}

impl Ran {
    /// What was printed, when the compiler was content; else what it said.
    pub fn content(self) -> Result<Vec<u8>, Error> {
        match self.status {
            0 => Ok(self.stdout),
            status => Err(Error::Rejected {
                said: said(status, &self.stderr),
            }),
        }
    }
}

/// What is kept of a compiler's complaints.
const MAX_SAID: usize = 64 << 10;

fn said(status: u8, stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(&stderr[..stderr.len().min(MAX_SAID)]);
    match text.trim_end() {
        "" => format!("the compiler exited with status {status} and said nothing"),
        text => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
