//! What every call needs: the threads, and the engine behind them.

use crate::engine::{Settings, settle};
use crate::failure::Failure;
use ::engine::Engine;
use host::{Executor, Programs, Registry, Sandbox, Workers};
use lanes::Lanes;
use rustler::{Env, NifMap, NifResult, Resource, ResourceArc, Term};
use std::sync::Arc;

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
    pub(crate) engine: Arc<Engine>,
}

#[rustler::resource_impl]
impl Resource for Runtime {}

impl Runtime {
    /// The sandbox, started by the first job that needs it: that takes longer than a NIF may.
    pub(crate) fn sandbox(&self) -> Result<Arc<Sandbox>, Failure> {
        Ok(self.engine.sandbox()?)
    }

    /// The commands.
    pub(crate) fn registry(&self) -> Result<Arc<Registry>, Failure> {
        Ok(self.engine.registry()?)
    }

    /// The build lanes.
    pub(crate) fn lanes(&self) -> Result<Arc<Lanes>, Failure> {
        Ok(self.engine.lanes()?)
    }
}

/// What `Workbooks.Kernel` starts with.
#[derive(NifMap)]
#[rustler(decode)]
struct Order<'a> {
    workers: usize,
    queue: usize,
    guest_threads: usize,
    engine: Settings<'a>,
}

/// Starts `workers` threads for what blocks and `guest_threads` for guests, each kind with room for `queue` waiting
/// jobs, and puts the engine together behind them.
#[rustler::nif]
fn runtime_start<'a>(env: Env<'a>, order: Order<'a>) -> NifResult<Term<'a>> {
    let failed = |e: std::io::Error| rustler::Error::Term(Box::new(e.to_string()));
    let runtime = Runtime {
        workers: Workers::start(order.workers, order.queue).map_err(failed)?,
        executor: Arc::new(Executor::start(order.guest_threads, GUESTS, order.queue).map_err(failed)?),
        programs: Programs::default(),
        engine: Arc::new(settle(order.engine)?),
    };
    Ok(rustler::Encoder::encode(&ResourceArc::new(runtime), env))
}
