//! The history of runs: open one, record into it, look back.

use crate::failure::{self, Failure};
use crate::jobs::{self, Answer};
use crate::json;
use crate::runtime::Runtime;
use history::{Accepting, Begun, Exchanged, Home, Run};
use parking_lot::Mutex;
use rustler::{
    Binary, Encoder, Env, LocalPid, Monitor, NewBinary, NifMap, NifResult, NifTaggedEnum, Resource, ResourceArc, Term,
};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// The right to record a run, held by the BEAM. It ends with the process that asked for it.
pub(crate) struct Recording {
    slot: Mutex<Slot>,
    runtime: ResourceArc<Runtime>,
}

enum Slot {
    /// A worker is at it.
    Opening,
    Open(Arc<Run>),
    Over,
}

#[rustler::resource_impl]
impl Resource for Recording {
    fn down<'a>(&'a self, _: Env<'a>, _: LocalPid, _: Monitor) {
        self.end();
    }
}

impl Recording {
    fn get(&self) -> Result<Arc<Run>, Failure> {
        match &*self.slot.lock() {
            Slot::Open(run) => Ok(run.clone()),
            _ => Err(history::Error::Closed.into()),
        }
    }

    /// Keeps a run that was opened, unless its owner is gone by now.
    fn keep(&self, run: Run) -> Result<Arc<Run>, Failure> {
        let run = Arc::new(run);
        let mut slot = self.slot.lock();
        match *slot {
            Slot::Over => Err(history::Error::Closed.into()),
            _ => {
                *slot = Slot::Open(run.clone());
                Ok(run)
            }
        }
    }

    /// Lets go of the run. A scheduler comes by here, and saving may take its time.
    fn end(&self) {
        let slot = std::mem::replace(&mut *self.slot.lock(), Slot::Over);
        let _ = self.runtime.workers.submit(move || drop(slot));
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.end();
    }
}

#[derive(NifMap)]
#[rustler(decode)]
struct Opening<'a> {
    plan: &'a str,
    run_id: &'a str,
    history: &'a str,
    ts: i64,
}

/// Begins to record a run. Replies with the recording, the plan's true path and what opening found.
#[rustler::nif]
fn history_open<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    opening: Term<'a>,
) -> NifResult<Term<'a>> {
    let recording = ResourceArc::new(Recording {
        slot: Mutex::new(Slot::Opening),
        runtime: runtime.clone(),
    });
    let owner = env.pid();
    if env.monitor(&recording, &owner).is_none() {
        recording.end();
    }
    jobs::spawn(env, &runtime.workers, tag, opening, move |opening, _| {
        let Opening {
            plan,
            run_id,
            history,
            ts,
        } = failure::given(opening)?;
        let run = recording.keep(Run::open(
            &Home::open(Path::new(history))?,
            Path::new(plan),
            run_id,
            ts,
        )?)?;
        Ok(Opened { recording, run })
    })
}

/// What can be done with a recording. A time is in milliseconds since 1970; steps and verdicts are JSON objects.
#[derive(NifTaggedEnum)]
#[rustler(decode)]
enum Operation<'a> {
    /// The ids of accepted amendments, who accepts, and the time.
    Begin(Vec<&'a str>, &'a str, i64),
    Step(&'a str),
    Verdicts(Vec<&'a str>),
    /// The plan's text, if somebody else changed it.
    Edited,
    /// Tasks with their keywords, and the time.
    States(Vec<(&'a str, &'a str)>, i64),
    Seal(i64),
    /// The text that is expected, and the new one.
    Exchange(Binary<'a>, Binary<'a>),
    Close,
}

/// Does one thing with a recording. Replies with the warnings, or with what became of an exchange.
#[rustler::nif]
fn history_call<'a>(
    env: Env<'a>,
    recording: ResourceArc<Recording>,
    tag: Term<'a>,
    operation: Term<'a>,
) -> NifResult<Term<'a>> {
    let keep = recording.clone();
    jobs::spawn(
        env,
        &recording.runtime.workers,
        tag,
        operation,
        move |operation, _| match failure::given(operation)? {
            Operation::Begin(ids, by, ts) => Ok(Outcome::Begun(keep.get()?.begin(Accepting { ids: &ids, by }, ts)?)),
            Operation::Edited => Ok(Outcome::Text(keep.get()?.edited()?)),
            Operation::States(states, ts) => Ok(Outcome::Exchanged(keep.get()?.states(&states, ts)?)),
            Operation::Step(json) => Ok(Outcome::Warnings(keep.get()?.step(json).map(|()| Vec::new())?)),
            Operation::Verdicts(jsons) => Ok(Outcome::Warnings(keep.get()?.verdicts(&jsons)?)),
            Operation::Seal(ts) => Ok(Outcome::Warnings(keep.get()?.seal(ts)?)),
            Operation::Exchange(expected, new) => Ok(Outcome::Exchanged(keep.get()?.exchange(&expected, &new)?)),
            Operation::Close => Ok(Outcome::Warnings(
                keep.get().map_or_else(|_| Vec::new(), |run| run.close()),
            )),
        },
    )
}

