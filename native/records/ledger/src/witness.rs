//! What each line says about its place: its number, and the hash before it.

use crate::Error;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The two fields as they stand in a line.
#[derive(Deserialize)]
pub(crate) struct Witness {
    pub n: u64,
    pub prev: String,
}

/// The fields of a line, if it is one of ours: an object from its first byte to its last.
pub(crate) fn read(line: &[u8]) -> Option<Witness> {
    let whole = line.starts_with(b"{") && line.ends_with(b"}");
    whole.then(|| serde_json::from_slice(line).ok()).flatten()
}

/// The line for `step` as number `n` after `prev`.
pub(crate) fn attach(step: &str, n: u64, prev: &str) -> Result<String, Error> {
    let not_a_step = |why: String| Error::NotAStep { why };
    let fields: Map<String, Value> = serde_json::from_str(step).map_err(|e| not_a_step(e.to_string()))?;
    if let Some(ours) = ["n", "prev"].into_iter().find(|ours| fields.contains_key(*ours)) {
        return Err(not_a_step(format!("`{ours}` is the chain's own field")));
    }
    let rest = serde_json::to_string(&fields).map_err(|e| not_a_step(e.to_string()))?;
    let comma = if fields.is_empty() { "" } else { "," };
    Ok(format!(r#"{{"n":{n},"prev":"{prev}"{comma}{}"#, &rest[1..]))
}
