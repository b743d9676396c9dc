//! The beginning of a run: the plan is brought up to date with what runs before decided, held against what was promised,
//! and sealed.

use crate::past::{Past, PastLog};
use crate::plan::Plan;
use crate::record::{Acceptance, Record, SealedOutline, object};
use crate::{Error, Exchanged, Home, Run, fault};
use oql::HeadlineState;
use outline::{Amendment, Baseline, Outline};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::Path;

/// How often an edit by somebody else may come between while a plan is brought up to date.
const RACES: usize = 100;

/// Who accepts which amendments.
#[derive(Debug, Clone, Copy)]
pub struct Accepting<'a> {
    /// The ids of the tasks whose amendments are accepted.
    pub ids: &'a [&'a str],
    /// Who says so.
    pub by: &'a str,
}

/// The plan of a run that begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Begun {
    /// Its text, which was sealed.
    pub org: String,
    /// What nobody has accepted.
    pub amendments: Vec<Amendment>,
    /// The number of the last step that this run recorded before it was interrupted.
    pub step: i64,
    /// The headlines that have statistics cookies, in the order of the text.
    pub cookies: Vec<HeadlineState>,
    /// What could not be written.
    pub warnings: Vec<String>,
}

/// What the logs say of a plan.
pub(crate) struct Promised {
    pub baseline: Baseline,
    /// Verdicts that may not have found their way into the plan: task and keyword.
    unwritten: Vec<(String, String)>,
}

/// The amendments of a plan as it is now, held against what its runs have sealed.
pub fn amendments(home: &Home, plan: &Path) -> Result<Vec<Amendment>, Error> {
    let past = match Past::read(home, plan) {
        Err(Error::NoHistory(_)) => return Ok(Vec::new()),
        past => past?,
    };
    let mut text = Plan::default();
    let outline = Outline::read(text.read(&crate::place::of_plan(plan)?)?)?;
    Ok(promised(&past).baseline.compare(&outline))
}

/// Records that a person accepts amendments of a plan that is not being run. Gives those that are left.
pub fn accept(home: &Home, plan: &Path, accepting: Accepting<'_>, ts: i64) -> Result<Vec<Amendment>, Error> {
    // Looked at before anything is opened, so that a mistyped id leaves no log.
    check_known(&amendments(home, plan)?, accepting.ids)?;
    let run = Run::open_to_accept(home, plan, ts)?;
    let left = run.accept(accepting, ts);
    run.close();
    left
}

impl Run {
    /// Begins the work: brings the plan up to date, seals its outline, records what is accepted. It is on the disk when this
    /// returns, unless a warning says otherwise.
    pub fn begin(&self, accepting: Accepting<'_>, ts: i64) -> Result<Begun, Error> {
        self.with(|recorder| {
            let past = Past::of_slot(&recorder.places.slot)?;
            let mut promised = promised(&past);
            let org = bring_up_to_date(&mut recorder.plan, &self.plan, &promised)?;
            let outline = Outline::read(&org)?;
            let found = promised.baseline.compare(&outline);
            check_known(&found, accepting.ids)?;
            let sealed = SealedOutline {
                plan_sha256: format!("{:x}", Sha256::digest(org.as_bytes())),
                sealed: promised.baseline.seal(outline),
                ts,
            };
            recorder.note_own(object("outline", &sealed))?;
            let (accepted, amendments): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|a| accepting.ids.contains(&a.id.as_str()));
            recorder.note_accepted(accepted, accepting.by, ts)?;
            recorder.save();
            fault::point("outline.sealed");
            let step = last_step(past.logs.iter().find(|log| log.link.run_id == recorder.run_id));
            Ok(Begun {
                cookies: recorder.plan.with_cookies(&self.plan)?,
                org,
                amendments,
                step,
                warnings: std::mem::take(&mut recorder.warnings),
            })
        })
    }

    fn accept(&self, accepting: Accepting<'_>, ts: i64) -> Result<Vec<Amendment>, Error> {
        self.with(|recorder| {
            let past = Past::of_slot(&recorder.places.slot)?;
            let outline = Outline::read(recorder.plan.read(&self.plan)?)?;
            let found = promised(&past).baseline.compare(&outline);
            check_known(&found, accepting.ids)?;
            let (accepted, left): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|a| accepting.ids.contains(&a.id.as_str()));
            recorder.note_accepted(accepted, accepting.by, ts)?;
            recorder.save();
            recorder.must_be_saved()?;
            Ok(left)
        })
    }
}

