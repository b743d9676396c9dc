//! `wbx ledger`: the log of a run, and whether it was touched.

use crate::{
    answer::{Answer, Note, Remark, View, count},
    call::Call,
    exit::Exit,
    failure::{Code, Failure},
    moment,
    place::Place,
    root::home,
};
use history::{PlanVerification, Problem};
use ledger::Verification;
use oql::Level;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

pub fn verify(call: &Call) -> Result<Answer, Failure> {
    let home = home(call)?;
    let steps = history::steps(&home, at(call))?;
    let found = history::verify_at(&home, at(call))?;
    let mine = home.signer().is_ok_and(|signer| signer.did() == found.newest.did);
    let stranger = call.text("by").is_some_and(|did| did != found.newest.did);
    let exit = match found.is_sound() && !stranger {
        true => Exit::Ok,
        false => Exit::Verification,
    };
    Ok(Answer::new(
        found,
        exit,
        move |PlanVerification {
                  newest: found,
                  runs,
                  problems,
                  ..
              }| {
            let mut notes: Vec<Note> = problems.iter().map(broken).collect();
            if !found.tamper_evident && notes.is_empty() {
                notes.push(touched(&steps, &found));
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
            let whose = if mine { "your key" } else { "not your key" };
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
                _ => format!("{}: not as it was sealed", steps.display()),
            };
            Ok(View::Notes(notes, summary))
        },
    ))
}

/// Points at the first line that is wrong, if it can be known and is there.
fn touched(steps: &Path, found: &Verification) -> Note {
    let line = found.first_bad_line.and_then(|line| usize::try_from(line).ok());
    let text = fs::read(steps).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let place = line.and_then(|line| {
        let text = text.lines().nth(line - 1)?;
        Some(Place::line(&steps.display().to_string(), line, text))
    });
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
    let steps = history::steps(&home(call)?, at(call))?;
    let lines = read(&steps)?;
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
    let did = home(call)?.signer()?.did();
    let text = format!("{did}\n");
    Ok(Answer::told(&did, text))
}

fn at(call: &Call) -> &Path {
    Path::new(call.path("WHERE").unwrap_or(".".as_ref()))
}

/// The lines of a log. One that is not JSON is shown as the text it is.
fn read(steps: &PathBuf) -> Result<Vec<Value>, Failure> {
    let text = fs::read(steps).map_err(|e| {
        let message = format!("cannot read `{}`: {e}", steps.display());
        Failure::new(Code::Unreadable, message, "check the path and its permissions")
    })?;
    let text = String::from_utf8_lossy(&text);
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| line.into()));
    Ok(lines.collect())
}
