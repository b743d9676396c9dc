//! The kernel: load it, call it.

use crate::failure::Failure;
use crate::jobs::{self, Answer};
use crate::json::{self, Undecoded};
use crate::runtime::Runtime;
use host::{Export, Kernel, Origin};
use rustler::{Binary, Encoder, Env, Error, NifResult, Resource, ResourceArc, Term};
use std::str;
use std::time::{Duration, Instant};

mod atoms {
    rustler::atoms! { cached, compiled, unsaved }
}

/// A loaded kernel, held by the BEAM.
struct Loaded {
    kernel: Kernel,
    runtime: ResourceArc<Runtime>,
}

#[rustler::resource_impl]
impl Resource for Loaded {}

/// Loads a component of the kernel's world. Replies `{kernel, :cached | :compiled | {:unsaved, why}}`.
#[rustler::nif]
fn kernel_load<'a>(env: Env<'a>, runtime: ResourceArc<Runtime>, tag: Term<'a>, path: String) -> NifResult<Term<'a>> {
    let keep = runtime.clone();
    jobs::spawn(env, &runtime.workers, tag, tag, move |_, _| {
        let wasm = std::fs::read(&path).map_err(|source| host::Error::File {
            path: path.clone(),
            source,
        })?;
        let (kernel, origin) = Kernel::load(keep.sandbox()?, &wasm)?;
        Ok((ResourceArc::new(Loaded { kernel, runtime: keep }), origin))
    })
}

/// Calls one export with its texts, a list of binaries.
#[rustler::nif]
fn kernel_call<'a>(
    env: Env<'a>,
    loaded: ResourceArc<Loaded>,
    tag: Term<'a>,
    export: &str,
    texts: Term<'a>,
) -> NifResult<Term<'a>> {
    let export = Export::named(export).ok_or(Error::BadArg)?;
    let keep = loaded.clone();
    jobs::spawn(env, &loaded.runtime.workers, tag, texts, move |texts, cancel| {
        let binaries: Vec<Binary> = texts.decode().map_err(|_| Failure::NotUtf8(0))?;
        let texts: Vec<&str> = binaries.iter().map(text).collect::<Result<_, _>>()?;
        let time = keep.kernel.limits().time;
        let until = Instant::now() + time;
        let answer = keep.kernel.call(export, &texts, cancel)?;
        Ok(Said {
            export,
            answer,
            time,
            until,
        })
    })
}

fn text<'a>(binary: &'a Binary) -> Result<&'a str, Failure> {
    str::from_utf8(binary).map_err(|e| Failure::NotUtf8(e.valid_up_to()))
}

/// What the kernel said. Telling it to the BEAM has to fit into the same time as finding it.
struct Said {
    export: Export,
    answer: host::Answer,
    time: Duration,
    until: Instant,
}

impl Answer for Said {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Term<'a>> {
        match &self.answer {
            Ok(text) if self.export.answers_text() => Ok(json::string(env, text)),
            Ok(answer) => self.decode(env, answer),
            Err(refusal) => Err(self.decode(env, refusal).unwrap_or_else(|failure| failure)),
        }
    }
}

impl Said {
    fn decode<'a>(&self, env: Env<'a>, json: &str) -> Result<Term<'a>, Term<'a>> {
        json::decode_until(env, json, self.until).map_err(|undecoded| {
            let error = match undecoded {
                Undecoded::Late => host::Error::Deadline(self.time),
                // A kernel that does not speak JSON has failed, whatever it meant to say.
                Undecoded::NotJson(why) => host::Error::Trap(format!("its answer is not JSON: {why}")),
            };
            Failure::from(error).encode(env)
        })
    }
}

impl Answer for (ResourceArc<Loaded>, Origin) {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Term<'a>> {
        let (loaded, origin) = self;
        let origin = match origin {
            Origin::Cached => atoms::cached().encode(env),
            Origin::Compiled => atoms::compiled().encode(env),
            Origin::Unsaved(why) => (atoms::unsaved(), why).encode(env),
        };
        Ok((loaded, origin).encode(env))
    }
}