impl crate::run::Recorder {
    fn note_accepted(&mut self, accepted: Vec<Amendment>, by: &str, ts: i64) -> Result<(), Error> {
        for amendment in accepted {
            let acceptance = Acceptance {
                id: amendment.id,
                by: by.to_owned(),
                reason: amendment.reason,
                now: amendment.now,
                ts,
            };
            self.note_own(object("acceptance", &acceptance))?;
        }
        Ok(())
    }
}

fn check_known(found: &[Amendment], ids: &[&str]) -> Result<(), Error> {
    match ids
        .iter()
        .find(|id| !found.iter().any(|amendment| amendment.id == **id))
    {
        Some(id) => Err(Error::NoAmendment((*id).to_owned())),
        None => Ok(()),
    }
}

/// What was sealed last, and what came after.
pub(crate) fn promised(past: &Past) -> Promised {
    let mut promised = Promised {
        baseline: Baseline::default(),
        unwritten: Vec::new(),
    };
    let sealed = |log: &PastLog| log.lines.iter().any(|line| matches!(line.record, Record::Outline(_)));
    let from = past.logs.iter().rposition(sealed).unwrap_or(past.logs.len());
    for line in past.logs[from..].iter().flat_map(|log| &log.lines) {
        match &line.record {
            Record::Outline(outline) => {
                promised.baseline = Baseline::restore(outline.sealed.clone());
                promised.unwritten.clear();
            }
            Record::Acceptance(acceptance) => promised.baseline.accept(&acceptance.id, acceptance.now.clone()),
            Record::Verdict(verdict) => {
                promised.baseline.verdict(&verdict.task_id, &verdict.state);
                promised
                    .unwritten
                    .push((verdict.task_id.clone(), verdict.state.clone()));
            }
            Record::Written { .. } => promised.unwritten.clear(),
            Record::Run(_) | Record::Step(_) | Record::End { .. } | Record::Resumed { .. } => {}
        }
    }
    promised
}

/// A process that was killed between a verdict and its headline left the plan behind its log. The verdict is applied
/// now, if the task is still the one that was judged.
fn bring_up_to_date(plan: &mut Plan, path: &Path, promised: &Promised) -> Result<String, Error> {
    let mut org = plan.read(path)?.to_owned();
    let last: HashMap<&str, &str> = promised
        .unwritten
        .iter()
        .map(|(id, state)| (id.as_str(), state.as_str()))
        .collect();
    for _ in 0..RACES {
        if last.is_empty() {
            break;
        }
        let outline = Outline::read(&org)?;
        let amended = promised.baseline.compare(&outline);
        let same =
            |id: &str| outline.get(id).is_some_and(|h| h.keyword.is_some()) && !amended.iter().any(|a| a.id == id);
        let states: Vec<(&str, &str)> = last
            .iter()
            .map(|(id, state)| (*id, *state))
            .filter(|(id, _)| same(id))
            .collect();
        if states.is_empty() {
            break;
        }
        let written = plan.set(path, &states)?;
        org = plan.read(path)?.to_owned();
        if written == Exchanged::Swapped {
            break;
        }
    }
    Ok(org)
}

fn last_step(log: Option<&PastLog>) -> i64 {
    let steps = log
        .into_iter()
        .flat_map(|log| &log.lines)
        .filter_map(|line| match &line.record {
            Record::Step(step) => step.step,
            _ => None,
        });
    steps.max().unwrap_or(0)
}
