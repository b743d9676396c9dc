//! What one guest may use, and how its end is told.

use crate::{Cancel, Error, MAX_INSTANCES, Sandbox};
use std::time::{Duration, Instant};
use wasmtime::{PoolConcurrencyLimitError, ResourceLimiter, Store, Trap, UpdateDeadline};
use wasmtime_wasi::I32Exit;

/// What one call may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory, all memories together.
    pub memory: usize,
    /// Wall time.
    pub time: Duration,
}

/// The state beside a guest. It counts memory.
pub(crate) struct Guest {
    limits: Limits,
    memory: usize,
    refused: bool,
}

impl Guest {
    pub(crate) fn new(limits: Limits) -> Guest {
        Guest {
            limits,
            memory: 0,
            refused: false,
        }
    }
}

/// Why the clock stopped a guest.
#[derive(Debug, Clone, Copy, thiserror::Error)]
enum Stopped {
    #[error("deadline")]
    Deadline,
    #[error("cancelled")]
    Cancelled,
}

/// A store for one call. The guest looks at the wall clock and at `cancel` at every tick.
pub(crate) fn store(sandbox: &Sandbox, limits: Limits, cancel: &Cancel) -> Store<Guest> {
    let mut store = Store::new(&sandbox.engine, Guest::new(limits));
    store.limiter(|guest| guest);
    let deadline = Instant::now() + limits.time;
    at_every_tick(&mut store, deadline, cancel, UpdateDeadline::Continue);
    store
}

/// More time for a guest that is called again.
pub(crate) fn renew(store: &mut Store<Guest>, limits: Limits, cancel: &Cancel) {
    at_every_tick(store, Instant::now() + limits.time, cancel, UpdateDeadline::Continue);
}

/// For a guest that shares its thread: at every tick it looks at the clock, and then lets the others run.
pub(crate) fn give_way<T: 'static>(store: &mut Store<T>, deadline: Instant, cancel: &Cancel) {
    at_every_tick(store, deadline, cancel, UpdateDeadline::Yield);
}

fn at_every_tick<T: 'static>(
    store: &mut Store<T>,
    deadline: Instant,
    cancel: &Cancel,
    go_on: fn(u64) -> UpdateDeadline,
) {
    let cancel = cancel.clone();
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |_| {
        if cancel.is_cancelled() {
            Err(Stopped::Cancelled.into())
        } else if Instant::now() >= deadline {
            Err(Stopped::Deadline.into())
        } else {
            Ok(go_on(1))
        }
    });
}

/// What a failed call means. A guest that was refused memory usually aborts, which alone would look like a panic.
pub(crate) fn failure(guest: &Guest, error: wasmtime::Error) -> Error {
    match error.downcast_ref::<Stopped>() {
        Some(Stopped::Deadline) => Error::Deadline(guest.limits.time),
        Some(Stopped::Cancelled) => Error::Cancelled,
        None if error.is::<PoolConcurrencyLimitError>() => Error::Busy(MAX_INSTANCES as usize),
        None if guest.refused => Error::Memory(guest.limits.memory),
        None => match (error.downcast_ref::<Trap>(), error.downcast_ref::<I32Exit>()) {
            (Some(trap), _) => Error::Trap(trap.to_string()),
            (None, Some(exit)) => Error::Exited(exit.0, None),
            (None, None) => Error::Trap(error.root_cause().to_string()),
        },
    }
}

impl ResourceLimiter for Guest {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let total = self.memory - current.min(self.memory) + desired;
        self.refused = total > self.limits.memory;
        if !self.refused {
            self.memory = total;
        }
        Ok(!self.refused)
    }

    fn table_growing(&mut self, _: usize, _: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        // The pool bounds tables for everybody.
        Ok(true)
    }
}
