//! A run that is being recorded.

use crate::copies::{self, LogCopy, Places};
use crate::database::Database;
use crate::lock::Lock;
use crate::log::{Log, Mark};
use crate::pace::Pace;
use crate::plan::Plan;
use crate::record::{Record, object};
use crate::{Error, Exchanged, exchange_at, fault};
use ledger::Signer;
use oql::HeadlineState;
use parking_lot::{Condvar, Mutex};
use serde_json::json;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Rows of steps wait for a verdict to take them along, but not more of them than this, and not longer.
const MOST_WAITING: usize = 256;
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The right to record a run of a plan. It ends with [`Run::close`], when it is dropped, or with the process.
pub struct Run {
    pub(crate) shared: Arc<Shared>,
    pub(crate) plan: PathBuf,
    pub(crate) found: Vec<String>,
}

pub(crate) struct Shared {
    /// `None` when the run is closed.
    pub recorder: Mutex<Option<Recorder>>,
    pub closed: Condvar,
}

pub(crate) struct Recorder {
    pub run_id: String,
    pub places: Places,
    pub log: Log,
    pub database: Database,
    pub signer: Option<Signer>,
    pub plan: Plan,
    /// Records whose rows are not in the database yet, with their line numbers.
    pub waiting: VecDeque<(u64, Record)>,
    pub saved: Instant,
    pub log_pace: Pace,
    pub database_pace: Pace,
    pub copy: LogCopy,
    /// Whether the copies lack something.
    pub log_unpublished: bool,
    pub database_unpublished: bool,
    pub publisher: bool,
    pub ts: i64,
    /// What went wrong behind the caller's back.
    pub warnings: Vec<String>,
    // Last, so that everything else is closed when somebody else may begin.
    pub _lock: Lock,
}

impl Run {
    /// The plan's one true path: links resolved when the run began.
    pub fn plan(&self) -> &Path {
        &self.plan
    }

    /// What opening found wrong, such as acknowledged lines that are gone.
    pub fn found(&self) -> &[String] {
        &self.found
    }

    /// Records a step: a JSON object with `ts`, and `step`, `tool`, `exit_code`, `error`, `dur_ms` where they are known.
    /// Further fields go into the log.
    ///
    /// It survives the end of the process at once, and the power going off with the next verdict.
    pub fn step(&self, json: &str) -> Result<(), Error> {
        let (record, object) = Record::read("step", json)?;
        self.with(|recorder| {
            recorder.note(record, &object)?;
            recorder.write();
            if recorder.waiting.len() >= MOST_WAITING || recorder.saved.elapsed() > LONGEST_WAIT {
                recorder.save();
            }
            Ok(())
        })
    }

    /// Records a verdict: a JSON object with `task_id`, `state` and `ts`, and `idx`, `title`, `output`, `reason`, `how`
    /// where they are known.
    ///
    /// When it returns, the verdict is on the disk, unless a warning says otherwise; what could not be written is tried
    /// again with the next.
    pub fn verdict(&self, json: &str) -> Result<Vec<String>, Error> {
        self.verdicts(&[json])
    }

    /// Records several verdicts at the cost of one.
    pub fn verdicts(&self, verdicts: &[&str]) -> Result<Vec<String>, Error> {
        let read = |json: &&str| Record::read("verdict", json);
        let records = verdicts.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        self.with(|recorder| {
            for (record, object) in records {
                recorder.note(record, &object)?;
            }
            recorder.save();
            recorder.log_unpublished = true;
            recorder.database_unpublished = true;
            recorder.publish_what_is_due(&self.shared);
            Ok(std::mem::take(&mut recorder.warnings))
        })
    }

    /// The text of the plan if somebody else changed it since the run last read or wrote it, else `None`.
    pub fn edited(&self) -> Result<Option<String>, Error> {
        self.with(|recorder| Ok(recorder.plan.edited(&self.plan)?.map(str::to_owned)))
    }

