//! Operations: one door to the table.

use crate::failure::{self, Failure};
use crate::jobs::{self, Answer, Arguments};
use crate::live::Dispatcher;
use crate::runtime::Runtime;
use crate::sessions::Sessions;
use crate::{json, terms};
use ::engine::Engine;
use operations::{Context, EngineParts};
use parking_lot::Mutex;
use rustler::{Encoder, Env, LocalPid, NifMap, NifResult, NifUnitEnum, OwnedEnv, ResourceArc, Term};
use serde_json::Value;
use std::sync::Arc;

/// What is asked, as `Workbooks.Operations` decided it.
#[derive(NifMap)]
#[rustler(decode)]
struct Order<'a> {
    params: Term<'a>,
    form: Form,
    settings: Settings,
    here: String,
    toolkits: Option<String>,
    history: Option<String>,
    sessions: Option<ResourceArc<Sessions>>,
    workdir: Option<String>,
    /// What the caller found out about a check.
    verdict: Term<'a>,
    /// The time, in milliseconds since 1970.
    now: Option<i64>,
}

/// What the configuration says about toolkits.
#[derive(NifMap)]
#[rustler(decode)]
pub(crate) struct Settings {
    toolkits_root: Option<String>,
    toolkits_dir: Option<String>,
    execute: bool,
    posix: bool,
}

impl Settings {
    /// The engine, with what the configuration says.
    pub(crate) fn parts(self, engine: Arc<Engine>) -> EngineParts {
        EngineParts {
            engine,
            toolkits_root: self.toolkits_root.map(Into::into),
            toolkits_dir: self.toolkits_dir.map(Into::into),
            execute: self.execute,
            posix: self.posix,
        }
    }
}

/// What the answer is to be.
#[derive(NifUnitEnum, Clone, Copy)]
#[rustler(decode)]
enum Form {
    Term,
    Json,
}

/// Asks for an operation by its name. Replies with its answer. `stream` hears `{tag, :event, event}`.
#[rustler::nif]
fn operation_call<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    name: String,
    order: Term<'a>,
    doors: (Option<LocalPid>, Option<(LocalPid, Term<'a>)>),
) -> NifResult<Term<'a>> {
    let (dispatcher, stream) = doors;
    let events = stream.map(|(pid, tag)| teller(pid, tag));
    let keep = runtime.clone();
    jobs::spawn_guest(
        env,
        &runtime.executor,
        tag,
        None,
        Arguments::keep(order),
        move |order, cancel, reply| async move {
            let answer = async {
                let (mut context, params, form) = order.read(|order| read(order, keep))?;
                drop(order);
                context.live = Arc::new(Dispatcher(dispatcher));
                context.events = events.unwrap_or(context.events);
                context.cancel = cancel;
                Ok(Answered(
                    operations::call(Arc::new(context), &name, params).await?,
                    form,
                ))
            };
            reply.send(answer.await);
        },
    )
}

fn read(order: Term, runtime: ResourceArc<Runtime>) -> Result<(Context, Value, Form), Failure> {
    let order: Order = failure::given(order)?;
    let parts = Arc::new(order.settings.parts(runtime.engine.clone()));
    let verdict = match terms::value(order.verdict)? {
        Value::Null => None,
        verdict => Some(operations::read(verdict)?),
    };
    let context = Context {
        toolkits: order.toolkits.map(Into::into),
        history: order.history.map(Into::into),
        sessions: order.sessions.map(|sessions| sessions.0.clone()),
        workdir: order.workdir.map(Into::into),
        verdict,
        now: order.now,
        ..Context::new(parts, Arc::new(operations::NoEngine), order.here)
    };
    Ok((context, terms::value(order.params)?, order.form))
}

fn teller(listener: LocalPid, tag: Term) -> Arc<dyn Fn(Value) + Send + Sync> {
    let tag = Mutex::new(Arguments::keep(tag));
    Arc::new(move |event: Value| {
        // A listener that is gone does not mind.
        let _ = OwnedEnv::new().send_and_clear(&listener, |env| {
            let tag = tag.lock().read(|tag| tag.in_env(env));
            let event = json::decode(env, &event.to_string()).unwrap_or_else(|failure| failure::term(env, &failure));
            (tag, atoms::event(), event)
        });
    })
}

mod atoms {
    rustler::atoms! { event }
}

struct Answered(Value, Form);

impl Answer for Answered {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        let text = self.0.to_string();
        match self.1 {
            Form::Term => json::decode(env, &text),
            Form::Json => Ok(json::string(env, &text)),
        }
    }
}

/// The frame of a question, which came as a line.
#[rustler::nif]
fn frame_read<'a>(env: Env<'a>, runtime: ResourceArc<Runtime>, tag: Term<'a>, line: Term<'a>) -> NifResult<Term<'a>> {
    jobs::spawn(env, &runtime.workers, tag, line, |line, _| {
        let line: rustler::Binary = failure::given(line)?;
        let frame: Value = serde_json::from_str(failure::text(&line)?).map_err(failure::not_json)?;
        let frame: operations::Frame = operations::read(frame)?;
        Ok(Framed(frame))
    })
}

struct Framed(operations::Frame);

impl Answer for Framed {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        let params = json::decode(env, &self.0.params.to_string())?;
        Ok((self.0.id, self.0.op, params).encode(env))
    }
}
