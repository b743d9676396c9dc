//! A run that is being recorded.

use crate::copies::{self, Places, STEPS, TELEMETRY};
use crate::database::Database;
use crate::lock::Lock;
use crate::log::{Log, Mark};
use crate::pace::Pace;
use crate::record::Record;
use crate::recover::recover;
use crate::staged::sync_directory;
use crate::{Error, Home, fault, leftovers, place};
use ledger::Signer;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Rows of steps wait for a verdict to take them along, but not more of them than this, and not longer.
const MOST_WAITING: usize = 256;
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The right to record a run of a plan. It ends with [`Run::close`], when it is dropped, or with the process.
pub struct Run {
    shared: Arc<Shared>,
    plan: PathBuf,
    found: Vec<String>,
}

struct Shared {
    /// `None` when the run is closed.
    recorder: Mutex<Option<Recorder>>,
    closed: Condvar,
}

struct Recorder {
    run_id: String,
    places: Places,
    log: Log,
    database: Database,
    signer: Option<Signer>,
    /// Records whose rows are not in the database yet, with their line numbers.
    waiting: VecDeque<(u64, Record)>,
    saved: Instant,
    pace: Pace,
    /// Whether the copies lack something.
    unpublished: bool,
    publisher: bool,
    ts: i64,
    /// What went wrong behind the caller's back.
    warnings: Vec<String>,
    // Last, so that everything else is closed when somebody else may begin.
    _lock: Lock,
}

impl Run {
    /// Begins to record run `run_id` of a plan, or goes on with it.
    ///
    /// Finishes first what a killed process may have left. [`Run::found`] says what it could not put right.
    pub fn open(home: &Home, plan: &Path, run_id: &str, ts: i64) -> Result<Run, Error> {
        check_run_id(run_id)?;
        let plan = place::of_plan(plan)?;
        let slot = home.create_slot(&plan)?;
        let lock = Lock::take(&slot.join("lock"), run_id)?;
        fault::point("open.locked");
        let name = slot.file_name().unwrap_or_default().to_string_lossy();
        let mark = name[..name.len().min(16)].to_owned();
        leftovers::sweep(&plan, &mark);
        let places = |run_id: &str| Places {
            slot: slot.clone(),
            run: slot.join("runs").join(run_id),
            beside: place::directory(&plan).to_owned(),
            mark: mark.clone(),
        };
        let mut found = Vec::new();
        let signer = home.signer().map_err(|e| found.push(unsealed(&e))).ok();
        let mut database = Database::open(&slot.join(TELEMETRY))?;
        for known in database.open_runs()?.iter().filter(|known| known.run_id != run_id) {
            let places = places(&known.run_id);
            match recover(&mut database, known, &places.run.join(STEPS)) {
                Ok((mark, last)) => {
                    let log = Log::resume(&places.run.join(STEPS), mark)?;
                    let ts = last.unwrap_or(ts);
                    found.extend(publish(&places, &signer, &known.run_id, &log, &database, ts).err());
                    database.end(&known.run_id)?;
                }
                Err(damaged @ Error::Damaged { .. }) => found.push(damaged.to_string()),
                Err(e) => return Err(e),
            }
        }
        fault::point("open.recovered");
        let places = places(run_id);
        let mark = match database.run(run_id)? {
            Some(known) => recover(&mut database, &known, &places.run.join(STEPS))?.0,
            None => begin(&places, &plan, run_id, ts)?,
        };
        database.begin(run_id, ts)?;
        fault::point("open.recorded");
        let recorder = Recorder {
            log: Log::resume(&places.run.join(STEPS), mark)?,
            run_id: run_id.to_owned(),
            places,
            database,
            signer,
            waiting: VecDeque::new(),
            saved: Instant::now(),
            pace: Pace::default(),
            unpublished: false,
            publisher: false,
            ts,
            warnings: Vec::new(),
            _lock: lock,
        };
        Ok(Run {
            shared: Arc::new(Shared {
                recorder: Mutex::new(Some(recorder)),
                closed: Condvar::new(),
            }),
            plan,
            found,
        })
    }

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
            if let Err(e) = recorder.log.write() {
                recorder.warn("the log", &e);
            }
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
            recorder.unpublished = true;
            match recorder.pace.due(Instant::now()) {
                None => recorder.publish(),
                Some(due) if !recorder.publisher => recorder.publisher = self.shared.clone().publish_at(due),
                Some(_) => {}
            }
            Ok(std::mem::take(&mut recorder.warnings))
        })
    }

    /// Saves, seals and publishes everything now.
    pub fn seal(&self, ts: i64) -> Result<Vec<String>, Error> {
        self.with(|recorder| {
            recorder.ts = ts;
            recorder.save();
            recorder.publish();
            Ok(std::mem::take(&mut recorder.warnings))
        })
    }

    /// Ends the recording: everything is saved, sealed and published, and the plan is free.
    pub fn close(&self) -> Vec<String> {
        let Some(mut recorder) = self.shared.recorder.lock().take() else {
            return Vec::new();
        };
        self.shared.closed.notify_all();
        recorder.save();
        recorder.publish();
        // Last: what is missing anywhere is made up for when the plan is opened again, unless the run is over.
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

    fn with<R>(&self, work: impl FnOnce(&mut Recorder) -> Result<R, Error>) -> Result<R, Error> {
        work(self.shared.recorder.lock().as_mut().ok_or(Error::Closed)?)
    }
}

