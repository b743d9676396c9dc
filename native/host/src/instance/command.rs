//! Registered commands: WASI components that `run-command` starts by name.

use super::call::{Dock, until};
use super::grant::Grant;
use super::output::{Channel, Output};
use super::state::{self, State};
use crate::guest::{self, Guest};
use crate::{Cancel, Error, Executor, Limits, Sandbox};
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot::{self, Receiver};
use wasmtime::Store;
use wasmtime_wasi::I32Exit;
use wasmtime_wasi::p2::bindings::CommandPre;
use wasmtime_wasi::p2::pipe::MemoryInputPipe;

/// The exit status that a shell gives for a command it does not have.
const NOT_FOUND: i32 = 127;

/// A command, compiled and linked.
#[derive(Clone)]
pub struct Command(CommandPre<State>);

impl Command {
    /// Compiles a WASI command component. It is given WASI and nothing of the Dock.
    pub fn load(sandbox: &Sandbox, wasm: &[u8]) -> Result<Command, Error> {
        let unfit = |e: wasmtime::Error| Error::Unfit(format!("{e:#}"));
        // The check reads a stranger's bytes within bounds; the compiler would not.
        conformance::imports(wasm)?;
        let (component, _) = sandbox.component(wasm)?;
        let mut linker = wasmtime::component::Linker::new(&sandbox.engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).map_err(unfit)?;
        let instance = linker.instantiate_pre(&component).map_err(unfit)?;
        Ok(Command(CommandPre::new(instance).map_err(unfit)?))
    }
}

/// The commands of a process, by name. Registering a name again swaps it; runs under way finish on the old one.
#[derive(Default)]
pub struct Commands(RwLock<HashMap<String, Command>>);

impl Commands {
    /// Registers a command.
    pub fn register(&self, name: &str, command: Command) {
        self.0.write().insert(name.to_owned(), command);
    }

    /// The names, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.0.read().keys().cloned().collect();
        names.sort();
        names
    }

    fn get(&self, name: &str) -> Option<Command> {
        self.0.read().get(name).cloned()
    }
}

/// How a command ended.
pub(super) struct Outcome {
    pub status: i32,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// What commands may use that run for one guest: what the guest itself has left.
pub(super) struct Run {
    sandbox: Arc<Sandbox>,
    executor: Arc<Executor>,
    commands: Arc<Commands>,
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
        let Some(Command(ready)) = self.commands.get(name) else {
            return Ok(Outcome {
                status: NOT_FOUND,
                stdout: Vec::new(),
                stderr: b"command not found".to_vec(),
            });
        };
        let printed: Arc<Mutex<(Vec<u8>, Vec<u8>)>> = Arc::default();
        let keep = printed.clone();
        let sink = move |channel, bytes: &[u8]| {
            let mut printed = keep.lock();
            match channel {
                Channel::Stdout => printed.0.extend_from_slice(bytes),
                Channel::Stderr => printed.1.extend_from_slice(bytes),
            }
        };
        let (stdout, stderr) = Output::pair(self.output, Some(Arc::new(sink)));
        let mut wasi = state::builder(Grant::default(), stdout, stderr);
        wasi.arg(name).args(&argv).stdin(MemoryInputPipe::new(stdin));

        let state = State::new(Guest::new(self.limits), None, wasi.build());
        let mut store = Store::new(&self.sandbox.engine, state);
        store.limiter(|state| &mut state.guest);
        guest::give_way(&mut store, self.deadline, &self.cancel);
        let ended = until(self.deadline, &self.cancel, self.limits, async {
            let command = ready.instantiate_async(&mut store).await?;
            command.wasi_cli_run().call_run(&mut store).await
        })
        .await?;
        let status = match ended {
            Ok(Ok(())) => 0,
            Ok(Err(())) => 1,
            Err(error) => match error.downcast_ref::<I32Exit>() {
                Some(exit) => exit.0,
                None => return Err(guest::failure(&store.data().guest, error)),
            },
        };
        drop(store);
        let (stdout, stderr) = std::mem::take(&mut *printed.lock());
        Ok(Outcome { status, stdout, stderr })
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
