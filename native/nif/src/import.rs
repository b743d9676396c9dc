//! Imports and audits of toolkits.

use crate::failure::Failure;
use crate::jobs;
use crate::json::Json;
use crate::runtime::Runtime;
use audit::Lanes;
use import::Order;
use rustler::{Env, NifMap, NifResult, ResourceArc, Term};
use serde::Serialize;
use std::path::Path;

#[derive(NifMap)]
#[rustler(decode)]
struct Importing<'a> {
    source: &'a str,
    kind: Option<&'a str>,
    target: Option<&'a str>,
    here: &'a str,
}

/// Makes a toolkit of a source. Replies with what was made.
#[rustler::nif]
fn import_run<'a>(env: Env<'a>, runtime: ResourceArc<Runtime>, tag: Term<'a>, order: Term<'a>) -> NifResult<Term<'a>> {
    jobs::spawn(env, &runtime.workers, tag, order, |order, _| {
        let order: Importing = order.decode()?;
        let imported = import::import(&Order {
            source: Path::new(order.source),
            kind: order.kind.map(str::parse).transpose()?,
            target: order.target.map(Path::new),
            here: Path::new(order.here),
            lanes: &Lanes::shipped(),
        })?;
        Ok(json(&imported))
    })
}

/// Audits a toolkit: its directory, and whether to go below `scripts/`. Replies with the report.
#[rustler::nif]
fn audit_run<'a>(env: Env<'a>, runtime: ResourceArc<Runtime>, tag: Term<'a>, order: Term<'a>) -> NifResult<Term<'a>> {
    jobs::spawn(env, &runtime.workers, tag, order, |order, _| {
        let (dir, deep): (&str, bool) = order.decode()?;
        Ok(json(&import::audit(Path::new(dir), deep, &Lanes::shipped())?))
    })
}

fn json(answer: &impl Serialize) -> Json {
    Json(serde_json::to_string(answer).expect("answers are plain data"))
}

impl From<import::Error> for Failure {
    fn from(error: import::Error) -> Self {
        Failure::Import(error)
    }
}
