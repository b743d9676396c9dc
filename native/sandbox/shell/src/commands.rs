//! The commands of one run, as the language asks for them.

use cap_std::fs::Dir;
use fence::Fence;
use futures_util::future::BoxFuture;
use host::{Cancel, Error, Found, Launch, Limits, Registry, RegistryError, Sandbox, Spawn, Spawning};
use pipe::Stream;
use shell_exec::{Ended, Nested, Start};
use std::sync::Arc;
use std::time::Instant;
use tokio::task::spawn_blocking;

/// What a process that aborts, and one that is out of memory, would have as its status.
const ABORTED: u8 = 128 + 6;
const KILLED: u8 = 128 + 9;
/// There is such a command, and it cannot be started.
const NOT_EXECUTABLE: u8 = 126;

/// What every command of a run shares.
#[derive(Clone)]
pub(crate) struct Commands {
    pub sandbox: Arc<Sandbox>,
    pub registry: Arc<Registry>,
    pub root: Arc<Dir>,
    pub tmp: Option<Arc<Dir>>,
    pub fence: Option<Arc<Fence>>,
    pub limits: Limits,
    pub deadline: Instant,
    pub cancel: Cancel,
}

impl shell_exec::Commands for Commands {
    fn has(&self, name: &str) -> bool {
        self.registry.has(name)
    }

    fn run(&self, start: Start) -> BoxFuture<'static, Ended> {
        let run = self.clone();
        Box::pin(async move {
            match run.found(&start.name).await {
                Ok(Some(found)) => run.launch(found, start).await,
                // It was there when the shell looked.
                Ok(None) => failed(NOT_EXECUTABLE, "it was unregistered".into()),
                Err(error) => failed(NOT_EXECUTABLE, error.to_string()),
            }
        })
    }
}

impl Commands {
    /// The command, loaded on a thread that can wait when it is not at hand.
    async fn found(&self, name: &str) -> Result<Option<Found>, RegistryError> {
        if let Some(found) = self.registry.at_hand(name) {
            return Ok(Some(found));
        }
        let (registry, sandbox, name) = (self.registry.clone(), self.sandbox.clone(), name.to_owned());
        match spawn_blocking(move || registry.load(&sandbox, &name)).await {
            Ok(loaded) => loaded,
            Err(panic) => Err(Error::Trap(panic.to_string()).into()),
        }
    }

    async fn launch(self, found: Found, start: Start) -> Ended {
        // Nobody else sets it.
        let _ = start.module.set(found.command.sha256());
        let mut env = start.env;
        // WASI knows no working directory: commands go to `PWD` by themselves.
        env.retain(|(name, _)| name != b"PWD");
        env.push((b"PWD".to_vec(), start.cwd.into_bytes()));
        let launch = Launch {
            shown: Vec::new(),
            argv: start.argv,
            env,
            root: Some(self.root.clone()),
            tmp: self.tmp.clone(),
            fence: self.fence.clone(),
            streams: [start.stdin, start.stdout, start.stderr],
            descriptors: start.descriptors,
            umask: start.umask,
            written: Some(start.written),
            limits: self.limits,
            deadline: self.deadline,
            cancel: self.cancel.clone(),
            spawn: Some(Arc::new(Nest(start.nested))),
        };
        match found.launch(&self.sandbox, launch).await {
            Ok(status) => Ended::Status(status),
            // The whole run is over, and whoever runs it says so.
            Err(Error::Deadline(_) | Error::Cancelled) => std::future::pending().await,
            Err(error @ Error::Memory(_)) => failed(KILLED, error.to_string()),
            Err(error) => failed(ABORTED, error.to_string()),
        }
    }
}

fn failed(status: u8, why: String) -> Ended {
    Ended::Failed { status, why }
}

/// Starts commands for commands, through the shell.
struct Nest(Nested);

impl Spawn for Nest {
    fn spawn(
        &self,
        argv: Vec<Vec<u8>>,
        env: Option<Vec<(Vec<u8>, Vec<u8>)>>,
        cwd: Option<String>,
        [stdin, stdout, stderr]: [Stream; 3],
    ) -> Spawning {
        self.0.run(argv, env, cwd, stdin, stdout, stderr)
    }
}
