//! The kernel: load it, call it.

use crate::failure::{self, Failure};
use crate::jobs::{self, Answer};
use crate::json::{self, Undecoded};
use crate::runtime::Runtime;
use ::failure::Fails;
use host::{Export, Kernel, KernelError, Origin};
use rustler::{Binary, Encoder, Env, Error, NifResult, Resource, ResourceArc, Term};
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
        let file = |source| {
            KernelError(host::Error::File {
                path: path.clone(),
                source,
            })
        };
        let wasm = std::fs::read(&path).map_err(file)?;
        let (kernel, origin) = Kernel::load(keep.sandbox()?, &wasm).map_err(KernelError)?;
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
        let binaries: Vec<Binary> = failure::given(texts)?;
        let texts: Vec<&str> = binaries
            .iter()
            .map(|binary| failure::text(binary))
            .collect::<Result<_, _>>()?;
        let time = keep.kernel.limits().time;
        let until = Instant::now() + time;
        let answer = keep.kernel.call(export, &texts, cancel).map_err(KernelError)?;
        Ok(Said {
            export,
            answer,
            time,
            until,
        })
    })
}

/// What the kernel said. Telling it to the BEAM has to fit into the same time as finding it.
struct Said {
    export: Export,
    answer: host::Answer,
    time: Duration,
    until: Instant,
}

impl Answer for Said {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        match &self.answer {
            Ok(text) if self.export.answers_text() => Ok(json::string(env, text)),
            Ok(answer) => json::decode_until(env, answer, self.until).map_err(|undecoded| {
                KernelError(match undecoded {
                    Undecoded::Late => host::Error::Deadline(self.time),
                    // A kernel that does not speak JSON has failed, whatever it meant to say.
                    Undecoded::NotJson(why) => host::Error::Trap(format!("its answer is not JSON: {why}")),
                })
                .into()
            }),
            Err(refusal) => Err(refused(refusal)),
        }
    }
}

/// The kernel's refusal, which comes out of its component as JSON.
fn refused(refusal: &str) -> Failure {
    #[derive(serde::Deserialize)]
    struct Refusal {
        code: String,
        message: String,
        hint: String,
    }
    let unknown = |what: String| KernelError(host::Error::Trap(what)).into();
    match serde_json::from_str::<Refusal>(refusal) {
        Ok(Refusal { code, message, hint }) => match oql::Error::codes().into_iter().find(|known| known.name == code) {
            Some(known) => Failure::new(known, message, hint),
            None => unknown(format!("it gave an unknown error `{code}`: {message}")),
        },
        Err(why) => unknown(format!("its refusal is not JSON: {why}")),
    }
}

impl Answer for (ResourceArc<Loaded>, Origin) {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        let (loaded, origin) = self;
        let origin = match origin {
            Origin::Cached => atoms::cached().encode(env),
            Origin::Compiled => atoms::compiled().encode(env),
            Origin::Unsaved(why) => (atoms::unsaved(), why).encode(env),
        };
        Ok((loaded, origin).encode(env))
    }
}
