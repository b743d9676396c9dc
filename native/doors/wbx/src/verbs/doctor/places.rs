//! Whether the user's directories can be used, and who owns the data.

use super::Check;
use crate::root;
use ::engine::{Owner, Place};
use std::path::Path;

/// What is written to, and what to call it.
const WRITTEN: [(&str, Place); 6] = [
    ("cache", Place::Cache),
    ("history", Place::History),
    ("sessions", Place::Sessions),
    ("registry", Place::Commands),
    ("toolkits", Place::Toolkits),
    ("data", Place::Data),
];

/// Those that a run writes to.
const BY_RUNS: [Place; 2] = [Place::Cache, Place::History];

pub fn checks() -> Vec<Check> {
    let mut checks: Vec<Check> = WRITTEN
        .into_iter()
        .map(|(name, place)| Check {
            for_runs: BY_RUNS.contains(&place),
            ..directory(name, place)
        })
        .collect();
    checks.push(owner());
    checks
}

fn directory(name: &'static str, place: Place) -> Check {
    let path = match root::engine().places().get(place) {
        Ok(path) => path,
        Err(error) => return Check::missing(name, error.to_string(), error.hint()),
    };
    // What is not there yet is made when it is needed, in the nearest directory that is.
    let nearest = path.ancestors().find(|dir| dir.exists()).unwrap_or(Path::new("."));
    // A file without a name: nothing is left behind.
    match tempfile::tempfile_in(nearest) {
        Ok(_) if nearest == path => Check::ok(name, path.display().to_string()),
        Ok(_) => Check::ok(name, format!("{} (not made yet)", path.display())),
        Err(error) => {
            let variables = place.variables().join(" or ");
            Check::broken(
                name,
                format!("{} cannot be written: {error}", nearest.display()),
                format!("make it a directory of yours, or set {variables}"),
            )
        }
    }
}

fn owner() -> Check {
    let data = match root::engine().places().get(Place::Data) {
        Ok(data) => data,
        Err(error) => return Check::missing("owner", error.to_string(), error.hint()),
    };
    match Owner::of(&data) {
        Ok(None) => Check::ok(
            "owner",
            "no engine has the data directory; `wbx deploy` takes it for the call",
        ),
        Ok(Some(holder)) => Check {
            hint: Some("`wbx deploy` and `wbx rollback` wait until it has ended".to_owned()),
            ..Check::ok(
                "owner",
                format!(
                    "process {} (Workbooks {}) has the data directory since {}",
                    holder.pid,
                    holder.version,
                    holder.since()
                ),
            )
        },
        Err(error) => Check::broken("owner", error.to_string(), error.hint()),
    }
}