/// Exchanges the text of a plan: `{path, expected, new}`.
#[rustler::nif]
fn history_exchange<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    order: Term<'a>,
) -> NifResult<Term<'a>> {
    jobs::spawn(env, &runtime.workers, tag, order, |order, _| {
        let (plan, expected, new): (&str, Binary, Binary) = failure::given(order)?;
        Ok(Outcome::Exchanged(history::exchange(Path::new(plan), &expected, &new)?))
    })
}

/// What can be asked. The first text is a plan, a directory or a file.
#[derive(NifTaggedEnum)]
#[rustler(decode)]
enum Question<'a> {
    Events(&'a str),
    Task(&'a str, &'a str),
    LastVerdicts(&'a str),
    Runs(&'a str),
    Query(&'a str, &'a str),
    Verify(&'a str),
    Problems(&'a str),
    Amendments(&'a str),
    /// A plan, the ids of its amendments, who accepts them, and the time.
    Accept(&'a str, Vec<&'a str>, &'a str, i64),
    Did,
}

/// Asks a history directory: `{directory, question}`.
#[rustler::nif]
fn history_ask<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    question: Term<'a>,
) -> NifResult<Term<'a>> {
    jobs::spawn(env, &runtime.workers, tag, question, |question, _| {
        let (dir, question): (&str, Question) = failure::given(question)?;
        let home = Home::open(Path::new(dir))?;
        match question {
            Question::Events(at) => answer(&history::events(&home, Path::new(at))?),
            Question::Task(at, task) => answer(&history::task_history(&home, Path::new(at), task)?),
            Question::LastVerdicts(plan) => answer(&history::last_verdicts(&home, Path::new(plan))?),
            Question::Runs(at) => answer(&history::runs(&home, Path::new(at))?),
            Question::Query(at, sql) => answer(&history::query(&home, Path::new(at), sql)?),
            Question::Verify(at) => answer(&history::verify_at(&home, Path::new(at))?),
            Question::Problems(plan) => answer(&history::problems(&home, Path::new(plan))?),
            Question::Amendments(plan) => answer(&history::amendments(&home, Path::new(plan))?),
            Question::Accept(plan, ids, by, ts) => {
                let accepting = Accepting { ids: &ids, by };
                answer(&history::accept(&home, Path::new(plan), accepting, ts)?)
            }
            Question::Did => answer(&home.signer()?.did()),
        }
    })
}

fn answer(data: &impl Serialize) -> Result<Outcome, Failure> {
    let json = serde_json::to_string(data).map_err(failure::not_json)?;
    Ok(Outcome::Json(json))
}

struct Opened {
    recording: ResourceArc<Recording>,
    run: Arc<Run>,
}

impl Answer for Opened {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        let plan = self.run.plan().to_string_lossy();
        Ok((self.recording, plan.as_ref(), self.run.found()).encode(env))
    }
}

enum Outcome {
    Warnings(Vec<String>),
    Exchanged(Exchanged),
    Begun(Begun),
    Text(Option<String>),
    Json(String),
}

impl Answer for Outcome {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        match self {
            Outcome::Warnings(warnings) => Ok(warnings.encode(env)),
            Outcome::Exchanged(Exchanged::Swapped) => ().into_term(env),
            Outcome::Exchanged(Exchanged::Changed(text)) => Ok(NewBinary::from_slice(env, &text).into()),
            // The text goes beside the rest, as bytes.
            Outcome::Begun(Begun {
                org,
                amendments,
                step,
                warnings,
            }) => {
                let json = serde_json::to_string(&amendments).unwrap_or_default();
                let amendments = json::decode(env, &json)?;
                Ok((org, amendments, step, warnings).encode(env))
            }
            Outcome::Text(text) => Ok(text.encode(env)),
            Outcome::Json(json) => json::decode(env, &json),
        }
    }
}
