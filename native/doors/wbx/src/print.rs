//! The one printer: it shows an outcome to a person, to a program, or in an envelope.

mod live;
mod notes;
mod outline;
mod paint;
mod table;
pub mod visible;

use crate::{
    answer::{self, Answer, Form, Note, Remark, View},
    exit::Exit,
    failure::{Code, Failure},
    mode::Mode,
};
pub use live::Live;
use paint::Paint;
use serde::Serialize;
use serde_json::Value;

/// What goes to which stream, and how the process ends.
#[derive(Debug, PartialEq, Eq)]
pub struct Shown {
    pub stdout: String,
    pub stderr: String,
    pub exit: Exit,
}

/// Whether each stream takes colour.
#[derive(Debug, Clone, Copy)]
pub struct Colour {
    pub stdout: bool,
    pub stderr: bool,
}

#[derive(Serialize)]
struct Refusal<'a> {
    ok: bool,
    verb: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a Value>,
    error: Wrong<'a>,
}

#[derive(Serialize)]
struct Wrong<'a> {
    code: Code,
    message: &'a str,
    hint: &'a str,
    retryable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
}

/// Shows what became of a verb.
pub fn show(mode: Mode, colour: Colour, verb: Option<&str>, outcome: Result<Answer, Failure>) -> Shown {
    let shown = outcome.and_then(|answer| {
        let exit = answer.exit;
        Ok(Shown {
            stdout: answered(mode, colour, verb, answer)?,
            stderr: String::new(),
            exit,
        })
    });
    shown.unwrap_or_else(|failure| failed(mode, colour, verb, &failure))
}

fn answered(mode: Mode, colour: Colour, verb: Option<&str>, answer: Answer) -> Result<String, Failure> {
    let Answer { data, form, exit } = answer;
    Ok(match (mode, form) {
        (Mode::Json, _) => {
            let ok = exit == Exit::Ok;
            let verb = answer::json(&verb);
            let error = if ok {
                String::new()
            } else {
                format!(",\"error\":{}", answer::json(&verdict()))
            };
            format!("{{\"ok\":{ok},\"verb\":{verb},\"data\":{data}{error}}}\n")
        }
        (_, Form::Text(text)) => text,
        (Mode::Agent, Form::View(_)) => data + "\n",
        (Mode::Human, Form::View(view)) => draw(&view()?, Paint::new(colour.stdout)),
    })
}

/// A diagnosis that says no is an answer and a failure: the envelope carries both.
fn verdict() -> Wrong<'static> {
    Wrong {
        code: Code::VerificationFailed,
        message: "the answer holds an error",
        hint: "`data` says what is wrong",
        retryable: false,
        details: None,
        pointer: None,
    }
}

fn failed(mode: Mode, colour: Colour, verb: Option<&str>, failure: &Failure) -> Shown {
    let exit = failure.code.exit();
    if mode == Mode::Json {
        let refusal = Refusal {
            ok: false,
            verb,
            data: failure.data.as_deref(),
            error: Wrong {
                code: failure.code,
                message: &failure.message,
                hint: &failure.hint,
                retryable: failure.retryable,
                details: failure.facts.as_ref().and_then(|facts| facts.details.as_ref()),
                pointer: failure.facts.as_ref().and_then(|facts| facts.pointer.as_deref()),
            },
        };
        return Shown {
            stdout: answer::json(&refusal) + "\n",
            stderr: String::new(),
            exit,
        };
    }
    let note = Note {
        level: oql::Level::Error,
        code: Some(failure.code.name().to_owned()),
        message: failure.message.clone(),
        places: failure.place.iter().map(|place| (**place).clone()).collect(),
        remarks: remarks(failure),
    };
    let paint = Paint::new(mode == Mode::Human && colour.stderr);
    let data = failure.data.as_ref().map(|data| format!("{data}\n"));
    Shown {
        stdout: String::new(),
        stderr: notes::draw(&[note], paint) + &data.unwrap_or_default(),
        exit,
    }
}

/// What to do about it, and when it is worth trying again.
fn remarks(failure: &Failure) -> Vec<Remark> {
    let details = failure.facts.as_ref().and_then(|facts| facts.details.as_ref());
    let after = details.and_then(|details| details["retry"]["afterMs"].as_u64());
    let hint = Some(failure.hint.clone()).filter(|hint| !hint.is_empty());
    hint.map(Remark::Help)
        .into_iter()
        .chain(after.map(|ms| Remark::Note(format!("the same call may succeed after {ms} ms"))))
        .collect()
}

fn draw(view: &View, paint: Paint) -> String {
    let (body, summary) = match view {
        View::Notes(notes, summary) => (notes::draw(notes, paint), summary),
        View::Table(head, rows, summary) => (table::draw(head, rows, paint), summary),
        View::Rows(head, rows, summary) => {
            let head: Vec<String> = head.iter().map(|name| visible::line(name)).collect();
            let head: Vec<&str> = head.iter().map(String::as_str).collect();
            (table::draw(&head, rows, paint), summary)
        }
        View::Outline(items, summary) => (outline::draw(items, paint), summary),
    };
    let gap = if body.is_empty() { "" } else { "\n" };
    let summary = visible::line(summary);
    format!("{body}{gap}{summary}\n")
}
