//! A workbook that is live: which there are, what a run of one gives, when they run by themselves.

use crate::{
    answer::{Answer, Note, Remark, View, count},
    call::Call,
    engine::Engine,
    exit::Exit,
    failure::Failure,
    moment, parts,
    source::Source,
};
use deploy::Listed;
use operations::schedules::Due;
use operations::workbooks::{ComponentOutcome, Ran};
use oql::Level;
use serde_json::{Value, json};
use std::ffi::OsStr;

pub fn list(call: &Call) -> Result<Answer, Failure> {
    let listed: Vec<Listed> = parts::ask(call, "workbook.list", json!({}))?;
    Ok(Answer::new(listed, Exit::Ok, |listed| {
        let head = vec!["WORKBOOK", "VERSION", "SINCE", "BY", "WHY", "PROBLEM"];
        let summary = count(listed.len(), "workbook");
        Ok(View::Table(
            head,
            listed.into_iter().map(listed_cells).collect(),
            summary,
        ))
    }))
}

fn listed_cells(listed: Listed) -> Vec<String> {
    let problem = listed.problem.map(|problem| problem.message).unwrap_or_default();
    let live = match listed.entry {
        Some(entry) => [
            entry.version.to_string(),
            moment::utc(entry.at),
            entry.by,
            entry.why.unwrap_or_default(),
        ],
        None => Default::default(),
    };
    [listed.id].into_iter().chain(live).chain([problem]).collect()
}

/// The components that failed, each with its reason. What is nested is part of the whole.
fn failures(ran: &Ran) -> Vec<(&str, String)> {
    let own = ran.tasks.iter().filter_map(|(name, outcome)| match outcome {
        ComponentOutcome::Output(_) => None,
        ComponentOutcome::Error(why) => Some((name.as_str(), shown(why))),
    });
    own.chain(ran.workflows.iter().flat_map(failures)).collect()
}

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let input = match call.text("input") {
        Some("-") => Source::read(OsStr::new("-"))?.text,
        text => text.unwrap_or_default().to_owned(),
    };
    let order = json!({
        "id": call.text("ID"),
        "input": input,
        "workflow": call.text("workflow"),
    });
    let ran: Ran = Engine::ask("workbook.run", &order)?;
    let exit = match failures(&ran)[..] {
        [] => Exit::Ok,
        _ => Exit::Verification,
    };
    Ok(Answer::new(ran, exit, |ran| Ok(view(&ran))))
}

fn view(ran: &Ran) -> View {
    let failures = failures(ran);
    if failures.is_empty() {
        let rows = ran.exports.iter().map(|(name, value)| vec![name.clone(), shown(value)]);
        return View::Table(
            vec!["EXPORT", "VALUE"],
            rows.collect(),
            format!("{}: done", ran.workflow),
        );
    }
    let notes = failures.iter().map(|(name, why)| Note {
        level: Level::Error,
        code: None,
        message: why.clone(),
        places: vec![],
        remarks: vec![Remark::Note(format!("in component `{name}`"))],
    });
    View::Notes(
        notes.collect(),
        format!("{}: {} failed", ran.workflow, count(failures.len(), "component")),
    )
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

pub fn next(call: &Call) -> Result<Answer, Failure> {
    let order = json!({"id": call.text("ID")});
    let expected: Vec<Due> = Engine::ask("schedule.next", &order)?;
    Ok(Answer::new(expected, Exit::Ok, |expected| {
        let head = vec!["WORKBOOK", "WORKFLOW", "NEXT", "LAST", "SCHEDULE", "PROBLEM"];
        let summary = count(expected.len(), "schedule");
        Ok(View::Table(
            head,
            expected.into_iter().map(expected_cells).collect(),
            summary,
        ))
    }))
}

fn expected_cells(expected: Due) -> Vec<String> {
    let schedule = expected.schedule.unwrap_or_default();
    let words = ["cron", "at", "repeat", "tz"].map(|key| schedule.get(key).cloned().flatten());
    vec![
        expected.workbook,
        expected.path.join(" / "),
        expected.next.unwrap_or_default(),
        expected.last.unwrap_or_default(),
        words.into_iter().flatten().collect::<Vec<_>>().join(" "),
        expected.problem.unwrap_or_default(),
    ]
}
