//! JSON in, JSON out: every verb of the core, and those that only a directory has.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use session::ports::Clock;
use session::protocol::Checker;
use session::{Engine, Error, SessionId};

use crate::{FileStore, Sweep, System};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct One {
    session_id: SessionId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Keep {
    session_id: SessionId,
    keep: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[derive(Default)]
struct Collect {
    /// Days after which a session expires; never when absent.
    ttl_days: Option<u64>,
    dry_run: bool,
}

/// Answers a verb: `verify`, `gc`, `keep`, `rotate_keys`, or one of [`session::wire::VERBS`].
///
/// ```
/// use serde_json::json;
/// use session::Verdict;
/// let dir = tempfile::tempdir().unwrap();
/// let engine = session_store::engine(dir.path()).unwrap();
/// let plan = "#+WORKFLOW: project.note 1.0.0\n* TODO Think\n";
/// let ask = |verb: &str, params| session_store::wire::call(&engine, verb, &params, &|_| Verdict::Pass);
/// let answer = ask("start", json!({"workflow": {"text": plan}})).unwrap();
/// assert_eq!(answer["pending"]["stepId"], "think");
/// let found = ask("verify", json!({"sessionId": answer["sessionId"]})).unwrap();
/// assert_eq!(found["health"]["kind"], "healthy");
/// ```
pub fn call(engine: &Engine<FileStore>, verb: &str, params: &Value, check: Checker<'_>) -> Result<Value, Error> {
    let store = engine.store();
    match verb {
        "verify" => Ok(json!(store.verify(read::<One>(params)?.session_id)?)),
        "gc" => {
            let Collect { ttl_days, dry_run } = read(params)?;
            let ttl = ttl_days.map(|days| days.saturating_mul(24 * 60 * 60));
            Ok(json!(store.sweep(&Sweep {
                now: System.now(),
                ttl,
                dry_run
            })?))
        }
        "keep" => {
            let Keep { session_id, keep } = read(params)?;
            store.keep(session_id, keep)?;
            Ok(json!({"sessionId": session_id, "keep": keep}))
        }
        "rotate_keys" => {
            store.rotate_keys()?;
            Ok(json!({}))
        }
        _ => session::wire::call(engine, verb, params, check),
    }
}

fn read<T: DeserializeOwned>(params: &Value) -> Result<T, Error> {
    serde_json::from_value(params.clone()).map_err(|e| {
        Error::validation(
            format!("the parameters cannot be read: {e}"),
            "docs/sessions.md lists the fields of each verb",
        )
    })
}
