//! Schedules: one question, one answer, both JSON.

use crate::bundle::Told;
use crate::jobs;
use crate::runtime::Runtime;
use rustler::{Env, NifResult, ResourceArc, Term};

/// Answers a question about a schedule.
#[rustler::nif]
fn schedule_ask<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    question: Term<'a>,
) -> NifResult<Term<'a>> {
    jobs::spawn(env, &runtime.workers, tag, question, |question, _| {
        let question: &str = question.decode()?;
        Ok(Told(schedule::wire::ask(question)?))
    })
}
