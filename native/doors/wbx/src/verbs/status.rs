//! `wbx status`: what the plan says, and what of it somebody saw being earned. It needs no engine.

use crate::{
    answer::{Answer, Item, View, count},
    call::Call,
    exit::Exit,
    failure::Failure,
    parts,
};
use operations::claims::{Accepted, LastVerdict, PlanStatus, TaskStatus};
use serde_json::json;

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let plan = call.path("PLAN").unwrap_or_default();
    let accepted = call.texts("accept");
    // A plan that cannot be read is told by its name, before anything is recorded about it.
    let source = call.source("PLAN")?;
    let status: PlanStatus = if plan == "-" {
        if !accepted.is_empty() {
            return Err(Failure::usage(
                "what comes by standard input has no history",
                "name the plan whose amendments are accepted",
            ));
        }
        parts::ask(call, "plan.status", json!({"org": source.text}))?
    } else {
        let plan = parts::path(plan)?;
        if !accepted.is_empty() {
            let by = call.text("by").map_or_else(::engine::author, |by| Ok(by.to_owned()))?;
            let _: Accepted = parts::ask(call, "plan.accept", json!({"plan": plan, "ids": accepted, "by": by}))?;
        }
        parts::ask(call, "plan.status", json!({"plan": plan, "org": source.text}))?
    };
    Ok(Answer::new(status, Exit::Ok, |status| Ok(view(status))))
}

fn view(status: PlanStatus) -> View {
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

fn item(row: TaskStatus) -> Item {
    let aside = match (row.unproven, row.verdict) {
        (Some(why), _) => format!("(unproven: {why})"),
        (
            None,
            Some(LastVerdict {
                reason: Some(reason), ..
            }),
        ) => format!("({reason})"),
        (
            None,
            Some(LastVerdict {
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
