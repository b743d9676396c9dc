//! A session over an Org plan: what the plan's history proved is not done again, and what the session proves is written
//! into the plan by the way that runs use.

use crate::Context;
use acceptance::{Check, Last, Task, unproven};
use failure::Failure;
use history::{Accepting, Exchanged, Run, TaskEvent};
use serde_json::json;
use session::event::{Finding, Judge, NodeKind, Outcome, VerdictRecorded};
use session::protocol::{Inspection, NodeView};
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// How often somebody else's edit may come between.
const RACES: usize = 10;
const CANCELLED: [&str; 2] = ["CANCELLED", "CANCELED"];

/// The steps that are DONE in a plan, and that its history saw being earned.
pub(crate) fn proven(context: &Context, plan: &Path, text: &str) -> Result<Vec<String>, Failure> {
    let tasks = oql::tasks(text)?;
    let claims = |task: &&oql::Task| task.done && !task.state.as_deref().is_some_and(|s| CANCELLED.contains(&s));
    if !tasks.iter().any(|task| claims(&task)) {
        return Ok(Vec::new());
    }
    let last = last_verdicts(context, plan)?;
    let earned = |task: &&oql::Task| {
        let last = last.get(&task.id).map(|event| Last {
            state: &event.state,
            how: event.how.as_deref(),
        });
        unproven(last, Check::of(*task).as_ref()).is_none()
    };
    let done = tasks.iter().filter(claims).filter(earned);
    Ok(done.map(|task| task.id.clone()).collect())
}

fn last_verdicts(context: &Context, plan: &Path) -> Result<HashMap<String, TaskEvent>, Failure> {
    match history::last_verdicts(&context.home()?, plan) {
        Ok(events) => Ok(events.into_iter().map(|event| (event.task_id.clone(), event)).collect()),
        Err(history::Error::NoHistory(_) | history::Error::NoPlan(_)) => Ok(HashMap::new()),
        Err(error) => Err(error.into()),
    }
}

/// What a session says of one task.
struct Said {
    task: String,
    state: &'static str,
    how: Option<String>,
    reason: Option<String>,
    attempt: Option<String>,
}

/// Brings the plan up to date with what the session proved. What cannot be written is told: the session has it, and the
/// next call tries again.
pub(crate) fn write(context: &Context, seen: &Inspection) -> Vec<String> {
    let Some(plan) = seen
        .charter
        .as_ref()
        .filter(|c| c.write_plan)
        .and_then(|c| c.plan.clone())
    else {
        return Vec::new();
    };
    match try_write(context, seen, Path::new(&plan)) {
        Ok(warnings) => warnings,
        Err(failure) => vec![format!(
            "the plan was not written: {}; the session has the verdict, and the next call tries again",
            failure.message
        )],
    }
}

fn try_write(context: &Context, seen: &Inspection, plan: &Path) -> Result<Vec<String>, Failure> {
    let mut warnings = Vec::new();
    let text = fs::read_to_string(plan)
        .map_err(|error| Failure::from(session::Error::validation(format!("{}: {error}", plan.display()), "")))?;
    let tasks: HashMap<String, (usize, oql::Task)> = oql::tasks(&text)?
        .into_iter()
        .enumerate()
        .map(|(idx, task)| (task.id.clone(), (idx, task)))
        .collect();
    let last = last_verdicts(context, plan)?;
    let mut due = Vec::new();
    for said in said(seen) {
        let Some((idx, task)) = tasks.get(&said.task) else {
            warnings.push(format!("the plan has no task `{}` any more", said.task));
            continue;
        };
        let now = Check::of(task);
        if said.how.as_deref() != now.as_ref().and_then(Check::how) && (said.how.is_some() || now.is_some()) {
            warnings.push(format!(
                "the check of `{}` in the plan is another than the session's, so its verdict was not written",
                said.task
            ));
            continue;
        }
        let known = last.get(&said.task);
        let how = said.how.clone().or_else(|| Some(acceptance::Verdict::unchecked().how));
        if known.is_some_and(|event| event.state == said.state && event.how == how) {
            continue;
        }
        due.push((said, how, *idx, task));
    }
    if due.is_empty() {
        return Ok(warnings);
    }
    let ts = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64);
    let session = seen.overview.session_id;
    let run = Run::open(&context.home()?, plan, &format!("{session}-{ts}"), ts)?;
    let nobody = Accepting { ids: &[], by: "" };
    let begun = run.begin(nobody, ts)?;
    warnings.extend(begun.warnings);
    if !begun.amendments.is_empty() {
        warnings.push(format!(
            "{} tasks of the plan are not what was sealed; `wbx status` shows them",
            begun.amendments.len()
        ));
    }
    for (said, how, idx, task) in &due {
        let verdict = json!({
            "task_id": said.task, "idx": idx, "title": task.title, "state": said.state, "how": how,
            "reason": said.reason, "session": session, "attempt": said.attempt, "ts": ts,
        });
        warnings.extend(run.verdict(&verdict.to_string())?);
        for _ in 0..RACES {
            if run.states(&[(&said.task, said.state)], ts)? == Exchanged::Swapped {
                break;
            }
        }
    }
    warnings.extend(run.close());
    Ok(warnings)
}

/// What the session says of its steps, the latest of each. A step in a loop is judged anew in each iteration, so no
/// iteration speaks for the task.
fn said(seen: &Inspection) -> Vec<Said> {
    let mut said: Vec<Said> = Vec::new();
    for node in &seen.nodes {
        let Some(step) = node.step.as_ref().filter(|step| !step.contains("::")) else {
            continue;
        };
        let new = match node
            .verdicts
            .iter()
            .rfind(|v| v.step_id == *step && v.judge == Judge::Shell)
        {
            Some(verdict) => checked(verdict),
            None if advanced(node) && !seen.gaps.iter().any(|gap| gap.node_id == node.node_id && !gap.resolved) => {
                Said {
                    task: step.clone(),
                    state: "DONE",
                    how: None,
                    reason: None,
                    attempt: None,
                }
            }
            None => continue,
        };
        said.retain(|old| old.task != new.task);
        said.push(new);
    }
    said
}

fn advanced(node: &NodeView) -> bool {
    node.kind != NodeKind::BlockedAttempt
        && node
            .attempts
            .iter()
            .any(|outcome| matches!(outcome, Outcome::Advanced { .. }))
}

fn checked(verdict: &VerdictRecorded) -> Said {
    let text = verdict.check.text.as_str();
    let task = match &verdict.check.lang {
        None => Task {
            done_when: Some(text),
            ..Task::default()
        },
        Some(lang) => Task {
            check: Some((lang, text)),
            ..Task::default()
        },
    };
    Said {
        task: verdict.step_id.clone(),
        state: match verdict.status {
            Finding::Passed => "DONE",
            Finding::Failed => "FAILED",
        },
        how: Check::of(task).and_then(|check| check.how().map(str::to_owned)),
        reason: verdict.reason.clone(),
        attempt: Some(verdict.attempt_id.to_string()),
    }
}
