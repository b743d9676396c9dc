//! What all shells of one run share.

use crate::meter::{Held, Meter};
use crate::process::Processes;
use crate::tasks::Tasks;
use crate::{Commands, Error, Limits, Stage};
use cap_std::fs::Dir;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

pub(crate) struct World {
    pub root: Arc<Dir>,
    commands: Arc<dyn Commands>,
    allow: Option<HashSet<String>>,
    pub limits: Limits,
    pub meter: Arc<Meter>,
    pub tasks: Tasks,
    pub processes: Processes,
    record: Mutex<Record>,
    next_pid: AtomicU32,
}

/// What the run reports.
#[derive(Default)]
struct Record {
    missing: Vec<String>,
    /// The same, to look up, and the memory they take.
    known: HashMap<String, Held>,
    stages: Vec<Running>,
    moments: usize,
}

struct Running {
    stage: Stage,
    module: Arc<OnceLock<[u8; 32]>>,
}

/// The shell's own number, made up: there are no processes.
pub(crate) const FIRST_PID: u32 = 1000;

impl World {
    pub fn new(
        root: Arc<Dir>,
        commands: Arc<dyn Commands>,
        allow: Option<HashSet<String>>,
        limits: Limits,
    ) -> Arc<World> {
        Arc::new(World {
            root,
            commands,
            allow,
            limits,
            meter: Arc::new(Meter::new(limits)),
            tasks: Tasks::default(),
            processes: Processes::default(),
            record: Mutex::default(),
            next_pid: AtomicU32::new(FIRST_PID),
        })
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

    /// What was missing, and what ran.
    pub fn report(&self) -> (Vec<String>, Vec<Stage>) {
        let record = std::mem::take(&mut *self.record.lock());
        let stages = record.stages.into_iter().map(|running| Stage {
            module: running.module.get().copied(),
            ..running.stage
        });
        (record.missing, stages.collect())
    }
}
