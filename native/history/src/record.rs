//! What is recorded: steps and verdicts, as a line of the log and as rows of the database.

use crate::Error;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The longest text that is recorded; more is cut. The log is for looking back, not for storing artefacts.
pub const MAX_TEXT: usize = 64 * 1024;

/// A step that was taken.
#[derive(Debug, Deserialize)]
pub(crate) struct Step {
    pub step: Option<i64>,
    pub tool: Option<String>,
    pub exit_code: Option<i64>,
    pub error: Option<String>,
    pub dur_ms: Option<i64>,
    pub ts: i64,
}

/// What became of a task.
#[derive(Debug, Deserialize)]
pub(crate) struct Verdict {
    pub task_id: String,
    pub idx: Option<i64>,
    pub title: Option<String>,
    pub state: String,
    pub output: Option<String>,
    pub reason: Option<String>,
    pub how: Option<String>,
    pub ts: i64,
}

/// One of the two.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Record {
    Step(Step),
    Verdict(Verdict),
}

impl Record {
    /// Reads what a caller gave as JSON. Also returns the object for the log, fields unknown to us included.
    pub fn read(kind: &str, json: &str) -> Result<(Record, String), Error> {
        let refuse = |e: serde_json::Error| Error::BadRecord(e.to_string());
        let mut fields: Map<String, Value> = serde_json::from_str(json).map_err(refuse)?;
        if fields.contains_key("kind") {
            return Err(Error::BadRecord("`kind` is the log's own field".into()));
        }
        fields.values_mut().for_each(cut);
        fields.insert("kind".into(), kind.into());
        let object = Value::Object(fields);
        let text = object.to_string();
        Ok((Record::deserialize(object).map_err(refuse)?, text))
    }

    /// Reads it back from a line of the log.
    pub fn of_line(line: &str) -> Option<Record> {
        serde_json::from_str(line).ok()
    }

    pub fn ts(&self) -> i64 {
        match self {
            Record::Step(step) => step.ts,
            Record::Verdict(verdict) => verdict.ts,
        }
    }
}

/// Shortens the texts in a value.
fn cut(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > MAX_TEXT => {
            let whole = text.len();
            text.truncate(text.floor_char_boundary(MAX_TEXT));
            text.push_str(&format!("… ({whole} bytes in all)"));
        }
        Value::Array(values) => values.iter_mut().for_each(cut),
        Value::Object(fields) => fields.values_mut().for_each(cut),
        _ => {}
    }
}
