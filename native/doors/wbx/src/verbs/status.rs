//! `wbx status`: what the plan says, and what of it somebody saw being earned. It needs no engine.

use crate::{
    answer::{Answer, Item, View, count},
    call::Call,
    exit::Exit,
    failure::Failure,
    moment,
    root::home,
};
use acceptance::{Check, Last};
use history::{Accepting, Problem, TaskEvent};
use oql::Task;
use outline::Amendment;
use serde::Serialize;
use std::{collections::BTreeMap, env, path::Path};

#[derive(Serialize)]
struct Status {
    tasks: Vec<Row>,
    unproven: usize,
    /// Tasks that are not what was sealed, until somebody accepts them.
    amendments: Vec<Amendment>,
    /// Logs that are not what was sealed.
    problems: Vec<Problem>,
}

/// One task of the plan.
#[derive(Serialize)]
struct Row {
    id: String,
    title: String,
    state: String,
    line: usize,
    /// Why its DONE counts for nothing.
    unproven: Option<String>,
    /// The last that a run said of it.
    verdict: Option<Verdict>,
    #[serde(skip)]
    depth: usize,
}

#[derive(Serialize)]
struct Verdict {
    state: String,
    reason: Option<String>,
    how: Option<String>,
    run_id: String,
    ts: i64,
}

const CANCELLED: [&str; 2] = ["CANCELLED", "CANCELED"];

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let source = call.source("PLAN")?;
    let home = home(call)?;
    let plan = Path::new(call.path("PLAN").unwrap_or_default());
    let accepted = call.texts("accept");
    if !accepted.is_empty() {
        let by = call.text("by").map_or_else(user, str::to_owned);
        let accepting = Accepting {
            ids: &accepted,
            by: &by,
        };
        history::accept(&home, plan, accepting, moment::now())?;
    }
    let tasks = oql::tasks(&source.text)?;
    let last: BTreeMap<String, TaskEvent> = known(history::last_verdicts(&home, plan))?
        .into_iter()
        .map(|event| (event.task_id.clone(), event))
        .collect();
    let rows: Vec<Row> = tasks.into_iter().filter_map(|task| row(task, &last)).collect();
    let unproven = rows.iter().filter(|row| row.unproven.is_some()).count();
    let status = Status {
        tasks: rows,
        unproven,
        amendments: known(history::amendments(&home, plan))?,
        problems: known(history::problems(&home, plan))?,
    };
    Ok(Answer::new(status, Exit::Ok, |status| Ok(view(status))))
}

/// A plan that was never run has nothing to tell, which is no failure. Nor has one that comes by standard input.
fn known<T>(found: Result<Vec<T>, history::Error>) -> Result<Vec<T>, Failure> {
    match found {
        Err(history::Error::NoHistory(_) | history::Error::NoPlan(_)) => Ok(Vec::new()),
        found => Ok(found?),
    }
}

/// Who this is, as far as the system says.
fn user() -> String {
    let named = |name| env::var(name).ok().filter(|user| !user.is_empty());
    named("USER")
        .or_else(|| named("LOGNAME"))
        .unwrap_or_else(|| "somebody".to_owned())
}

/// Why nobody can say that this DONE was earned.
pub fn unproven(task: &Task, last: Option<&TaskEvent>) -> Option<String> {
    let last = last.map(|event| Last {
        state: &event.state,
        how: event.how.as_deref(),
    });
    acceptance::unproven(last, Check::of(task).as_ref())
}

/// A headline without a keyword is no task.
fn row(task: Task, last: &BTreeMap<String, TaskEvent>) -> Option<Row> {
    let state = task.state.clone()?;
    let last = last.get(&task.id);
    let claims = task.done && !CANCELLED.contains(&state.as_str());
    Some(Row {
        unproven: if claims { unproven(&task, last) } else { None },
        verdict: last.map(|event| Verdict {
            state: event.state.clone(),
            reason: event.reason.clone(),
            how: event.how.clone(),
            run_id: event.run_id.clone(),
            ts: event.ts,
        }),
        depth: task.path.len().saturating_sub(1),
        id: task.id,
        title: task.title,
        state,
        line: task.line,
    })
}

fn view(status: Status) -> View {
    let mut summary = count(status.tasks.len(), "task");
    for (n, thing) in [
        (status.unproven, "unproven claim"),
        (status.amendments.len(), "amendment"),
        (status.problems.len(), "problem"),
    ] {
        if n > 0 {
            summary += &format!(", {}", count(n, thing));
        }
    }
    let amendments = status.amendments.into_iter().map(|amendment| Item {
        depth: 0,
        state: Some("AMENDED".to_owned()),
        text: amendment.title,
        aside: format!(
            "({}; a person accepts it with --accept {})",
            amendment.reason, amendment.id
        ),
    });
    let problems = status.problems.into_iter().map(|problem| Item {
        depth: 0,
        state: Some("BROKEN".to_owned()),
        text: format!("run {}", problem.run_id),
        aside: format!("({})", problem.message),
    });
    let tasks = status.tasks.into_iter().map(item);
    View::Outline(tasks.chain(amendments).chain(problems).collect(), summary)
}

fn item(row: Row) -> Item {
    let aside = match (row.unproven, row.verdict) {
        (Some(why), _) => format!("(unproven: {why})"),
        (
            None,
            Some(Verdict {
                reason: Some(reason), ..
            }),
        ) => format!("({reason})"),
        (
            None,
            Some(Verdict {
                how: Some(how), run_id, ..
            }),
        ) => match run_id.strip_prefix("sess_") {
            Some(rest) => format!(
                "({how}; proved by session sess_{})",
                rest.split('-').next().unwrap_or_default()
            ),
            None => format!("({how})"),
        },
        _ => String::new(),
    };
    Item {
        depth: row.depth,
        state: Some(row.state),
        text: row.title,
        aside,
    }
}
