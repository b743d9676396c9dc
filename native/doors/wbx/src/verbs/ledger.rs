//! `wbx ledger`: the log of a run, and whether it was touched.

use crate::{
    answer::{Answer, Note, Remark, View, count},
    call::Call,
    exit::Exit,
    failure::Failure,
    moment, parts,
    place::Place,
};
use history::{PlanVerification, Problem};
use oql::Level;
use serde_json::{Value, json};

pub fn verify(call: &Call) -> Result<Answer, Failure> {
    let found: PlanVerification = parts::ask(call, "ledger.verify", at(call)?)?;
    let stranger = call.text("by").is_some_and(|did| did != found.newest.did);
    let exit = match found.is_sound() && !stranger {
        true => Exit::Ok,
        false => Exit::Verification,
    };
    Ok(Answer::new(found, exit, move |answer| {
        let (found, runs) = (&answer.newest, answer.runs);
        let mut notes: Vec<Note> = answer.problems.iter().map(broken).collect();
        if !found.tamper_evident && notes.is_empty() {
            notes.push(touched(&answer));
        }
        if !found.attributable {
            notes.push(note(
                "nobody has signed this seal",
                "it may say anything; take it from the history directory",
            ));
        }
        if stranger {
            notes.push(note(
                &format!("the seal is by {}", found.did),
                "it is not by the one that --by demands",
            ));
        }
        let whose = if answer.own_key { "your key" } else { "not your key" };
        let summary = match notes[..] {
            [] if runs > 1 => format!(
                "{}, untouched, each following the one before; the newest sealed by {} ({whose})",
                count(runs, "run"),
                found.did
            ),
            [] => format!(
                "{}, untouched, sealed by {} ({whose})",
                count(found.count as usize, "line"),
                found.did
            ),
            _ => format!("{}: not as it was sealed", answer.log),
        };
        Ok(View::Notes(notes, summary))
    }))
}

/// Points at the first line that is wrong, if it can be known and is there.
fn touched(answer: &PlanVerification) -> Note {
    let found = &answer.newest;
    let line = found.first_bad_line.and_then(|line| usize::try_from(line).ok());
    let text = answer.bad_line_text.as_deref();
    let place = line.zip(text).map(|(line, text)| Place::line(&answer.log, line, text));
    let message = match line {
        Some(line) if line as u64 > found.count => format!("line {line} is missing"),
        Some(line) => format!("line {line} is not what was sealed"),
        None => "the log is not what was sealed".to_owned(),
    };
    Note {
        places: place.into_iter().collect(),
        ..note(
            &message,
            "the truth is in the history directory; run `wbx ledger verify` on the plan",
        )
    }
}

/// A run that was changed, is missing, or is followed by two.
fn broken(problem: &Problem) -> Note {
    note(
        &format!("run `{}`: {}", problem.run_id, problem.message),
        "the history directory was tampered with, or the storage lost what it had promised",
    )
}

fn note(message: &str, help: &str) -> Note {
    Note {
        level: Level::Error,
        code: None,
        message: message.to_owned(),
        places: Vec::new(),
        remarks: vec![Remark::Help(help.to_owned())],
    }
}

pub fn show(call: &Call) -> Result<Answer, Failure> {
    let lines: Vec<Value> = parts::ask(call, "ledger.show", at(call)?)?;
    Ok(Answer::new(lines, Exit::Ok, |lines| {
        let head = vec!["N", "TIME", "KIND", "WHAT", "OUTCOME"];
        let summary = count(lines.len(), "line");
        Ok(View::Table(head, lines.iter().map(cells).collect(), summary))
    }))
}

fn cells(line: &Value) -> Vec<String> {
    let text = |key: &str| match &line[key] {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    let either = |a: &str, b: &str| text(a).or_else(|| text(b)).unwrap_or_default();
    vec![
        text("n").unwrap_or_default(),
        line["ts"].as_i64().map(moment::utc).unwrap_or_default(),
        text("kind").unwrap_or_default(),
        either("task_id", "tool"),
        either("state", "exit_code"),
    ]
}

pub fn key(call: &Call) -> Result<Answer, Failure> {
    let found: Value = parts::ask(call, "ledger.key", json!({}))?;
    let did = found["did"].as_str().unwrap_or_default();
    Ok(Answer::told(&did, format!("{did}\n")))
}

fn at(call: &Call) -> Result<Value, Failure> {
    Ok(json!({"at": parts::path(call.path("WHERE").unwrap_or(".".as_ref()))?}))
}
