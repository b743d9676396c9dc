//! What is recorded: the lines of a log, and those of them that are rows of the database.

use crate::Error;
use outline::{Headline, Sealed};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The longest text that is recorded; more is cut. The log is for looking back, not for storing artefacts.
pub const MAX_TEXT: usize = 64 * 1024;

/// The version of the log's format, in its first line. Logs of version 1 have no such line.
pub const LOG_VERSION: u64 = 2;

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

/// The first line: which run of which plan this is, and which came before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct First {
    pub v: u64,
    pub run_id: String,
    pub plan: String,
    /// What the log is for.
    pub purpose: Purpose,
    pub previous: Option<Previous>,
    pub ts: i64,
}

/// What a log is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Purpose {
    Run,
    Acceptance,
}

/// The run before, as it was when this one began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Previous {
    pub run_id: String,
    pub count: u64,
    pub head: String,
}

/// The outline of the plan, before anything is done.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SealedOutline {
    /// The SHA-256 of the plan's text.
    pub plan_sha256: String,
    #[serde(flatten)]
    pub sealed: Sealed,
    pub ts: i64,
}

/// A person accepts an amendment.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Acceptance {
    pub id: String,
    pub by: String,
    /// What was amended, in words.
    pub reason: String,
    /// The task as it is accepted; `None` when it is gone.
    pub now: Option<Headline>,
    pub ts: i64,
}

/// A line of a log.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Record {
    Run(First),
    Outline(SealedOutline),
    Acceptance(Acceptance),
    Step(Step),
    Verdict(Verdict),
    /// Every verdict before it is in the plan, or has no place there.
    Written {
        ts: i64,
    },
    /// The run is over.
    End {
        ts: i64,
    },
    /// It was over, and goes on.
    Resumed {
        ts: i64,
    },
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
            Record::Run(first) => first.ts,
            Record::Outline(outline) => outline.ts,
            Record::Acceptance(acceptance) => acceptance.ts,
            Record::Step(step) => step.ts,
            Record::Verdict(verdict) => verdict.ts,
            Record::Written { ts } | Record::End { ts } | Record::Resumed { ts } => *ts,
        }
    }
}

/// A line of our own, which has its kind in front.
pub(crate) fn object(kind: &str, fields: &impl Serialize) -> String {
    let fields = serde_json::to_string(fields).expect("our own lines are plain data");
    format!(r#"{{"kind":"{kind}",{}"#, &fields[1..])
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
