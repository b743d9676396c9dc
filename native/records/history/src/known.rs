//! Which plans there is a history of.

use crate::link::{Link, links};
use crate::record::Purpose;
use crate::{Error, Home};
use serde::Serialize;
use std::path::Path;

/// A plan that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct KnownPlan {
    /// Its path.
    pub plan: String,
    /// Whether it is still there.
    pub exists: bool,
    /// How many runs of it there were.
    pub runs: usize,
    /// The newest of them.
    pub last: LastRun,
}

/// The newest run of a plan, as its log ends. Nothing is held against its seal: that is what a verification is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct LastRun {
    /// Its id.
    pub run_id: String,
    /// When it began, in milliseconds since 1970.
    pub started: i64,
    /// Whether it came to its end. One that did not is at work, or was cut off.
    pub closed: bool,
    /// How it ended: `done`, `partial` or `cancelled`.
    pub state: Option<String>,
}

/// The plans with a history, the one that was run last first. Only the ends of logs are read.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let plan = dir.path().join("plan.org");
/// # std::fs::write(&plan, "* TODO Ship\n").unwrap();
/// # let home = history::Home::open(&dir.path().join("history"))?;
/// let run = history::Run::open(&home, &plan, "run-1", 7)?;
/// run.step(r#"{"step":1,"tool":"run","event":"finished","state":"done","ts":8}"#)?;
/// run.close();
/// let [known] = &history::plans(&home)?[..] else { panic!() };
/// assert_eq!((known.runs, known.last.started, known.last.closed), (1, 7, true));
/// assert_eq!(known.last.state.as_deref(), Some("done"));
/// # Ok::<(), history::Error>(())
/// ```
pub fn plans(home: &Home) -> Result<Vec<KnownPlan>, Error> {
    let mut known: Vec<KnownPlan> = home.plans()?.iter().filter_map(|plan| of_plan(home, plan)).collect();
    known.sort_by(|a, b| (b.last.started, &a.plan).cmp(&(a.last.started, &b.plan)));
    Ok(known)
}

fn of_plan(home: &Home, plan: &Path) -> Option<KnownPlan> {
    let is_run = |link: &Link| link.first.as_ref().is_none_or(|first| first.purpose == Purpose::Run);
    let runs: Vec<Link> = links(&home.slot(plan)).into_iter().filter(is_run).collect();
    let last = runs.last()?;
    Some(KnownPlan {
        plan: plan.to_string_lossy().into_owned(),
        exists: plan.is_file(),
        runs: runs.len(),
        last: LastRun {
            run_id: last.run_id.clone(),
            started: last.started,
            closed: last.is_over(),
            state: last.outcome(),
        },
    })
}
