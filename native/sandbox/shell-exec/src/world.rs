//! What all shells of one run share.

use crate::meter::{Held, Meter};
use crate::process::{Process, Processes};
use crate::tasks::Tasks;
use crate::{Broken, Commands, Error, Limits, Outcome, Stage};
use cap_std::fs::Dir;
use fence::Fence;
use parking_lot::Mutex;
use pipe::Budget;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

pub(crate) struct World {
    pub root: Arc<Dir>,
    pub tmp: Option<Arc<Dir>>,
    pub fence: Option<Arc<Fence>>,
    /// The run is a check: see [`Seal`](crate::Seal).
    pub sealed: bool,
    commands: Arc<dyn Commands>,
    allow: Option<HashSet<String>>,
    pub limits: Limits,
    pub meter: Arc<Meter>,
    /// What may still be written to files.
    pub written: Arc<Budget>,
    pub tasks: Tasks,
    pub processes: Processes,
    /// Commands that others write to by `>(..)`, which may still have something to say at the end.
    pub readers: Mutex<Vec<Arc<Process>>>,
    record: Mutex<Record>,
    next_pid: AtomicU32,
    /// A command was run, be it a builtin.
    ran: AtomicBool,
}

/// What a run is given besides its script.
pub(crate) struct Given {
    pub root: Arc<Dir>,
    pub tmp: Option<Arc<Dir>>,
    pub fence: Option<Arc<Fence>>,
    pub sealed: bool,
    pub commands: Arc<dyn Commands>,
    pub allow: Option<HashSet<String>>,
    pub limits: Limits,
}

/// What the run reports.
#[derive(Default)]
struct Record {
    missing: Vec<String>,
    /// The same, to look up, and the memory they take.
    known: HashMap<String, Held>,
    stages: Vec<Running>,
    broken: Vec<Broken>,
    moments: usize,
}

struct Running {
    stage: Stage,
    module: Arc<OnceLock<[u8; 32]>>,
}

/// The commands that are remembered for having broken.
const MOST_BROKEN: usize = 16;

/// The shell's own number, made up: there are no processes.
pub(crate) const FIRST_PID: u32 = 1000;

impl World {
    pub fn new(given: Given) -> Arc<World> {
        Arc::new(World {
            root: given.root,
            tmp: given.tmp,
            fence: given.fence,
            sealed: given.sealed,
            commands: given.commands,
            allow: given.allow,
            limits: given.limits,
            meter: Arc::new(Meter::new(given.limits)),
            written: Arc::new(Budget::new(given.limits.written)),
            tasks: Tasks::default(),
            processes: Processes::default(),
            readers: Mutex::default(),
            record: Mutex::default(),
            next_pid: AtomicU32::new(FIRST_PID),
            ran: AtomicBool::new(false),
        })
    }

    /// Waits for the commands behind `>(..)`.
    pub async fn substitutions_end(&self) {
        let readers = std::mem::take(&mut *self.readers.lock());
        for reader in readers {
            std::future::poll_fn(|cx| reader.poll_ended(cx)).await;
        }
    }

    /// Counts a command, of whatever kind.
    pub fn step(&self) -> Result<(), Error> {
        self.meter.step()
    }

    /// Notes that a command with a name is about to run. Assignments, redirections and words that expand to nothing are
    /// none: a script of those alone has done nothing.
    pub fn called(&self) {
        self.ran.store(true, Relaxed);
    }

    /// Whether more was written than may be: that ends the run.
    pub fn check_written(&self) -> Result<(), Error> {
        match self.written.exceeded() {
            true => Err(Error::TooMuchWritten),
            false => Ok(()),
        }
    }

    pub fn next_pid(&self) -> u32 {
        self.next_pid.fetch_add(1, Relaxed)
    }

    /// The port, if it has this command and the run may use it.
    pub fn command(&self, name: &str) -> Option<&Arc<dyn Commands>> {
        let allowed = self.allow.as_ref().is_none_or(|allow| allow.contains(name));
        (allowed && self.commands.has(name)).then_some(&self.commands)
    }

    pub fn missed(&self, name: &str) -> Result<(), Error> {
        let mut record = self.record.lock();
        if !record.known.contains_key(name) {
            let held = self.meter.memory(2 * name.len() + 128)?;
            record.known.insert(name.to_owned(), held);
            record.missing.push(name.to_owned());
        }
        Ok(())
    }

    /// Notes that a command starts; the answer is for [`World::ended`].
    pub fn started(&self, name: &str, module: Arc<OnceLock<[u8; 32]>>) -> usize {
        let mut record = self.record.lock();
        record.moments += 1;
        let stage = Stage {
            name: name.to_owned(),
            status: None,
            started: record.moments,
            ended: None,
            module: None,
        };
        record.stages.push(Running { stage, module });
        record.stages.len() - 1
    }

    pub fn ended(&self, index: usize, status: u8) {
        let mut record = self.record.lock();
        record.moments += 1;
        let moment = record.moments;
        let stage = &mut record.stages[index].stage;
        stage.status = Some(status);
        stage.ended = Some(moment);
    }

    /// Notes that a command was cut off by itself: by a trap, or by a limit of its own.
    pub fn broke(&self, name: &str, why: &str) {
        let (name, why) = (name.to_owned(), why.to_owned());
        let mut record = self.record.lock();
        // The first ones say enough.
        if record.broken.len() < MOST_BROKEN {
            record.broken.push(Broken { name, why });
        }
    }

    /// What became of the run.
    pub fn report(&self, status: u8) -> Outcome {
        let record = std::mem::take(&mut *self.record.lock());
        let stages = record.stages.into_iter().map(|running| Stage {
            module: running.module.get().copied(),
            ..running.stage
        });
        Outcome {
            status,
            missing: record.missing,
            stages: stages.collect(),
            broken: record.broken,
            ran: self.ran.load(Relaxed),
        }
    }
}
