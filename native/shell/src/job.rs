//! One run of a script.

use crate::capture::{Capture, Channel, Hear};
use crate::commands::Commands;
use crate::error::Error;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use host::{Cancel, Limits, Registry, Sandbox};
use sh::Stage;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stream::Stream;
use tempfile::TempDir;
use tokio::runtime::Handle;

/// Where scripts run.
#[derive(Clone)]
pub struct Shell {
    /// The engine.
    pub sandbox: Arc<Sandbox>,
    /// The commands.
    pub registry: Arc<Registry>,
}

/// Everything that one run needs.
pub struct Job {
    /// The script.
    pub script: Vec<u8>,
    /// `$0`.
    pub name: String,
    /// `$1` and on.
    pub args: Vec<Vec<u8>>,
    /// The environment.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// What becomes `/`. Without one it is an empty directory that is gone afterwards.
    pub workdir: Option<PathBuf>,
    /// Where the script starts, below `/`.
    pub cwd: String,
    /// Standard input, output and error.
    pub streams: [Stream; 3],
    /// The commands that may be started; `None` is every one.
    pub commands: Option<HashSet<String>>,
    /// What each command may use; the time is that of the whole script.
    pub each: Limits,
    /// What the script may use.
    pub limits: sh::Limits,
    /// Stops it.
    pub cancel: Cancel,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The status of the script.
    pub status: u8,
    /// The names that are no commands.
    pub missing: Vec<String>,
    /// The commands that were started, in order.
    pub stages: Vec<Stage>,
    /// How long it took.
    pub duration: Duration,
}

impl Shell {
    /// Runs a script to its end.
    ///
    /// # Errors
    ///
    /// What ended the whole run; see [`Error`].
    pub async fn run(&self, job: Job) -> Result<Finished, Error> {
        let started = Instant::now();
        let (root, _empty) = open(job.workdir)?;
        let root = Arc::new(root);
        let commands = Commands {
            sandbox: self.sandbox.clone(),
            registry: self.registry.clone(),
            root: root.clone(),
            limits: job.each,
            deadline: started + job.each.time,
            cancel: job.cancel.clone(),
        };
        let [stdin, stdout, stderr] = job.streams;
        let run = sh::run(sh::Run {
            script: job.script,
            name: job.name,
            args: job.args,
            env: job.env,
            root,
            cwd: job.cwd,
            stdin,
            stdout,
            stderr,
            commands: Arc::new(commands),
            allow: job.commands,
            limits: job.limits,
        });
        let outcome = tokio::select! {
            biased;
            () = tokio::time::sleep_until((started + job.each.time).into()) => Err(Error::Timeout(job.each.time)),
            () = job.cancel.cancelled() => Err(Error::Cancelled),
            outcome = run => outcome.map_err(Error::from),
        }?;
        Ok(Finished {
            status: outcome.status,
            missing: outcome.missing,
            stages: outcome.stages,
            duration: started.elapsed(),
        })
    }

    /// Runs a script and keeps what it prints, up to `limit` bytes: what came of it, stdout and stderr.
    ///
    /// # Errors
    ///
    /// As [`Shell::run`], and [`Error::OutputTooLarge`]. The job's own output streams are not used.
    pub async fn capture(
        &self,
        mut job: Job,
        limit: usize,
        hear: Option<Hear>,
    ) -> Result<(Finished, Vec<u8>, Vec<u8>), Error> {
        let capture = Capture::new(limit);
        let full = Cancel::default();
        for (at, channel) in [(1, Channel::Stdout), (2, Channel::Stderr)] {
            let full = full.clone();
            job.streams[at] = capture.stream(channel, hear.clone(), move || full.cancel());
        }
        let finished = tokio::select! {
            biased;
            () = full.cancelled() => Err(Error::OutputTooLarge(limit)),
            finished = self.run(job) => finished,
        }?;
        if capture.overflowed() {
            return Err(Error::OutputTooLarge(limit));
        }
        let (stdout, stderr) = capture.take();
        Ok((finished, stdout, stderr))
    }
}

/// A directory that is removed right after the answer has gone out, which need not wait for it.
struct Empty(Option<TempDir>);

impl Drop for Empty {
    fn drop(&mut self) {
        let dir = self.0.take();
        if let Ok(here) = Handle::try_current() {
            // A task that is never polled is dropped too, and the directory with it.
            here.spawn(async move { drop(dir) });
        }
    }
}

/// The working directory, and the empty one that stands in for it.
fn open(workdir: Option<PathBuf>) -> Result<(Dir, Option<Empty>), Error> {
    let (path, empty) = match workdir {
        Some(path) => (path, None),
        None => {
            let empty = tempfile::tempdir().map_err(Error::Workdir)?;
            (empty.path().to_owned(), Some(Empty(Some(empty))))
        }
    };
    let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(Error::Workdir)?;
    Ok((dir, empty))
}
