//! Bundles: make, unpack, sign, verify.

use crate::failure::{self, Failure};
use crate::jobs::{self, Answer};
use crate::json;
use crate::runtime::Runtime;
use bundle::{Made, Options};
use history::Home;
use rustler::{Env, NifMap, NifResult, NifTaggedEnum, ResourceArc, Term};
use serde::Serialize;
use std::path::Path;

/// What can be done. Texts are paths: of a workbook, a bundle, a directory.
#[derive(NifTaggedEnum)]
#[rustler(decode)]
enum Operation<'a> {
    Create(&'a str, &'a str, Order<'a>),
    Unpack(&'a str, &'a str),
    /// A bundle, and the history directory with the key.
    Sign(&'a str, &'a str),
    Verify(&'a str),
}

#[derive(NifMap)]
#[rustler(decode)]
struct Order<'a> {
    id: Option<String>,
    private: bool,
    disk: Option<&'a str>,
    created: Option<i64>,
}

/// Does one thing with a bundle. Replies with the manifest, the signer's did:key, or the verification.
#[rustler::nif]
fn bundle_call<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    operation: Term<'a>,
) -> NifResult<Term<'a>> {
    jobs::spawn(
        env,
        &runtime.workers,
        tag,
        operation,
        |operation, _| match failure::given(operation)? {
            Operation::Create(from, to, order) => {
                let Made { manifest, bytes } = bundle::assemble(Path::new(from), &order.into())?;
                bundle::save(to, &bytes)?;
                told(&manifest)
            }
            Operation::Unpack(from, to) => told(&bundle::unpack(&bundle::load(from)?, to)?),
            Operation::Sign(at, history) => {
                let signer = Home::open(Path::new(history))?.signer()?;
                bundle::save(at, &bundle::sign(&bundle::load(at)?, &signer)?)?;
                told(&signer.did())
            }
            Operation::Verify(at) => told(&bundle::verify(&bundle::load(at)?)?),
        },
    )
}

impl From<Order<'_>> for Options {
    fn from(order: Order<'_>) -> Self {
        Options {
            id: order.id,
            private: order.private,
            disk: order.disk.map(Into::into),
            created: order.created,
        }
    }
}

/// An answer as JSON, which becomes a term on the worker's thread.
pub(crate) struct Told(pub(crate) String);

pub(crate) fn told(answer: &impl Serialize) -> Result<Told, Failure> {
    let json = serde_json::to_string(answer).map_err(failure::not_json)?;
    Ok(Told(json))
}

impl Answer for Told {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        json::decode(env, &self.0)
    }
}
