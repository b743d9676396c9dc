//! Commands that a guest starts by name.

use super::call::{Dock, until};
use crate::{Cancel, Error, Executor, Found, Launch, Limits, Registry, RegistryError, Sandbox};
use parking_lot::Mutex;
use pipe::Stream;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot::{self, Receiver};
use tokio::task::spawn_blocking;

/// The exit status that a shell gives for a command it does not have.
const NOT_FOUND: u8 = 127;

/// How a command ended.
pub(super) struct Outcome {
    pub status: u8,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// What commands may use that run for one guest: what the guest itself has left.
pub(super) struct Run {
    sandbox: Arc<Sandbox>,
    executor: Arc<Executor>,
    commands: Arc<Registry>,
    limits: Limits,
    deadline: Instant,
    output: usize,
    cancel: Cancel,
}

impl Run {
    pub fn within(dock: &Dock) -> Run {
        Run {
            sandbox: dock.sandbox.clone(),
            executor: dock.executor.clone(),
            commands: dock.commands.clone(),
            limits: dock.limits,
            deadline: dock.deadline,
            output: dock.output,
            cancel: dock.cancel.clone(),
        }
    }

    /// Runs one command to its end.
    pub async fn command(&self, name: &str, argv: Vec<String>, stdin: String) -> Result<Outcome, Error> {
        let Some(found) = self.find(name).await? else {
            return Ok(Outcome {
                status: NOT_FOUND,
                stdout: Vec::new(),
                stderr: b"command not found".to_vec(),
            });
        };
        let stdout = Printed::default();
        let stderr = Printed::default();
        let left = Arc::new(Mutex::new(self.output));
        let argv = [name.to_owned()].into_iter().chain(argv);
        let launch = Launch {
            argv: argv.map(String::into_bytes).collect(),
            env: Vec::new(),
            root: None,
            tmp: None,
            fence: None,
            shown: Vec::new(),
            descriptors: Vec::new(),
            umask: 0o022,
            written: None,
            streams: [Stream::bytes(stdin), stdout.stream(&left), stderr.stream(&left)],
            limits: self.limits,
            deadline: self.deadline,
            cancel: self.cancel.clone(),
            spawn: None,
        };
        let run = found.launch(&self.sandbox, launch);
        let status = until(self.deadline, &self.cancel, self.limits, run).await??;
        if *left.lock() == 0 {
            return Err(Error::Trap("the guest printed more than it may".into()));
        }
        Ok(Outcome {
            status,
            stdout: stdout.take(),
            stderr: stderr.take(),
        })
    }

    /// The command, loaded on a thread that can wait when it is not at hand.
    async fn find(&self, name: &str) -> Result<Option<Found>, Error> {
        if let Some(found) = self.commands.at_hand(name) {
            return Ok(Some(found));
        }
        let (commands, sandbox, name) = (self.commands.clone(), self.sandbox.clone(), name.to_owned());
        let loaded = spawn_blocking(move || commands.load(&sandbox, &name)).await;
        loaded
            .map_err(|panic| Error::Trap(panic.to_string()))?
            .map_err(|error| match error {
                RegistryError::Host(error) => error,
                error => Error::Unfit(error.to_string()),
            })
    }

    /// Runs one command for each input, spread over the guests' threads. The answers keep the order of the inputs.
    pub async fn for_each(self: Arc<Self>, name: &str, inputs: Vec<String>) -> Vec<Result<Outcome, Error>> {
        let started: Vec<_> = inputs.into_iter().map(|input| self.start(name, input)).collect();
        let mut ended = Vec::with_capacity(started.len());
        for run in started {
            ended.push(match run {
                // A run whose thread is gone ended as a cancelled one does.
                Ok(end) => end.await.unwrap_or(Err(Error::Cancelled)),
                Err(busy) => Err(busy),
            });
        }
        ended
    }

    fn start(self: &Arc<Self>, name: &str, input: String) -> Result<Receiver<Result<Outcome, Error>>, Error> {
        let (run, name) = (self.clone(), name.to_owned());
        let (tell, told) = oneshot::channel();
        self.executor.submit(move || async move {
            let _ = tell.send(run.command(&name, Vec::new(), input).await);
        })?;
        Ok(told)
    }
}

/// What a command has printed.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl Printed {
    /// A stream that keeps what is written while there is something `left` of the budget.
    fn stream(&self, left: &Arc<Mutex<usize>>) -> Stream {
        let (printed, left) = (self.0.clone(), left.clone());
        Stream::sink(move |bytes| {
            let mut left = left.lock();
            *left = left.saturating_sub(bytes.len());
            match *left {
                0 => Err(std::io::ErrorKind::QuotaExceeded.into()),
                _ => {
                    printed.lock().extend_from_slice(bytes);
                    Ok(())
                }
            }
        })
    }

    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock())
    }
}
