//! JSON to terms, on a worker thread. Objects are maps with string keys; `null` is `nil`.

mod decode;

pub(crate) use decode::{Undecoded, decode, decode_until, string};

use crate::failure::{self, Failure};
use crate::jobs::{self, Answer};
use crate::runtime::Runtime;
use rustler::{Binary, Env, NifResult, ResourceArc, Term};

/// Decodes a binary of JSON.
#[rustler::nif]
fn json_decode<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    json: Binary<'a>,
) -> NifResult<Term<'a>> {
    let json = json.to_term(env);
    jobs::spawn(env, &runtime.workers, tag, json, |json, _| {
        let json: Binary = json.decode().expect("checked on the scheduler");
        Ok(Json(failure::text(&json)?.to_owned()))
    })
}

/// JSON that becomes a term.
pub(crate) struct Json(pub String);

impl Answer for Json {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        decode(env, &self.0)
    }
}
