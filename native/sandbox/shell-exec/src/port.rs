//! The port through which the shell starts commands. Who implements it decides what a command is.

use crate::Error;
use crate::exec::nested::Nested;
use futures_util::future::BoxFuture;
use pipe::Stream;
use std::sync::{Arc, OnceLock};

/// Starts commands.
pub trait Commands: Send + Sync + 'static {
    /// Whether a command of this name can be started.
    fn has(&self, name: &str) -> bool;

    /// Runs it to its end. The future is dropped when the run is over before it.
    fn run(&self, start: Start) -> BoxFuture<'static, Ended>;
}

/// What a command is started with.
pub struct Start {
    /// Its name, as [`Commands::has`] knows it.
    pub name: String,
    /// Its arguments. The first is the name as the script wrote it.
    pub argv: Vec<Vec<u8>>,
    /// The exported variables.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// Where it runs: an absolute path, `/` being the run's root.
    pub cwd: String,
    /// Its standard input.
    pub stdin: Stream,
    /// Its standard output.
    pub stdout: Stream,
    /// Its standard error.
    pub stderr: Stream,
    /// Its further descriptors by number, which it knows as `/dev/fd/N`.
    pub descriptors: Vec<(usize, Stream)>,
    /// The permission bits that files it makes do not have.
    pub umask: u32,
    /// What it may still write to files.
    pub written: Arc<pipe::Budget>,
    /// Starts further commands on its behalf.
    pub nested: Nested,
    /// The sha256 of what runs, for [`Stage::module`](crate::Stage::module). Set it as soon as it is known.
    pub module: Arc<OnceLock<[u8; 32]>>,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with a status.
    Status(u8),
    /// By a trap or a limit. The shell says `name: why` on its standard error.
    Failed {
        /// The status that the script sees.
        status: u8,
        /// What ended it.
        why: String,
    },
    /// So that the whole run ends.
    Fatal(Error),
}