    /// Writes states into the plan, each a task's id and its keyword, if the plan's text is the one that the run last
    /// read or wrote. Otherwise the plan stays as it is, and its text is the one that the run goes on with.
    ///
    /// ```
    /// # use history::{Exchanged, Home, Run};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let plan = dir.path().join("plan.org");
    /// std::fs::write(&plan, "* TODO Ship [0/1]\n** TODO Test\n").unwrap();
    /// # let home = Home::open(&dir.path().join("history"))?;
    /// let run = Run::open(&home, &plan, "run-1", 1)?;
    /// assert_eq!(run.states(&[("test", "DONE")], 2)?, Exchanged::Swapped);
    /// assert_eq!(std::fs::read_to_string(&plan).unwrap(), "* TODO Ship [1/1]\n** DONE Test\n");
    /// # Ok::<(), history::Error>(())
    /// ```
    pub fn states(&self, states: &[(&str, &str)], ts: i64) -> Result<Exchanged, Error> {
        self.with(|recorder| {
            let written = recorder.plan.set(&self.plan, states)?;
            recorder.note_written(&written, ts)
        })
    }

    /// What the headline of a task says now, and those above it: whatever a change of its state can change.
    ///
    /// ```
    /// # use history::{Home, Run};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let plan = dir.path().join("plan.org");
    /// std::fs::write(&plan, "* TODO Ship [0/2]\n** TODO Test\n** TODO Tag\n").unwrap();
    /// # let home = Home::open(&dir.path().join("history"))?;
    /// let run = Run::open(&home, &plan, "run-1", 1)?;
    /// run.states(&[("test", "DONE")], 2)?;
    /// let [test, ship] = &run.line("test")?[..] else { panic!() };
    /// assert_eq!((test.keyword.as_deref(), &ship.cookies[..]), (Some("DONE"), &["[1/2]".to_owned()][..]));
    /// # Ok::<(), history::Error>(())
    /// ```
    pub fn line(&self, id: &str) -> Result<Vec<HeadlineState>, Error> {
        self.with(|recorder| recorder.plan.line(&self.plan, id))
    }

    /// Makes `new` the text of the plan, if `expected` is its text now.
    pub fn exchange(&self, expected: &[u8], new: &[u8]) -> Result<Exchanged, Error> {
        self.with(|recorder| {
            let ts = recorder.ts;
            recorder.note_written(&exchange_at(&self.plan, expected, new)?, ts)
        })
    }

    /// Saves, seals and publishes everything now.
    pub fn seal(&self, ts: i64) -> Result<Vec<String>, Error> {
        self.with(|recorder| {
            recorder.ts = ts;
            recorder.save();
            recorder.publish_all();
            Ok(std::mem::take(&mut recorder.warnings))
        })
    }

    /// Ends the recording: everything is saved, sealed and published, and the plan is free.
    pub fn close(&self) -> Vec<String> {
        let Some(mut recorder) = self.shared.recorder.lock().take() else {
            return Vec::new();
        };
        self.shared.closed.notify_all();
        // Last in the log: a run that is killed before can go on.
        let end = object("end", &json!({"ts": recorder.ts, "state": "over"}));
        if let Err(e) = recorder.note_own(end) {
            recorder.warn("the log", &e);
        }
        recorder.save();
        fault::point("close.ended");
        recorder.publish_all();
        if recorder.waiting.is_empty()
            && let Err(e) = recorder.database.end(&recorder.run_id)
        {
            recorder.warn("the telemetry", &e);
        }
        fault::point("close.marked");
        let warnings = std::mem::take(&mut recorder.warnings);
        drop(recorder);
        fault::point("close.unlocked");
        warnings
    }

    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut Recorder) -> Result<R, Error>) -> Result<R, Error> {
        work(self.shared.recorder.lock().as_mut().ok_or(Error::Closed)?)
    }
}

/// A run that nobody closed is not over: it can be opened again, and its plan is free.
impl Drop for Run {
    fn drop(&mut self) {
        if let Some(mut recorder) = self.shared.recorder.lock().take() {
            self.shared.closed.notify_all();
            recorder.save();
            if recorder.log_unpublished || recorder.database_unpublished {
                recorder.publish_all();
            }
        }
    }
}

impl Shared {
    /// Publishes at a later moment, or not at all when the run is closed before. Says whether it will: a machine without
    /// threads to spare gets its copies with the next verdict.
    fn publish_at(self: Arc<Self>, due: Instant) -> bool {
        let publisher = thread::Builder::new().name("publisher".into()).spawn(move || {
            let mut recorder = self.recorder.lock();
            while recorder.is_some() && !self.closed.wait_until(&mut recorder, due).timed_out() {}
            if let Some(recorder) = recorder.as_mut() {
                recorder.publisher = false;
                recorder.publish_what_is_due(&self);
            }
        });
        publisher.is_ok()
    }
}

