//! Schedules: the ones of a plan, and what to do when.

use crate::bundle::{Told, told};
use crate::jobs;
use crate::runtime::Runtime;
use rustler::{Env, NifResult, NifTaggedEnum, ResourceArc, Term};

/// What can be asked.
#[derive(NifTaggedEnum)]
#[rustler(decode)]
enum Question<'a> {
    /// The schedules of a plan.
    Plan(&'a str),
    /// Anything else, as JSON.
    Ask(&'a str),
}

/// Answers a question about schedules.
#[rustler::nif]
fn schedule_ask<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    question: Term<'a>,
) -> NifResult<Term<'a>> {
    jobs::spawn(env, &runtime.workers, tag, question, |question, _| {
        match question.decode()? {
            Question::Plan(org) => told(&schedule::in_plan(org)?),
            Question::Ask(question) => Ok(Told(schedule::wire::ask(question)?)),
        }
    })
}
