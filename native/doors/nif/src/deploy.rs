//! The versions of a deployed workbook: change them, look at them.

use crate::failure::{self, Failure};
use crate::jobs::{self, Answer};
use crate::json;
use crate::runtime::Runtime;
use deploy::{Change, Error, Note, Store};
use parking_lot::Mutex;
use rustler::{Binary, Encoder, Env, LocalPid, Monitor, NifResult, NifTaggedEnum, Resource, ResourceArc, Term};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::mem::replace;
use std::path::{Path, PathBuf};

/// The right to change a workbook, held by the BEAM. It ends with the process that asked for it.
pub(crate) struct Deployment {
    slot: Mutex<Slot>,
    runtime: ResourceArc<Runtime>,
}

enum Slot {
    /// A worker has it.
    Lent,
    Here(Box<Change>),
    Over,
}

#[rustler::resource_impl]
impl Resource for Deployment {
    fn down<'a>(&'a self, _: Env<'a>, _: LocalPid, _: Monitor) {
        self.end();
    }
}

impl Deployment {
    /// Lends the change to `work`, unless it is over.
    fn with<T>(&self, work: impl FnOnce(&mut Change) -> Result<T, Error>) -> Result<T, Failure> {
        let mut slot = self.slot.lock();
        let mut change = match replace(&mut *slot, Slot::Lent) {
            Slot::Here(change) => change,
            other => {
                *slot = other;
                return Err(Error::Conflict.into());
            }
        };
        drop(slot);
        let done = work(&mut change);
        self.keep(change);
        Ok(done?)
    }

    /// Keeps a change, unless its owner is gone by now.
    fn keep(&self, change: Box<Change>) {
        let mut slot = self.slot.lock();
        if matches!(*slot, Slot::Lent) {
            *slot = Slot::Here(change);
        }
    }

    /// Lets go of the change. A scheduler comes by here, and closing a file may take its time.
    fn end(&self) {
        let over = replace(&mut *self.slot.lock(), Slot::Over);
        let _ = self.runtime.workers.submit(move || drop(over));
    }
}

impl Drop for Deployment {
    fn drop(&mut self) {
        self.end();
    }
}

/// Begins to change the workbook in a directory. Replies with the deployment and what is live.
#[rustler::nif]
fn deploy_begin<'a>(env: Env<'a>, runtime: ResourceArc<Runtime>, tag: Term<'a>, dir: Term<'a>) -> NifResult<Term<'a>> {
    let deployment = ResourceArc::new(Deployment {
        slot: Mutex::new(Slot::Lent),
        runtime: runtime.clone(),
    });
    let owner = env.pid();
    if env.monitor(&deployment, &owner).is_none() {
        deployment.end();
    }
    jobs::spawn(env, &runtime.workers, tag, dir, move |dir, _| {
        let dir: &str = failure::given(dir)?;
        let change = Store::at(dir).begin()?;
        let live = told(&change.live())?;
        deployment.keep(Box::new(change));
        Ok(Outcome::Begun(deployment, live))
    })
}

/// One step of a change. Notes and what the host wants to know again are JSON; an artifact is a name and a path.
#[derive(NifTaggedEnum)]
#[rustler(decode)]
enum Step<'a> {
    Stage(Binary<'a>, &'a str, Vec<(String, String)>),
    Snapshot,
    Commit(&'a str),
    Left,
    RollBack(&'a str),
    Restored,
    Close,
}

/// Takes one step.
#[rustler::nif]
fn deploy_step<'a>(
    env: Env<'a>,
    deployment: ResourceArc<Deployment>,
    tag: Term<'a>,
    step: Term<'a>,
) -> NifResult<Term<'a>> {
    let kept = deployment.clone();
    jobs::spawn(env, &deployment.runtime.workers, tag, step, move |step, _| {
        match failure::given(step)? {
            Step::Stage(plan, about, artifacts) => {
                let about = read(about)?;
                let artifacts: Vec<_> = artifacts
                    .into_iter()
                    .map(|(name, path)| (name, PathBuf::from(path)))
                    .collect();
                told(&kept.with(|change| change.stage(&plan, &about, &artifacts))?).map(Outcome::Told)
            }
            Step::Snapshot => told(&kept.with(|change| change.snapshot())?).map(Outcome::Told),
            Step::Commit(note) => {
                let note: Note = read(note)?;
                told(&kept.with(|change| change.commit(&note))?).map(Outcome::Told)
            }
            Step::Left => told(&kept.with(|change| change.left())?).map(Outcome::Told),
            Step::RollBack(note) => {
                let note: Note = read(note)?;
                told(&kept.with(|change| change.roll_back(&note))?).map(Outcome::Told)
            }
            Step::Restored => told(&kept.with(Change::restored)?).map(Outcome::Told),
            Step::Close => {
                // On this thread, so that the next one to begin finds it free.
                drop(replace(&mut *kept.slot.lock(), Slot::Over));
                told(&()).map(Outcome::Told)
            }
        }
    })
}

/// What can be asked of a directory.
#[derive(NifTaggedEnum)]
#[rustler(decode)]
enum Question {
    /// Every workbook that is deployed below the directory.
    List,
    Live,
    History,
    Version(u64),
    Verify(u64),
}

/// Asks: `{directory, question}`.
#[rustler::nif]
fn deploy_ask<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    question: Term<'a>,
) -> NifResult<Term<'a>> {
    jobs::spawn(env, &runtime.workers, tag, question, |question, _| {
        let (dir, question): (&str, Question) = failure::given(question)?;
        let store = Store::at(dir);
        let answer = match question {
            Question::List => told(&deploy::list(Path::new(dir))?),
            Question::Live => told(&store.live()?),
            Question::History => told(&store.history()?),
            Question::Version(n) => told(&store.version(n)?),
            Question::Verify(n) => told(&store.verify(n)?),
        };
        answer.map(Outcome::Told)
    })
}

fn told(answer: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(answer).map_err(failure::not_json)
}

fn read<T: DeserializeOwned>(json: &str) -> Result<T, Failure> {
    serde_json::from_str(json).map_err(failure::not_json)
}

enum Outcome {
    Begun(ResourceArc<Deployment>, String),
    /// As JSON.
    Told(String),
}

impl Answer for Outcome {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        let decode = |json: &str| json::decode(env, json);
        match self {
            Outcome::Begun(deployment, live) => Ok((deployment, decode(&live)?).encode(env)),
            Outcome::Told(json) => decode(&json),
        }
    }
}
