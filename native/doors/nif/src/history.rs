//! The history of runs: open one, record into it, look back.

use crate::failure::{self, Failure};
use crate::jobs::{self, Answer};
use crate::json;
use crate::runtime::Runtime;
use history::{Accepting, Begun, Claim, Exchanged, Home, Run};
use oql::HeadlineState;
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
    /// The plan is ours, and nothing is written yet.
    Claimed(Claim),
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

    /// Keeps what was made, unless its owner is gone by now.
    fn keep(&self, made: Slot) -> Result<(), Failure> {
        let mut slot = self.slot.lock();
        match *slot {
            Slot::Over => Err(history::Error::Closed.into()),
            _ => {
                *slot = made;
                Ok(())
            }
        }
    }

    /// Begins to record what was claimed.
    fn open(&self, ts: i64) -> Result<Arc<Run>, Failure> {
        let claimed = std::mem::replace(&mut *self.slot.lock(), Slot::Opening);
        let Slot::Claimed(claim) = claimed else {
            *self.slot.lock() = claimed;
            return Err(history::Error::Closed.into());
        };
        let run = Arc::new(claim.open(ts)?);
        self.keep(Slot::Open(run.clone()))?;
        Ok(run)
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
}

/// Takes a plan for a run. Replies with the recording and the plan's true path; nothing is written before it is opened.
#[rustler::nif]
fn history_claim<'a>(
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
        let Opening { plan, run_id, history } = failure::given(opening)?;
        let claim = Run::claim(&Home::open(Path::new(history))?, Path::new(plan), run_id)?;
        let plan = claim.plan().to_string_lossy().into_owned();
        recording.keep(Slot::Claimed(claim))?;
        Ok(Claimed { recording, plan })
    })
}

/// What can be done with a recording. A time is in milliseconds since 1970; steps and verdicts are JSON objects.
#[derive(NifTaggedEnum)]
#[rustler(decode)]
enum Operation<'a> {
    /// Begins to record, at this time.
    Open(i64),
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
            Operation::Open(ts) => Ok(Outcome::Warnings(keep.open(ts)?.found().to_vec())),
            Operation::Begin(ids, by, ts) => Ok(Outcome::Begun(keep.get()?.begin(Accepting { ids: &ids, by }, ts)?)),
            Operation::Edited => Ok(Outcome::Text(keep.get()?.edited()?)),
            Operation::States(states, ts) => {
                let run = keep.get()?;
                match run.states(&states, ts)? {
                    Exchanged::Swapped => {
                        let lines = states.iter().map(|(id, _)| run.line(id));
                        Ok(Outcome::Lines(lines.collect::<Result<_, _>>()?))
                    }
                    changed => Ok(Outcome::Exchanged(changed)),
                }
            }
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

struct Claimed {
    recording: ResourceArc<Recording>,
    plan: String,
}

impl Answer for Claimed {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        Ok((self.recording, self.plan).encode(env))
    }
}

enum Outcome {
    Warnings(Vec<String>),
    Exchanged(Exchanged),
    /// For each headline that was written: it and those above it.
    Lines(Vec<Vec<HeadlineState>>),
    Begun(Begun),
    Text(Option<String>),
    Json(String),
}

/// `{id, keyword, cookies}` each.
fn headlines(all: Vec<HeadlineState>) -> Vec<(String, Option<String>, Vec<String>)> {
    all.into_iter()
        .map(|headline| (headline.id, headline.keyword, headline.cookies))
        .collect()
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
                cookies,
                warnings,
            }) => {
                let json = serde_json::to_string(&amendments).unwrap_or_default();
                let amendments = json::decode(env, &json)?;
                Ok((org, amendments, step, headlines(cookies), warnings).encode(env))
            }
            Outcome::Lines(lines) => {
                let lines: Vec<_> = lines.into_iter().map(headlines).collect();
                Ok(lines.encode(env))
            }
            Outcome::Text(text) => Ok(text.encode(env)),
            Outcome::Json(json) => json::decode(env, &json),
        }
    }
}
