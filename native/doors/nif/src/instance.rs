//! Instances: one call of a component in a fresh sandbox.

use crate::component::Component;
use crate::disk::OpenDisk;
use crate::dock::Dock;
use crate::failure::{self, Failure};
use crate::jobs::{self, Answer, Arguments};
use crate::json;
use crate::runtime::Runtime;
use host::{Answered, Bridge, Call, Channel, Grant, Limits, Program, Sink, Source};
use parking_lot::Mutex;
use rustler::{Atom, Env, LocalPid, NewBinary, NifMap, NifResult, OwnedEnv, ResourceArc, Term};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::spawn_blocking;

pub(crate) mod atoms {
    rustler::atoms! { stdout, stderr }
}

/// What a guest may have, as `Workbooks.Instance` decided it.
#[derive(NifMap)]
#[rustler(decode)]
struct Order<'a> {
    capabilities: Vec<&'a str>,
    /// Bytes.
    memory: usize,
    /// Milliseconds.
    time: u64,
    /// Bytes.
    output: usize,
    session: String,
    disk: Option<ResourceArc<OpenDisk>>,
    /// Who answers `llm-complete` and `browse-fetch`.
    dock: Option<LocalPid>,
    /// Who hears what the guest prints, and under which tag.
    stream: Option<(LocalPid, Term<'a>)>,
    /// Whose death ends the call as well.
    owner: Option<LocalPid>,
}

/// Runs a component once. Replies with its answer.
#[rustler::nif]
fn instance_run<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    component: Term<'a>,
    input: Term<'a>,
    order: Order<'a>,
) -> NifResult<Term<'a>> {
    let disk = match order.disk.map(|disk| disk.get()).transpose() {
        Ok(disk) => disk,
        Err(closed) => return Ok(failure::error(env, &closed)),
    };
    let grant = Grant::of(order.capabilities);
    let limits = Limits {
        memory: order.memory,
        time: Duration::from_millis(order.time),
    };
    let (output, session) = (order.output, order.session);
    let bridge = order.dock.map(|pid| Arc::new(Dock(pid)) as Arc<dyn Bridge>);
    let sink = order.stream.map(|(pid, tag)| sink(pid, tag));
    let arguments = Arguments::keep((component, input));
    let keep = runtime.clone();

    jobs::spawn_guest(
        env,
        &runtime.executor,
        tag,
        order.owner,
        arguments,
        move |arguments, cancel, reply| async move {
            let run = async {
                let (source, input) = arguments.read(decode)?;
                drop(arguments);
                let program = program(&keep, source).await?;
                let call = Call {
                    input,
                    grant,
                    limits,
                    output,
                    session,
                    disk,
                    commands: keep.registry()?,
                    bridge,
                    executor: keep.executor.clone(),
                    sink,
                    cancel,
                };
                Ok(program.run(&keep.sandbox()?, call).await?)
            };
            match run.await {
                Ok(Answered { text, rest }) => {
                    reply.send(Ok(Text(text)));
                    drop(rest);
                }
                Err(failure) => reply.send::<Text>(Err(failure)),
            }
        },
    )
}

fn decode(arguments: Term) -> Result<(Source, String), Failure> {
    let (component, input): (Component, rustler::Binary) = failure::given(arguments)?;
    let input = failure::text(&input)?;
    Ok((component.source(), input.to_owned()))
}

/// The program, loaded on a thread that can wait when it is not at hand.
async fn program(runtime: &ResourceArc<Runtime>, source: Source) -> Result<Arc<Program>, Failure> {
    if let Some(program) = runtime.programs.at_hand(&source) {
        return Ok(program);
    }
    let runtime = runtime.clone();
    let load = move || Ok(runtime.programs.load(&*runtime.sandbox()?, &source)?);
    spawn_blocking(load)
        .await
        .unwrap_or_else(|panic| Err(failure::panicked(panic)))
}

fn sink(listener: LocalPid, tag: Term) -> Sink {
    let tell = teller(listener, tag);
    Arc::new(move |channel, bytes| {
        tell(
            match channel {
                Channel::Stdout => atoms::stdout(),
                Channel::Stderr => atoms::stderr(),
            },
            bytes,
        )
    })
}

/// Sends `{tag, :stdout | :stderr, bytes}` to `listener` while a guest runs.
pub(crate) fn teller(listener: LocalPid, tag: Term) -> impl Fn(Atom, &[u8]) + Send + Sync + 'static {
    let tag = Mutex::new(Arguments::keep(tag));
    move |channel, bytes| {
        // A listener that is gone does not mind.
        let _ = OwnedEnv::new().send_and_clear(&listener, |env| {
            let tag = tag.lock().read(|tag| tag.in_env(env));
            let bytes: Term = NewBinary::from_slice(env, bytes).into();
            (tag, channel, bytes)
        });
    }
}

/// What a guest answered.
struct Text(String);

impl Answer for Text {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        Ok(json::string(env, &self.0))
    }
}
