//! Toolkits: one door, as the command line has it; and kernels, held by the BEAM and called in a loop.

use crate::failure::Failure;
use crate::jobs::{self, Answer};
use crate::json;
use crate::runtime::Runtime;
use foundry::{Foundry, Policy, wire};
use host::{Limits, Transform};
use parking_lot::Mutex;
use rustler::{Binary, Encoder, Env, NewBinary, NifMap, NifResult, Resource, ResourceArc, Term};
use std::str;
use std::sync::Arc;
use std::time::Duration;

/// Where things are and what may be done, as `Workbooks.Toolkits` decided it.
#[derive(NifMap)]
#[rustler(decode)]
struct Place<'a> {
    root: Option<String>,
    here: String,
    state: String,
    history: Option<String>,
    /// The profiles as JSON.
    policy: Binary<'a>,
    execute: bool,
    posix: bool,
}

/// Asks one thing of toolkits: a verb, its parameters as JSON, and the place. Replies with a term.
#[rustler::nif]
fn toolkit_call<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    verb: String,
    order: Term<'a>,
) -> NifResult<Term<'a>> {
    let keep = runtime.clone();
    jobs::spawn(env, &runtime.workers, tag, order, move |order, cancel| {
        let (params, place): (Binary, Place) = order.decode()?;
        let params = str::from_utf8(&params).map_err(|e| Failure::NotUtf8(e.valid_up_to()))?;
        let params = serde_json::from_str(params).map_err(|e| Failure::NotJson(e.to_string()))?;
        let foundry = foundry(place, keep.clone())?;
        let answer = wire::call(&foundry, &verb, &params, cancel).map_err(Failure::Toolkit)?;
        Ok(Told(answer.to_string()))
    })
}

fn foundry(place: Place, runtime: ResourceArc<Runtime>) -> Result<Foundry, Failure> {
    let policy = str::from_utf8(&place.policy).map_err(|e| Failure::NotUtf8(e.valid_up_to()))?;
    let lost = || foundry::Error::from(host::Error::Engine("the engine did not start".into()));
    let (sandbox, registry, lanes) = (runtime.clone(), runtime.clone(), runtime);
    Ok(Foundry {
        root: place.root.map(Into::into),
        here: place.here.into(),
        state: place.state.into(),
        history: place.history.map(Into::into),
        policy: Policy::read(policy).map_err(Failure::Toolkit)?,
        execute: place.execute,
        posix: place.posix,
        sandbox: Arc::new(move || sandbox.sandbox().map_err(|_| lost())),
        registry: Arc::new(move || registry.registry().map_err(|_| lost())),
        lanes: Arc::new(move || Ok(lanes.lanes().map_err(|_| lost())?)),
    })
}

struct Told(String);

impl Answer for Told {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Term<'a>> {
        json::decode(env, &self.0).map_err(|failure| failure.encode(env))
    }
}

/// A kernel, held by the BEAM.
struct Kernel {
    transform: Mutex<Transform>,
    runtime: ResourceArc<Runtime>,
}

#[rustler::resource_impl]
impl Resource for Kernel {}

/// Loads a kernel from its bytes, with its memory in bytes and the milliseconds that each call may take.
#[rustler::nif]
fn transform_open<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    order: Term<'a>,
) -> NifResult<Term<'a>> {
    let keep = runtime.clone();
    jobs::spawn(env, &runtime.workers, tag, order, move |order, _| {
        let (wasm, memory, time): (Binary, usize, u64) = order.decode()?;
        let limits = Limits {
            memory,
            time: Duration::from_millis(time),
        };
        let transform = Mutex::new(Transform::load(keep.sandbox()?, &wasm, limits)?);
        Ok(ResourceArc::new(Kernel {
            transform,
            runtime: keep,
        }))
    })
}

impl Answer for ResourceArc<Kernel> {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Term<'a>> {
        Ok(self.encode(env))
    }
}

/// Calls a kernel once. Calls of one kernel wait for each other: it has one instance.
#[rustler::nif]
fn transform_process<'a>(
    env: Env<'a>,
    kernel: ResourceArc<Kernel>,
    tag: Term<'a>,
    input: Binary<'a>,
) -> NifResult<Term<'a>> {
    let keep = kernel.clone();
    let input = input.to_term(env);
    jobs::spawn(env, &kernel.runtime.workers, tag, input, move |input, cancel| {
        let input: Binary = input.decode()?;
        Ok(Bytes(keep.transform.lock().process(&input, cancel)?))
    })
}

struct Bytes(Vec<u8>);

impl Answer for Bytes {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Term<'a>> {
        let mut binary = NewBinary::new(env, self.0.len());
        binary.copy_from_slice(&self.0);
        Ok(Binary::from(binary).to_term(env))
    }
}

/// The refusal as the BEAM knows it: code, message, hint, and the language of a lane that is not there.
pub(crate) fn refusal<'a>(env: Env<'a>, error: &foundry::Error) -> Term<'a> {
    let lang = match error {
        foundry::Error::Lane(foundry::LaneError::Unavailable { lang, .. }) => Some(lang),
        _ => None,
    };
    (atoms::toolkit(), error.code(), error.to_string(), error.hint(), lang).encode(env)
}

mod atoms {
    rustler::atoms! { toolkit }
}
