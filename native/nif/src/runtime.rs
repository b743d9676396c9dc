//! What every call needs: the threads, and the engine behind them.

use crate::failure::Failure;
use host::{Executor, Programs, Registry, Sandbox, Workers};
use lanes::Lanes;
use rustler::{Env, NifMap, NifResult, Resource, ResourceArc, Term};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Guests that the guest threads hold at once, together. The engine has room for more: the rest is for the kernel and
/// for the commands that guests start.
const GUESTS: usize = 1_000;

/// Held by the BEAM; when the last reference is collected the threads end.
pub(crate) struct Runtime {
    /// For what blocks.
    pub(crate) workers: Workers,
    /// For guests that may wait in a host call.
    pub(crate) executor: Arc<Executor>,
    pub(crate) programs: Programs,
    cache: PathBuf,
    sandbox: OnceLock<Result<Arc<Sandbox>, String>>,
    /// Where the batteries lie, and where registered commands are kept.
    commands: (PathBuf, PathBuf),
    registry: OnceLock<Result<Arc<Registry>, String>>,
    /// Where the compilers lie; what they build is kept beside the compiled code.
    tools: PathBuf,
    lanes: OnceLock<Arc<Lanes>>,
}

#[rustler::resource_impl]
impl Resource for Runtime {}

impl Runtime {
    /// The engine, started by the first job that needs it: that takes longer than a NIF may.
    pub(crate) fn sandbox(&self) -> Result<Arc<Sandbox>, Failure> {
        self.sandbox
            .get_or_init(|| Sandbox::new(&self.cache).map(Arc::new).map_err(|e| e.to_string()))
            .clone()
            .map_err(|e| host::Error::Engine(e).into())
    }

    /// The commands.
    pub(crate) fn registry(&self) -> Result<Arc<Registry>, Failure> {
        let (batteries, dir) = &self.commands;
        self.registry
            .get_or_init(|| Registry::open(batteries, dir).map(Arc::new).map_err(|e| e.to_string()))
            .clone()
            .map_err(|e| host::Error::Engine(e).into())
    }

    /// The build lanes.
    pub(crate) fn lanes(&self) -> Result<Arc<Lanes>, Failure> {
        if let Some(lanes) = self.lanes.get() {
            return Ok(lanes.clone());
        }
        let opened = Arc::new(Lanes::open(&self.tools, &self.cache.join("builds"), self.sandbox()?)?);
        Ok(self.lanes.get_or_init(|| opened).clone())
    }
}

/// What `Workbooks.Kernel` starts with.
#[derive(NifMap)]
#[rustler(decode)]
struct Order {
    workers: usize,
    queue: usize,
    cache: String,
    guest_threads: usize,
    batteries: String,
    registry: String,
    lanes: String,
}

/// Starts `workers` threads for what blocks and `guest_threads` for guests, each kind with room for `queue` waiting
/// jobs. Compiled code is kept in `cache`; the batteries lie in `batteries`, registered commands are kept in `registry`, the
/// compilers of the build lanes lie in `lanes`.
#[rustler::nif]
fn runtime_start<'a>(env: Env<'a>, order: Order) -> NifResult<Term<'a>> {
    let Order {
        workers,
        queue,
        cache,
        guest_threads,
        batteries,
        registry,
        lanes,
    } = order;
    let failed = |e: std::io::Error| rustler::Error::Term(Box::new(e.to_string()));
    let runtime = Runtime {
        workers: Workers::start(workers, queue).map_err(failed)?,
        executor: Arc::new(Executor::start(guest_threads, GUESTS, queue).map_err(failed)?),
        programs: Programs::default(),
        cache: cache.into(),
        sandbox: OnceLock::new(),
        commands: (batteries.into(), registry.into()),
        registry: OnceLock::new(),
        tools: lanes.into(),
        lanes: OnceLock::new(),
    };
    Ok(rustler::Encoder::encode(&ResourceArc::new(runtime), env))
}
