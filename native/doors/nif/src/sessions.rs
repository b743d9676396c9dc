//! A directory of sessions, held open by the BEAM, so that what was verified once need not be verified again.

use crate::failure::Failure;
use crate::jobs::{self, Answer};
use crate::runtime::Runtime;
use rustler::{Encoder, Env, NifResult, Resource, ResourceArc, Term};
use session::Engine;
use session_store::FileStore;
use std::sync::Arc;

pub(crate) struct Sessions(pub(crate) Arc<Engine<FileStore>>);

#[rustler::resource_impl]
impl Resource for Sessions {}

/// Opens the sessions in a directory, which is made when it is not there.
#[rustler::nif]
fn session_open<'a>(env: Env<'a>, runtime: ResourceArc<Runtime>, tag: Term<'a>, dir: String) -> NifResult<Term<'a>> {
    jobs::spawn(env, &runtime.workers, tag, tag, move |_, _| {
        Ok(ResourceArc::new(Sessions(Arc::new(session_store::engine(&dir)?))))
    })
}

impl Answer for ResourceArc<Sessions> {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        Ok(self.encode(env))
    }
}
