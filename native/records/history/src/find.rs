//! A run that is known by its id alone.

use crate::past::Past;
use crate::record::Record;
use crate::{Error, Home, PastRun, TaskEvent, events, lock, runs};
use std::path::{Path, PathBuf};

/// A run, and what its log says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRun {
    /// The plan that it is a run of.
    pub plan: PathBuf,
    /// The run.
    pub run: PastRun,
    /// Whether somebody works on it at this moment, in this process or another.
    pub at_work: bool,
    /// The ids and titles of the tasks that it had to earn, in the order of the plan.
    pub open: Vec<(String, String)>,
    /// Its verdicts, the oldest first.
    pub verdicts: Vec<TaskEvent>,
}

/// The run with this id, whatever its plan.
///
/// ```
/// use history::{Home, Run};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let plan = dir.path().join("plan.org");
/// # std::fs::write(&plan, "* TODO Ship\n").unwrap();
/// let home = Home::open(&dir.path().join("history"))?;
/// let run = Run::open(&home, &plan, "run-1", 1_700_000_000_000)?;
/// run.verdict(r#"{"task_id":"ship","state":"DONE","ts":1700000000002}"#)?;
///
/// let found = history::find_run(&home, "run-1")?.unwrap();
/// assert_eq!((found.at_work, found.run.closed, found.verdicts.len()), (true, false, 1));
/// run.close();
/// let found = history::find_run(&home, "run-1")?.unwrap();
/// assert_eq!((found.at_work, found.run.closed), (false, true));
/// assert_eq!(history::find_run(&home, "../run-1")?, None);
/// # Ok::<(), history::Error>(())
/// ```
pub fn find_run(home: &Home, run_id: &str) -> Result<Option<FoundRun>, Error> {
    // An id comes from a stranger here, and becomes a path.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if run_id.is_empty() || !run_id.bytes().all(plain) {
        return Ok(None);
    }
    let has = |plan: &PathBuf| home.slot(plan).join("runs").join(run_id).is_dir();
    match home.plans()?.into_iter().find(has) {
        Some(plan) => read(home, plan, run_id),
        None => Ok(None),
    }
}

fn read(home: &Home, plan: PathBuf, run_id: &str) -> Result<Option<FoundRun>, Error> {
    let Some(run) = runs(home, &plan)?.into_iter().find(|run| run.run_id == run_id) else {
        return Ok(None);
    };
    let mut verdicts = events(home, &plan)?;
    verdicts.retain(|event| event.run_id == run_id);
    Ok(Some(FoundRun {
        at_work: lock::holder(&home.slot(&plan).join("lock")).is_some_and(|holder| holder == run_id),
        open: open(home, &plan, run_id)?,
        plan,
        run,
        verdicts,
    }))
}

/// What the run promised when it began.
fn open(home: &Home, plan: &Path, run_id: &str) -> Result<Vec<(String, String)>, Error> {
    let past = Past::of_slot(&home.slot(plan))?;
    let outline = past.lines().find_map(|(run, line)| match &line.record {
        Record::Outline(outline) if run == run_id => Some(outline),
        _ => None,
    });
    let headlines = outline.map(|outline| outline.sealed.headlines.as_slice());
    let open = headlines.into_iter().flatten().filter(|headline| headline.open);
    Ok(open
        .map(|headline| (headline.id.clone(), headline.title.clone()))
        .collect())
}
