//! A core module as a process.

use super::devices::Devices;
use super::launch::{Launch, Spawn, preopen};
use super::wasi::handles::Handles;
use crate::guest::{self, Guest};
use crate::{Error, Sandbox};
use cap_std::fs::Dir;
use fence::Fence;
use pipe::Stream;
use std::sync::Arc;
use std::time::Instant;
use wasmtime::{InstancePre, Memory, Store};
use wasmtime_wasi::WasiCtx;
use wasmtime_wasi::p1::WasiP1Ctx;

/// What a shell reports for a process that a broken pipe ended.
pub(super) const BROKEN_PIPE: u8 = 128 + 13;

/// The data of a module's store.
pub(crate) struct Process {
    pub(super) guest: Guest,
    /// Files, clocks and random numbers.
    pub(super) wasi: WasiP1Ctx,
    /// Set between instantiation and start.
    pub(super) memory: Option<Memory>,
    pub(super) argv: Vec<Vec<u8>>,
    /// `NAME=value` each.
    pub(super) env: Vec<Vec<u8>>,
    pub(super) devices: Devices,
    /// The permission bits that what it makes does not have.
    pub(super) umask: u32,
    /// What it may still write to files.
    pub(super) written: Option<Arc<pipe::Budget>>,
    /// Its `/`.
    pub(super) root: Option<Arc<Dir>>,
    /// Its `/tmp`, unless that is a directory of the root.
    pub(super) tmp: Option<Arc<Dir>>,
    pub(super) fence: Option<Arc<Fence>>,
    pub(super) handles: Handles,
    pub(super) spawn: Option<Arc<dyn Spawn>>,
    /// Where its monotonic clock begins.
    pub(super) started: Instant,
}

/// How a process ends by itself: as an error, for it has to get past the guest's frames.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("exit status {0}")]
pub(super) struct Exit(pub u8);

pub(super) async fn run(ready: &InstancePre<Process>, sandbox: &Sandbox, launch: Launch) -> Result<u8, Error> {
    let mut wasi = WasiCtx::builder();
    wasi.allow_blocking_current_thread(true)
        .allow_tcp(false)
        .allow_udp(false);
    preopen(&mut wasi, &launch)?;
    let process = Process {
        guest: Guest::new(launch.limits),
        wasi: wasi.build_p1(),
        memory: None,
        argv: launch.argv,
        env: launch
            .env
            .into_iter()
            .map(|(name, value)| [name, value].join(&b'='))
            .collect(),
        devices: Devices::new(launch.streams, launch.descriptors),
        umask: launch.umask,
        written: launch.written,
        root: launch.root,
        tmp: launch.tmp,
        fence: launch.fence,
        handles: Handles::default(),
        spawn: launch.spawn,
        started: Instant::now(),
    };
    let mut store = Store::new(&sandbox.engine, process);
    store.limiter(|process| &mut process.guest);
    guest::give_way(&mut store, launch.deadline, &launch.cancel);
    let ended = async {
        let instance = ready.instantiate_async(&mut store).await?;
        store.data_mut().memory = instance.get_memory(&mut store, "memory");
        let start = instance.get_typed_func::<(), ()>(&mut store, "_start")?;
        start.call_async(&mut store, ()).await
    };
    match ended.await {
        Ok(()) => Ok(0),
        Err(error) => match error.downcast_ref::<Exit>() {
            Some(Exit(status)) => Ok(*status),
            None => Err(guest::failure(&store.data().guest, error)),
        },
    }
}

impl Process {
    /// The streams as they are now, for a command that this one starts.
    pub(super) fn streams(&self) -> [Stream; 3] {
        [0, 1, 2].map(|fd| self.devices.get(fd).unwrap_or_else(Stream::null))
    }
}
