//! One run of a script.

use crate::capture::{Capture, Channel, Hear};
use crate::commands::Commands;
use crate::error::Error;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use fence::{Fence, Listener};
use host::{Cancel, Limits, Registry, Sandbox};
use pipe::Stream;
use shell_exec::{Broken, Dialect, Seal, Stage};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::Handle;

const TMP: &str = "tmp";

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
    /// Its language, unless its `#!` line says another.
    pub dialect: Dialect,
    /// `$0`.
    pub name: String,
    /// `$1` and on.
    pub args: Vec<Vec<u8>>,
    /// The environment.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// What becomes `/`. Without one it is an empty directory that is gone afterwards.
    pub workdir: Option<PathBuf>,
    /// Whether `/tmp` is an empty directory of this run's own, gone afterwards. A `tmp` that the working directory has
    /// itself stays what it is: a relative path means it as well, and commands cannot tell the two apart.
    pub own_tmp: bool,
    /// Files that can be read and not changed, by their paths on the machine, wherever they lie.
    pub read_only: Vec<PathBuf>,
    /// Hears which files are read and changed.
    pub listener: Option<Arc<dyn Listener>>,
    /// The script is a check, and this is how it ends when it succeeds.
    pub seal: Option<Seal>,
    /// Where the script starts, below `/`.
    pub cwd: String,
    /// Standard input, output and error.
    pub streams: [Stream; 3],
    /// The commands that may be started; `None` is every one.
    pub commands: Option<HashSet<String>>,
    /// What each command may use; the time is that of the whole script.
    pub each: Limits,
    /// What the script may use.
    pub limits: shell_exec::Limits,
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
    /// The commands that a trap or a limit cut off.
    pub broken: Vec<Broken>,
    /// Whether any command was run at all.
    pub ran: bool,
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
        let (tmp, _own_tmp) = match job.own_tmp && !root.exists(TMP) {
            true => open(None).map(|(dir, empty)| (Some(Arc::new(dir)), empty))?,
            false => (None, None),
        };
        let root = Arc::new(root);
        let fence = Fence::around(&job.read_only, job.listener).map_err(Error::ReadOnly)?;
        let commands = Commands {
            sandbox: self.sandbox.clone(),
            registry: self.registry.clone(),
            root: root.clone(),
            tmp: tmp.clone(),
            fence: fence.clone(),
            limits: job.each,
            deadline: started + job.each.time,
            cancel: job.cancel.clone(),
        };
        let [stdin, stdout, stderr] = job.streams;
        let run = shell_exec::run(shell_exec::Run {
            script: job.script,
            name: job.name,
            dialect: job.dialect,
            args: job.args,
            env: with_defaults(job.env),
            root,
            tmp,
            fence,
            cwd: job.cwd,
            stdin,
            stdout,
            stderr,
            commands: Arc::new(commands),
            allow: job.commands,
            limits: job.limits,
            seal: job.seal,
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
            broken: outcome.broken,
            ran: outcome.ran,
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

/// What every script finds in its environment unless it is told otherwise.
const DEFAULTS: [(&str, &str); 3] = [("HOME", "/"), ("LANG", "C.UTF-8"), ("PATH", "/bin")];

fn with_defaults(mut env: Vec<(Vec<u8>, Vec<u8>)>) -> Vec<(Vec<u8>, Vec<u8>)> {
    for (name, value) in DEFAULTS {
        if !env.iter().any(|(own, _)| own == name.as_bytes()) {
            env.push((name.into(), value.into()));
        }
    }
    env
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
