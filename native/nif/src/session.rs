//! Sessions: open a directory of them, and ask.

use crate::failure::Failure;
use crate::jobs::{self, Answer};
use crate::json;
use crate::runtime::Runtime;
use rustler::{Binary, Encoder, Env, NifResult, Resource, ResourceArc, Term};
use serde_json::Value;
use session::{Engine, Verdict};
use session_store::FileStore;
use std::str;

/// A directory of sessions, held by the BEAM.
struct Sessions {
    engine: Engine<FileStore>,
    runtime: ResourceArc<Runtime>,
}

#[rustler::resource_impl]
impl Resource for Sessions {}

/// Opens the sessions in a directory, which is made when it is not there.
#[rustler::nif]
fn session_open<'a>(env: Env<'a>, runtime: ResourceArc<Runtime>, tag: Term<'a>, dir: String) -> NifResult<Term<'a>> {
    let keep = runtime.clone();
    jobs::spawn(env, &runtime.workers, tag, tag, move |_, _| {
        let engine = session_store::engine(&dir).map_err(refused)?;
        Ok(ResourceArc::new(Sessions { engine, runtime: keep }))
    })
}

/// Asks one thing: a verb, its parameters as JSON, and what the check of the pending step said, as JSON. Replies with
/// a term; an export stays the text that it is.
#[rustler::nif]
fn session_call<'a>(
    env: Env<'a>,
    sessions: ResourceArc<Sessions>,
    tag: Term<'a>,
    verb: String,
    order: Term<'a>,
) -> NifResult<Term<'a>> {
    let keep = sessions.clone();
    jobs::spawn(env, &sessions.runtime.workers, tag, order, move |order, _| {
        let (params, verdict): (Binary, Binary) = order.decode()?;
        let params = read(&params)?;
        let verdict: Option<Verdict> =
            serde_json::from_value(read(&verdict)?).map_err(|e| Failure::NotJson(e.to_string()))?;
        let unrun = || Verdict::Fail {
            reason: "the check was not run".into(),
        };
        let check = |_: &session::workflow::Check| verdict.clone().unwrap_or_else(unrun);
        let answer = session_store::wire::call(&keep.engine, &verb, &params, &check).map_err(refused)?;
        Ok(Told {
            text: answer.to_string(),
            whole: verb == "export",
        })
    })
}

fn read(json: &Binary) -> Result<Value, Failure> {
    let text = str::from_utf8(json).map_err(|e| Failure::NotUtf8(e.valid_up_to()))?;
    serde_json::from_str(text).map_err(|e| Failure::NotJson(e.to_string()))
}

fn refused(error: session::Error) -> Failure {
    Failure::Session(serde_json::to_string(&error).unwrap_or_default())
}

impl Answer for ResourceArc<Sessions> {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Term<'a>> {
        Ok(self.encode(env))
    }
}

struct Told {
    text: String,
    whole: bool,
}

impl Answer for Told {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Term<'a>> {
        if self.whole {
            return Ok(json::string(env, &self.text));
        }
        json::decode(env, &self.text).map_err(|failure| failure.encode(env))
    }
}
