//! Counting what a run holds and does, so that it can be stopped in time.

use crate::{Error, Limits};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Small pieces of work that count as one step.
pub(crate) const WORK_PER_STEP: u64 = 4096;

/// Bytes that are copied in one piece of work.
const BYTES_PER_WORK: usize = 16;

/// What a run has used so far.
pub(crate) struct Meter {
    memory: AtomicUsize,
    /// Steps, in pieces of work.
    work: AtomicU64,
    pipes: AtomicUsize,
    jobs: AtomicUsize,
    limits: Limits,
}

impl Meter {
    pub fn new(limits: Limits) -> Meter {
        Meter {
            memory: AtomicUsize::new(0),
            work: AtomicU64::new(0),
            pipes: AtomicUsize::new(0),
            jobs: AtomicUsize::new(0),
            limits,
        }
    }

    /// One command.
    pub fn step(&self) -> Result<(), Error> {
        self.work(WORK_PER_STEP)
    }

    /// Work that is not a command: a byte looked at, a name read.
    pub fn work(&self, pieces: u64) -> Result<(), Error> {
        let limit = (self.limits.steps as u64).saturating_mul(WORK_PER_STEP);
        match self.work.fetch_add(pieces, Relaxed).saturating_add(pieces) {
            done if done > limit => Err(Error::TooManySteps),
            _ => Ok(()),
        }
    }

    /// Copying bytes.
    pub fn copied(&self, bytes: usize) -> Result<(), Error> {
        self.work((bytes / BYTES_PER_WORK) as u64)
    }

    /// All work so far.
    pub fn done(&self) -> u64 {
        self.work.load(Relaxed)
    }

    pub fn pipes(self: &Arc<Self>, count: usize) -> Result<Held, Error> {
        let held = Held::take(self, |meter| &meter.pipes, count);
        match self.pipes.load(Relaxed) > self.limits.pipes {
            true => Err(Error::TooManyPipes),
            false => Ok(held),
        }
    }

    pub fn job(self: &Arc<Self>) -> Result<Held, Error> {
        let held = Held::take(self, |meter| &meter.jobs, 1);
        match self.jobs.load(Relaxed) > self.limits.jobs {
            true => Err(Error::TooManyJobs),
            false => Ok(held),
        }
    }

    /// Memory, given back when the answer is dropped.
    pub fn memory(self: &Arc<Self>, bytes: usize) -> Result<Held, Error> {
        let mut held = Held::take(self, |meter| &meter.memory, 0);
        held.grow(bytes)?;
        Ok(held)
    }
}

/// A part of what there is, for as long as this lives.
pub(crate) struct Held {
    meter: Arc<Meter>,
    of: fn(&Meter) -> &AtomicUsize,
    count: usize,
}

impl Held {
    fn take(meter: &Arc<Meter>, of: fn(&Meter) -> &AtomicUsize, count: usize) -> Held {
        of(meter).fetch_add(count, Relaxed);
        Held {
            meter: meter.clone(),
            of,
            count,
        }
    }

    /// None of it so far.
    pub fn nothing(meter: &Arc<Meter>) -> Held {
        Held::take(meter, |meter| &meter.memory, 0)
    }

    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Takes over what another holds.
    pub fn absorb(&mut self, mut other: Held) {
        self.count += std::mem::take(&mut other.count);
    }

    /// More memory.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        self.count += bytes;
        let used = (self.of)(&self.meter).fetch_add(bytes, Relaxed) + bytes;
        match used > self.meter.limits.memory {
            true => Err(Error::TooMuchMemory),
            false => Ok(()),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        (self.of)(&self.meter).fetch_sub(self.count, Relaxed);
    }
}