impl Recorder {
    /// Adds a record to the log's queue.
    fn note(&mut self, record: Record, object: &str) -> Result<(), Error> {
        self.ts = record.ts();
        let line = self.log.add(object)?;
        self.waiting.push_back((line, record));
        Ok(())
    }

    /// Adds a line of our own, which has no rows.
    pub fn note_own(&mut self, object: String) -> Result<(), Error> {
        let line = self.log.add(&object)?;
        self.waiting.push_back((line, Record::Written { ts: self.ts }));
        Ok(())
    }

    /// Notes that the plan has every verdict so far. A process that is killed before it can only does so again.
    fn note_written(&mut self, written: &Exchanged, ts: i64) -> Result<Exchanged, Error> {
        if *written == Exchanged::Swapped {
            self.note_own(object("written", &json!({ "ts": ts })))?;
            self.write();
            fault::point("plan.noted");
        }
        Ok(written.clone())
    }

    fn write(&mut self) {
        if let Err(e) = self.log.write() {
            self.warn("the log", &e);
        }
    }

    /// Brings the records to the disk: first the log, then the rows of the lines that are in it.
    pub fn save(&mut self) {
        if let Err(e) = self.log.write().and_then(|()| self.log.sync()) {
            self.warn("the log", &e);
        }
        self.saved = Instant::now();
        let mark: &Mark = self.log.written();
        let ready = self
            .waiting
            .iter()
            .take_while(|(line, _)| *line <= mark.chain.count())
            .count();
        if ready == 0 {
            return;
        }
        match self.database.add(&self.run_id, self.waiting.iter().take(ready), mark) {
            Ok(()) => drop(self.waiting.drain(..ready)),
            Err(e) => self.warn("the telemetry", &e),
        }
    }

    /// An error if something that was noted is not on the disk.
    pub fn must_be_saved(&mut self) -> Result<(), Error> {
        match self.log.is_saved() {
            true => Ok(()),
            false => Err(Error::Unsaved(self.warnings.pop().unwrap_or_default())),
        }
    }

    fn publish_all(&mut self) {
        self.publish_log();
        self.publish_database();
    }

    /// Publishes what may be published now, and sees to the rest.
    fn publish_what_is_due(&mut self, shared: &Arc<Shared>) {
        let now = Instant::now();
        let log_due = self.log_pace.due(now).filter(|_| self.log_unpublished);
        let database_due = self.database_pace.due(now).filter(|_| self.database_unpublished);
        if self.log_unpublished && log_due.is_none() {
            self.publish_log();
        }
        if self.database_unpublished && database_due.is_none() {
            self.publish_database();
        }
        let next = [log_due, database_due].into_iter().flatten().min();
        if let Some(due) = next.filter(|_| !self.publisher) {
            self.publisher = shared.clone().publish_at(due);
        }
    }

    pub fn publish_log(&mut self) {
        self.log_unpublished = false;
        let started = Instant::now();
        let (places, log, copy) = (&self.places, &self.log, &mut self.copy);
        let published = seal_and_publish(places, &self.signer, &self.run_id, log, copy, self.ts);
        self.log_pace.took(started.elapsed(), Instant::now());
        self.warnings.extend(published.err());
    }

    fn publish_database(&mut self) {
        self.database_unpublished = false;
        let started = Instant::now();
        let published = copies::publish_database(&self.places, &self.database);
        self.database_pace.took(started.elapsed(), Instant::now());
        self.warnings.extend(published.err().map(|e| no_copies(&e)));
    }

    fn warn(&mut self, what: &str, why: &dyn std::fmt::Display) {
        self.warnings.push(format!("{what} is not on the disk: {why}"));
    }
}

/// Seals a log and brings its copy beside the plan up to date. A failure is a warning: the truth is safe without them.
pub(crate) fn seal_and_publish(
    places: &Places,
    signer: &Option<Signer>,
    run_id: &str,
    log: &Log,
    copy: &mut LogCopy,
    ts: i64,
) -> Result<(), String> {
    let seal = match signer {
        Some(signer) => Some(copies::seal(places, signer, run_id, log, ts).map_err(|e| unsealed(&e))?),
        None => None,
    };
    copies::publish_log(places, seal.as_deref(), log, copy).map_err(|e| no_copies(&e))
}

pub(crate) fn unsealed(why: &dyn std::fmt::Display) -> String {
    format!("the run is not sealed: {why}")
}

pub(crate) fn no_copies(why: &dyn std::fmt::Display) -> String {
    format!("no copies beside the plan: {why}")
}
