//! Opening a run: the lock, what killed runs left, and the line that hangs this run on the one before.

use crate::copies::{self, LogCopy, Places, STEPS};
use crate::database::Database;
use crate::link::{self, Link, links};
use crate::lock::Lock;
use crate::log::{Log, Mark};
use crate::pace::Pace;
use crate::plan::Plan;
use crate::record::{First, LOG_VERSION, Previous, Purpose, object};
use crate::recover::{Recovered, recover};
use crate::run::{Recorder, Run, Shared, no_copies, seal_and_publish, unsealed};
use crate::staged::sync_directory;
use crate::{Error, Home, fault, leftovers, place};
use ledger::Signer;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

impl Run {
    /// Begins to record run `run_id` of a plan, or goes on with it.
    ///
    /// Finishes first what a killed process may have left. [`Run::found`] says what it could not put right.
    pub fn open(home: &Home, plan: &Path, run_id: &str, ts: i64) -> Result<Run, Error> {
        Run::claim(home, plan, run_id)?.open(ts)
    }

    /// Takes the plan for run `run_id`, or says who has it. Nothing is written yet, so this is over at once; what
    /// [`Claim::open`] writes waits for the disk.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let plan = dir.path().join("plan.org");
    /// # std::fs::write(&plan, "* TODO Ship\n").unwrap();
    /// # let home = history::Home::open(&dir.path().join("history"))?;
    /// let claim = history::Run::claim(&home, &plan, "run-1")?;
    /// assert_eq!(history::Run::claim(&home, &plan, "run-2").unwrap_err().code(), "already_running");
    /// let run = claim.open(1)?;
    /// # Ok::<(), history::Error>(())
    /// ```
    pub fn claim(home: &Home, plan: &Path, run_id: &str) -> Result<Claim, Error> {
        Claim::new(home, plan, run_id, Purpose::Run)
    }

    /// Opens a log for acceptances, which hangs on the chain like a run.
    pub(crate) fn open_to_accept(home: &Home, plan: &Path, ts: i64) -> Result<Run, Error> {
        let mut nonce = [0; 4];
        getrandom::fill(&mut nonce).map_err(|e| Error::io("make an id for", plan)(std::io::Error::other(e)))?;
        let run_id = format!("accept-{ts}-{:08x}", u32::from_le_bytes(nonce));
        Claim::new(home, plan, &run_id, Purpose::Acceptance)?.open(ts)
    }
}

/// The right to record a run of a plan, before anything is recorded.
#[derive(Debug)]
pub struct Claim {
    home: Home,
    plan: PathBuf,
    slot: PathBuf,
    run_id: String,
    purpose: Purpose,
    lock: Lock,
}

impl Claim {
    fn new(home: &Home, plan: &Path, run_id: &str, purpose: Purpose) -> Result<Claim, Error> {
        check_run_id(run_id)?;
        let plan = place::of_plan(plan)?;
        let slot = home.create_slot(&plan)?;
        let lock = Lock::take(&slot.join("lock"), run_id)?;
        fault::point("open.locked");
        Ok(Claim {
            home: home.clone(),
            plan,
            slot,
            run_id: run_id.to_owned(),
            purpose,
            lock,
        })
    }

    /// The plan's one true path.
    pub fn plan(&self) -> &Path {
        &self.plan
    }

    /// Begins to record. What a killed process may have left is finished first.
    pub fn open(self, ts: i64) -> Result<Run, Error> {
        let Claim {
            home,
            plan,
            slot,
            run_id,
            purpose,
            lock,
        } = self;
        let run_id = run_id.as_str();
        home.name_slot(&slot, &plan)?;
        let name = slot.file_name().unwrap_or_default().to_string_lossy();
        let mark = name[..name.len().min(16)].to_owned();
        leftovers::sweep(&plan, &mark);
        let places = |run_id: &str| Places {
            slot: slot.clone(),
            run: slot.join("runs").join(run_id),
            beside: place::directory(&plan).to_owned(),
            mark: mark.clone(),
        };
        let links = links(&slot);
        link::cut_torn(&slot, &links)?;
        let (mut database, mut found) = Database::of_slot(&slot, &links)?;
        let signer = home.signer().map_err(|e| found.push(unsealed(&e))).ok();
        for link in links.iter().filter(|link| link.run_id != run_id) {
            if !is_settled(link, &database, &signer)? {
                let places = places(&link.run_id);
                match put_right(&places, link, &mut database, &signer, ts) {
                    Ok(warnings) => found.extend(warnings),
                    Err(damaged @ Error::Damaged { .. }) => found.push(damaged.to_string()),
                    Err(e) => return Err(e),
                }
            }
        }
        fault::point("open.recovered");
        let places = places(run_id);
        let mark = match links.iter().position(|link| link.run_id == run_id) {
            Some(at) if at + 1 < links.len() => {
                return Err(Error::Superseded {
                    run_id: run_id.to_owned(),
                    by: links[links.len() - 1].run_id.clone(),
                });
            }
            Some(_) => {
                let recovered = recover(run_id, database.run(run_id)?.as_ref(), &places.run.join(STEPS))?;
                found.extend(recovered.disagrees.clone());
                catch_up(&mut database, &slot, run_id, &recovered, ts)?;
                recovered.mark
            }
            None => begin(&places, &plan, run_id, ts)?,
        };
        database.begin(run_id, ts)?;
        fault::point("open.recorded");
        let mut recorder = Recorder {
            log: Log::resume(&places.run.join(STEPS), mark)?,
            run_id: run_id.to_owned(),
            places,
            database,
            signer,
            plan: Plan::default(),
            waiting: VecDeque::new(),
            saved: Instant::now(),
            log_pace: Pace::default(),
            database_pace: Pace::default(),
            copy: LogCopy::default(),
            log_unpublished: false,
            database_unpublished: false,
            publisher: false,
            ts,
            warnings: Vec::new(),
            _lock: lock,
        };
        if recorder.log.written().chain.count() == 0 {
            let (previous, missing) = previous(&slot, &links)?;
            found.extend(missing);
            found.extend(hang(&mut recorder, &plan, purpose, previous, ts)?);
        } else if links.last().is_some_and(Link::is_over) {
            found.extend(go_on(&mut recorder, ts)?);
        }
        Ok(Run {
            shared: Arc::new(Shared {
                recorder: Mutex::new(Some(recorder)),
                closed: Condvar::new(),
            }),
            plan,
            found,
        })
    }
}

