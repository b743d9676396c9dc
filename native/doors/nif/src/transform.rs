//! Kernels, held by the BEAM and called in a loop.

use crate::failure::{self, Failure};
use crate::jobs::{self, Answer};
use crate::runtime::Runtime;
use host::{Limits, Transform};
use parking_lot::Mutex;
use rustler::{Binary, Encoder, Env, NewBinary, NifResult, Resource, ResourceArc, Term};
use std::time::Duration;

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
        let (wasm, memory, time): (Binary, usize, u64) = failure::given(order)?;
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
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
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
        let input: Binary = failure::given(input)?;
        Ok(Bytes(keep.transform.lock().process(&input, cancel)?))
    })
}

struct Bytes(Vec<u8>);

impl Answer for Bytes {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        let mut binary = NewBinary::new(env, self.0.len());
        binary.copy_from_slice(&self.0);
        Ok(Binary::from(binary).to_term(env))
    }
}
