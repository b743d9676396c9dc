//! The clock that interrupts guests.
//!
//! It is an OS thread of its own: a ticker that shares threads with guests starves as soon as they spin. It ticks only
//! while a guest runs. It lingers a little before it goes to sleep, so that calls that follow one another do not pay
//! for waking it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread::{self, Thread};
use std::time::Duration;
use wasmtime::Engine;

/// The time between two ticks, and so how late a deadline or a cancellation can be noticed.
const TICK: Duration = Duration::from_millis(2);
/// Ticks without a guest before the clock sleeps.
const LINGER: u32 = 50;

/// The running clock; it stops when this is dropped.
pub(crate) struct Clock {
    shared: Arc<Shared>,
    thread: Thread,
}

#[derive(Default)]
struct Shared {
    guests: AtomicUsize,
    asleep: AtomicBool,
    stopped: AtomicBool,
}

/// While this lives the clock ticks.
pub(crate) struct Running<'a>(&'a Shared);

impl Clock {
    pub(crate) fn start(engine: &Engine) -> std::io::Result<Clock> {
        let shared = Arc::new(Shared::default());
        let handle = thread::Builder::new().name("workbooks-epoch".into()).spawn({
            let (shared, engine) = (shared.clone(), engine.clone());
            move || shared.tick(&engine)
        })?;
        Ok(Clock {
            thread: handle.thread().clone(),
            shared,
        })
    }

    pub(crate) fn run(&self) -> Running<'_> {
        self.shared.guests.fetch_add(1, SeqCst);
        if self.shared.asleep.load(SeqCst) {
            self.thread.unpark();
        }
        Running(&self.shared)
    }
}

impl Shared {
    fn tick(&self, engine: &Engine) {
        let mut idle = 0;
        while !self.stopped.load(SeqCst) {
            idle = if self.guests.load(SeqCst) == 0 { idle + 1 } else { 0 };
            if idle > LINGER {
                self.sleep();
                idle = 0;
            }
            thread::sleep(TICK);
            engine.increment_epoch();
        }
    }

    /// Says "asleep" before it looks at the guests a last time: a guest that starts in between sees the word and wakes us.
    fn sleep(&self) {
        self.asleep.store(true, SeqCst);
        while self.guests.load(SeqCst) == 0 && !self.stopped.load(SeqCst) {
            thread::park();
        }
        self.asleep.store(false, SeqCst);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.guests.fetch_sub(1, SeqCst);
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.shared.stopped.store(true, SeqCst);
        self.thread.unpark();
    }
}
