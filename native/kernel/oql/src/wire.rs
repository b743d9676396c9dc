//! Strings in, strings out: the functions of `wit/oql.wit`, for the component and for everybody who wants its bytes.
//!
//! Each answer is JSON, but for [`render`] and [`set_state`]; each error is an [`Error`] as JSON.

use crate::{Code, Error};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What every function here gives.
pub type Answer = Result<String, String>;

/// `parse-headlines`.
pub fn parse_headlines(org: &str) -> Answer {
    json(crate::parse_headlines(org))
}

/// `query`.
pub fn query(org: &str, query: &str) -> Answer {
    json(crate::query(org, query))
}

/// `lint`.
pub fn lint(org: &str, facts: &str) -> Answer {
    json(read("facts", facts).and_then(|facts| crate::lint(org, &facts)))
}

/// `tangle-plan`.
pub fn tangle_plan(org: &str) -> Answer {
    json(crate::tangle_plan(org))
}

/// `validate`.
///
/// ```
/// assert_eq!(oql::wire::validate("* Notes\n").as_deref(), Ok("[]"));
/// ```
pub fn validate(org: &str) -> Answer {
    json(crate::validate(org))
}

/// `check-upgrade`.
pub fn check_upgrade(old: &str, new: &str, opts: &str) -> Answer {
    json(read("opts", opts).and_then(|opts| crate::check_upgrade(old, new, &opts)))
}

/// `render`.
pub fn render(org: &str) -> Answer {
    text(crate::render(org))
}

/// `tasks`.
pub fn tasks(org: &str) -> Answer {
    json(crate::tasks(org))
}

/// `set-state`.
pub fn set_state(org: &str, task: &str, state: &str) -> Answer {
    text(crate::set_state(org, task, state))
}

fn json<T: Serialize>(answer: Result<T, Error>) -> Answer {
    text(answer.map(|a| encode(&a)))
}

fn text(answer: Result<String, Error>) -> Answer {
    answer.map_err(|e| encode(&e))
}

fn encode<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("answers are plain data")
}

fn read<T: DeserializeOwned>(what: &str, json: &str) -> Result<T, Error> {
    let bad = |why: String| {
        let hint = "pass a JSON object, {} for the defaults";
        Error::new(Code::BadOption, format!("{what}: {why}"), hint)
    };
    // Serde would read a struct from a list as well.
    if !json.trim_start().starts_with('{') {
        return Err(bad("not a JSON object".into()));
    }
    serde_json::from_str(json).map_err(|e| bad(e.to_string()))
}
