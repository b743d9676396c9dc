//! What a verb gives back: the data, and how a person would like to see it.

use crate::{exit::Exit, failure::Failure, place::Place};
use serde::Serialize;

/// A verb's answer.
pub struct Answer {
    /// The data as JSON.
    pub data: String,
    pub form: Form,
    pub exit: Exit,
}

/// How the answer looks outside the envelope.
pub enum Form {
    /// Text for everybody, byte for byte.
    Text(String),
    /// The bare data for a program, a view for a person. Made only when a person is there.
    View(Box<dyn FnOnce() -> Result<View, Failure>>),
}

/// The shapes that the printer can draw.
pub enum View {
    /// Diagnostics in the manner of rustc, then a line that sums up.
    Notes(Vec<Note>, String),
    /// Columns; one without a single entry is left out.
    Table(Vec<&'static str>, Vec<Vec<String>>, String),
    /// Columns whose names are not ours.
    Rows(Vec<String>, Vec<Vec<String>>, String),
    /// Indented lines.
    Outline(Vec<Item>, String),
}

/// One diagnostic.
pub struct Note {
    pub level: oql::Level,
    pub code: Option<String>,
    pub message: String,
    pub places: Vec<Place>,
    pub remarks: Vec<Remark>,
}

/// What is said under a diagnostic.
pub enum Remark {
    Help(String),
    Note(String),
}

/// One line of an outline.
#[derive(Default)]
pub struct Item {
    pub depth: usize,
    pub state: Option<String>,
    pub text: String,
    /// Said more quietly, after the text.
    pub aside: String,
}

impl Answer {
    /// Data for programs and a view for people.
    pub fn new<T: Serialize + 'static>(
        data: T,
        exit: Exit,
        view: impl FnOnce(T) -> Result<View, Failure> + 'static,
    ) -> Self {
        Answer {
            data: json(&data),
            form: Form::View(Box::new(move || view(data))),
            exit,
        }
    }

    /// The same text for everybody; in the envelope it is a string.
    pub fn text(text: String) -> Self {
        Answer {
            data: json(&text),
            form: Form::Text(text),
            exit: Exit::Ok,
        }
    }

    /// Data in the envelope, text outside.
    pub fn told(data: &impl Serialize, text: String) -> Self {
        Answer {
            data: json(data),
            form: Form::Text(text),
            exit: Exit::Ok,
        }
    }
}

/// Answers are plain data with string keys, which always serialise.
pub fn json(data: &impl Serialize) -> String {
    serde_json::to_string(data).expect("answers are plain data")
}

/// `1 error`, `2 errors`.
pub fn count(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}