/// The run that this one follows. If the newest run is not there any more it is named all the same, so that it is missed.
fn previous(slot: &Path, links: &[Link]) -> Result<(Option<Previous>, Option<String>), Error> {
    if let Some(Ok(run_id)) = link::pointed_at(slot)
        && !links.iter().any(|link| link.run_id == run_id)
    {
        let missing = format!("run `{run_id}`, the newest, is not in the history any more");
        let previous = Previous {
            run_id,
            count: 0,
            head: String::new(),
        };
        return Ok((Some(previous), Some(missing)));
    }
    Ok((links.last().map(Link::reached).transpose()?, None))
}

/// A run that was over and goes on says so, and that is sealed before anything else: after the end that was sealed nothing
/// else counts.
fn go_on(recorder: &mut Recorder, ts: i64) -> Result<Vec<String>, Error> {
    recorder.note_own(object("resumed", &serde_json::json!({ "ts": ts })))?;
    recorder.save();
    recorder.publish_log();
    Ok(std::mem::take(&mut recorder.warnings))
}

/// The first line of a run.
fn hang(
    recorder: &mut Recorder,
    plan: &Path,
    purpose: Purpose,
    previous: Option<Previous>,
    ts: i64,
) -> Result<Vec<String>, Error> {
    let first = First {
        v: LOG_VERSION,
        run_id: recorder.run_id.clone(),
        plan: plan.to_string_lossy().into_owned(),
        purpose,
        previous,
        ts,
    };
    recorder.note_own(object("run", &first))?;
    recorder.save();
    sync_directory(&recorder.places.run).map_err(Error::io("begin the run in", &recorder.places.run))?;
    fault::point("run.linked");
    if let Some(signer) = &recorder.signer {
        let Recorder {
            places, run_id, log, ..
        } = &*recorder;
        let sealed = copies::seal(places, signer, run_id, log, ts).and_then(|_| link::point_at(places, run_id, signer));
        recorder.warnings.extend(sealed.err().map(|e| unsealed(&e)));
    }
    Ok(std::mem::take(&mut recorder.warnings))
}

/// Whether nothing is left to do for a run: it is over, and if it can be sealed it is.
fn is_settled(link: &Link, database: &Database, signer: &Option<Signer>) -> Result<bool, Error> {
    match link.first {
        Some(_) => Ok(link.is_over() && (signer.is_none() || link.is_sealed())),
        None => database.is_over(&link.run_id),
    }
}

/// Ends a run that a killed process left, and publishes what it recorded.
fn put_right(
    places: &Places,
    link: &Link,
    database: &mut Database,
    signer: &Option<Signer>,
    ts: i64,
) -> Result<Vec<String>, Error> {
    let run_id = &link.run_id;
    let recovered = recover(run_id, database.run(run_id)?.as_ref(), &link.steps())?;
    let mut warnings: Vec<String> = recovered.disagrees.iter().cloned().collect();
    let ts = recovered.last.unwrap_or(ts);
    catch_up(database, &places.slot, run_id, &recovered, ts)?;
    let mut log = Log::resume(&link.steps(), recovered.mark)?;
    // A log of version 1 stays as it is; its end is in the database.
    if link.first.is_some() && !link.is_over() {
        log.add(&object("end", &serde_json::json!({"ts": ts, "state": "abandoned"})))?;
        let failed = Error::io("write", &link.steps());
        log.write().and_then(|()| log.sync()).map_err(failed)?;
        database.add(run_id, &[], log.written())?;
    }
    let mut copy = LogCopy::default();
    warnings.extend(seal_and_publish(places, signer, run_id, &log, &mut copy, ts).err());
    warnings.extend(copies::publish_database(places, database).err().map(|e| no_copies(&e)));
    database.end(run_id)?;
    Ok(warnings)
}

/// Gives the database the rows that it lacks; one that disagrees with the sealed log gets all of them anew.
fn catch_up(database: &mut Database, slot: &Path, run_id: &str, recovered: &Recovered, ts: i64) -> Result<(), Error> {
    match recovered.disagrees {
        Some(_) => database.again(slot),
        None => {
            database.begin(run_id, ts)?;
            database.add(run_id, &recovered.rows, &recovered.mark)
        }
    }
}

/// The directory of a new run. A log that is there already belongs to a run that never came to its first record.
fn begin(places: &Places, plan: &Path, run_id: &str, ts: i64) -> Result<Mark, Error> {
    let failed = Error::io("begin the run in", &places.run);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&places.run)
        .map_err(&failed)?;
    match fs::remove_file(places.run.join(STEPS)) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(failed(e)),
        _ => {}
    }
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