/// A run that nobody closed is not over: it can be opened again, and its plan is free.
impl Drop for Run {
    fn drop(&mut self) {
        if let Some(mut recorder) = self.shared.recorder.lock().take() {
            self.shared.closed.notify_all();
            recorder.save();
            if recorder.unpublished {
                recorder.publish();
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
                if recorder.unpublished {
                    recorder.publish();
                }
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

    /// Brings the records to the disk: first the log, then the rows of the lines that are in it.
    fn save(&mut self) {
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

    fn publish(&mut self) {
        self.unpublished = false;
        let started = Instant::now();
        let published = publish(
            &self.places,
            &self.signer,
            &self.run_id,
            &self.log,
            &self.database,
            self.ts,
        );
        self.pace.took(started, Instant::now());
        self.warnings.extend(published.err());
    }

    fn warn(&mut self, what: &str, why: &dyn std::fmt::Display) {
        self.warnings.push(format!("{what} is not on the disk: {why}"));
    }
}

/// Seals a log and puts the copies beside the plan. A failure is a warning: the truth is safe without them.
fn publish(
    places: &Places,
    signer: &Option<Signer>,
    run_id: &str,
    log: &Log,
    database: &Database,
    ts: i64,
) -> Result<(), String> {
    let seal = match signer {
        Some(signer) => Some(copies::seal(places, signer, run_id, log, ts).map_err(|e| unsealed(&e))?),
        None => None,
    };
    copies::publish(places, seal.as_deref(), log, database).map_err(|e| format!("no copies beside the plan: {e}"))
}

fn unsealed(why: &dyn std::fmt::Display) -> String {
    format!("the run is not sealed: {why}")
}

/// The directory of a new run. A log that is there already belongs to a run that never came to its first record.
fn begin(places: &Places, plan: &Path, run_id: &str, ts: i64) -> Result<Mark, Error> {
    let failed = Error::io("begin the run in", &places.run);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&places.run)
        .map_err(&failed)?;
    let about = serde_json::json!({"v": 1, "run_id": run_id, "plan": plan.to_string_lossy(), "started": ts});
    fs::write(places.run.join("run.json"), format!("{about}\n")).map_err(&failed)?;
    sync_directory(&places.slot.join("runs")).map_err(&failed)?;
    Ok(Mark::default())
}

fn check_run_id(run_id: &str) -> Result<(), Error> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    match (1..=128).contains(&run_id.len()) && run_id.bytes().all(fits) && !run_id.starts_with('.') {
        true => Ok(()),
        false => Err(Error::BadRunId(run_id.chars().take(128).collect())),
    }
}
