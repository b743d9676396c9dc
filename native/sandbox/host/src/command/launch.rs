//! What a command is started with.

use super::load::{Command, Kind};
use super::{module, stdio};
use crate::guest::{self, Guest};
use crate::instance::{Grant, State, wasi_context};
use crate::{Cancel, Error, Limits, Sandbox};
use cap_std::fs::Dir;
use fence::Fence;
use pipe::Stream;
use std::os::fd::AsRawFd;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;
use wasmtime::Store;
use wasmtime_wasi::{FsPerms, I32Exit, WasiCtxBuilder};

/// A status that is on its way.
pub type Spawning = Pin<Box<dyn Future<Output = u8> + Send>>;

/// Starts a command for a command: what `xargs`, `find -exec` and `env` need.
pub trait Spawn: Send + Sync {
    /// Runs `argv` to its end and answers its status.
    fn spawn(
        &self,
        argv: Vec<Vec<u8>>,
        env: Option<Vec<(Vec<u8>, Vec<u8>)>>,
        cwd: Option<String>,
        streams: [Stream; 3],
    ) -> Spawning;
}

/// Everything that one run of a command needs.
pub struct Launch {
    /// The arguments; the first is the name it was called by.
    pub argv: Vec<Vec<u8>>,
    /// The environment. `PWD` is where the command starts.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// Its `/`, and the only directory there is but for those it is shown.
    pub root: Option<Arc<Dir>>,
    /// Its `/tmp`, unless that is a directory of the root.
    pub tmp: Option<Arc<Dir>>,
    /// Asked before a file is changed, and told of what is read.
    pub fence: Option<Arc<Fence>>,
    /// More directories, by their paths. It can read them and no more.
    pub shown: Vec<(String, Arc<Dir>)>,
    /// Standard input, output and error.
    pub streams: [Stream; 3],
    /// Further streams by number, which it opens as `/dev/fd/N`.
    pub descriptors: Vec<(usize, Stream)>,
    /// The permission bits that files and directories it makes do not have.
    pub umask: u32,
    /// What it may still write to files; without one there is no bound.
    pub written: Option<Arc<pipe::Budget>>,
    /// What it may use.
    pub limits: Limits,
    /// When it has to be over.
    pub deadline: Instant,
    /// Stops it.
    pub cancel: Cancel,
    /// Who starts commands for it; without one it can start none.
    pub spawn: Option<Arc<dyn Spawn>>,
}

impl Command {
    /// Runs the command to its end. A broken pipe ends it with 141, as a signal would. Whoever drops the future stops it.
    ///
    /// # Errors
    ///
    /// Whatever ended the command before it could say its status; see [`Error`].
    pub async fn launch(&self, sandbox: &Sandbox, mut launch: Launch) -> Result<u8, Error> {
        if let Some(packaged) = &self.packaged {
            let own = std::mem::take(&mut launch.argv).into_iter().skip(1);
            launch.argv = packaged.iter().cloned().chain(own).collect();
        }
        let _running = sandbox.clock.run();
        match &self.kind {
            Kind::Module(ready) => module::run(ready, sandbox, launch).await,
            Kind::Component(ready) => {
                let mut wasi = wasi_context(Grant::default());
                stdio::connect(&mut wasi, &launch.streams);
                for word in &launch.argv {
                    wasi.arg(String::from_utf8_lossy(word));
                }
                for (name, value) in &launch.env {
                    wasi.env(String::from_utf8_lossy(name), String::from_utf8_lossy(value));
                }
                preopen(&mut wasi, &launch)?;
                let mut state = State::new(Guest::new(launch.limits), wasi.build());
                state.fence = launch.fence;
                let mut store = Store::new(&sandbox.engine, state);
                store.limiter(|state| &mut state.guest);
                guest::give_way(&mut store, launch.deadline, &launch.cancel);
                let ended = async {
                    let command = ready.instantiate_async(&mut store).await?;
                    command.wasi_cli_run().call_run(&mut store).await
                };
                match ended.await {
                    Ok(Ok(())) => Ok(0),
                    Ok(Err(())) => Ok(1),
                    Err(error) => match error.downcast_ref::<I32Exit>() {
                        Some(exit) => Ok(exit.0 as u8),
                        None => Err(guest::failure(&store.data().guest, error)),
                    },
                }
            }
        }
    }
}

/// Opens the directories to the guest. They are those that are open already, whatever their names mean by now.
pub(super) fn preopen(wasi: &mut WasiCtxBuilder, launch: &Launch) -> Result<(), Error> {
    let root = launch.root.iter().map(|dir| (&**dir, "/", FsPerms::ReadWrite));
    let tmp = launch.tmp.iter().map(|dir| (&**dir, "/tmp", FsPerms::ReadWrite));
    let shown = launch
        .shown
        .iter()
        .map(|(path, dir)| (&**dir, path.as_str(), FsPerms::ReadOnly));
    for (dir, path, permissions) in root.chain(tmp).chain(shown) {
        let open = format!("/proc/self/fd/{}", dir.as_raw_fd());
        wasi.preopened_dir(open, path, permissions)
            .map_err(|e| Error::Engine(format!("{e:#}")))?;
    }
    Ok(())
}
