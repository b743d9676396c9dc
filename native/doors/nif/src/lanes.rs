//! Build lanes.

use crate::failure::{self, Failure};
use crate::instance;
use crate::jobs::{self, Answer, Arguments};
use crate::runtime::Runtime;
use ::lanes::{Artifact, Bounds, Format, Order, Shape, Source, State, Status, Tell};
use host::Cancel;
use rustler::{Atom, Encoder, Env, LocalPid, NifMap, NifResult, NifTaggedEnum, NifUnitEnum, ResourceArc, Term};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::spawn_blocking;

mod atoms {
    rustler::atoms! { absent, command, component, kernel, progress, ready }
}

/// What is to be built, as `Workbooks.Lanes` decided it.
#[derive(NifMap)]
#[rustler(decode)]
struct Wanted {
    lang: String,
    source: Given,
    shape: Form,
    input: Kind,
    output: Kind,
    uses: Vec<String>,
    deps: Vec<String>,
    /// Milliseconds.
    time: u64,
}

#[derive(NifTaggedEnum)]
#[rustler(decode)]
enum Given {
    Text(String),
    Dir(String),
}

#[derive(NifUnitEnum)]
#[rustler(decode)]
enum Form {
    Component,
    Command,
    Kernel,
}

#[derive(NifUnitEnum)]
#[rustler(decode)]
enum Kind {
    String,
    Json,
}

/// Lists the lanes.
#[rustler::nif]
fn lanes_list<'a>(env: Env<'a>, runtime: ResourceArc<Runtime>, tag: Term<'a>) -> NifResult<Term<'a>> {
    let keep = runtime.clone();
    jobs::spawn(env, &runtime.workers, tag, tag, move |_, _| {
        Ok(List(keep.lanes()?.list()))
    })
}

/// Builds. Replies with the artifact; `progress` hears how it goes on.
#[rustler::nif]
fn lanes_build<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    order: Term<'a>,
    progress: Option<(LocalPid, Term<'a>)>,
) -> NifResult<Term<'a>> {
    let tell = progress.map(|(pid, tag)| tell(pid, tag));
    let keep = runtime.clone();
    jobs::spawn_guest(
        env,
        &runtime.executor,
        tag,
        None,
        Arguments::keep(order),
        move |order, cancel, reply| async move {
            let work = move || build(&keep, &order, tell, &cancel);
            let built = spawn_blocking(work).await;
            reply.send(built.unwrap_or_else(|panic| Err(failure::panicked(panic))));
        },
    )
}

fn build(
    runtime: &ResourceArc<Runtime>,
    order: &Arguments,
    tell: Option<Tell>,
    cancel: &Cancel,
) -> Result<Built, Failure> {
    #[expect(
        clippy::redundant_closure,
        reason = "the function alone is for one lifetime, and this for any"
    )]
    let wanted: Wanted = order.read(|order| failure::given(order))?;
    let order = Order {
        lang: wanted.lang,
        source: match wanted.source {
            Given::Text(text) => Source::Text(text),
            Given::Dir(path) => Source::Dir(path.into()),
        },
        shape: match wanted.shape {
            Form::Component => Shape::Component,
            Form::Command => Shape::Command,
            Form::Kernel => Shape::Kernel,
        },
        input: wanted.input.into(),
        output: wanted.output.into(),
        uses: wanted.uses,
        deps: wanted.deps,
        bounds: Bounds {
            time: Duration::from_millis(wanted.time),
            ..Bounds::default()
        },
        tell,
    };
    Ok(Built(runtime.lanes()?.build(&order, cancel)?))
}

fn tell(listener: LocalPid, tag: Term) -> Tell {
    let tell = instance::teller(listener, tag);
    Arc::new(move |text| tell(atoms::progress(), text.as_bytes()))
}

impl From<Kind> for Format {
    fn from(kind: Kind) -> Format {
        match kind {
            Kind::String => Format::String,
            Kind::Json => Format::Json,
        }
    }
}

fn form(shape: Shape) -> Atom {
    match shape {
        Shape::Component => atoms::component(),
        Shape::Command => atoms::command(),
        Shape::Kernel => atoms::kernel(),
    }
}

struct List(Vec<Status>);

#[derive(NifMap)]
#[rustler(encode)]
struct Line {
    lang: &'static str,
    lane: &'static str,
    state: Atom,
    shapes: Vec<Atom>,
    hint: &'static str,
}

impl Answer for List {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        let line = |Status { lane, state }: Status| Line {
            lang: lane.lang,
            lane: lane.compiler,
            state: match state {
                State::Ready => atoms::ready(),
                State::Absent => atoms::absent(),
            },
            shapes: lane.shapes.iter().map(|shape| form(*shape)).collect(),
            hint: match state {
                State::Ready => "",
                State::Absent => lane.hint,
            },
        };
        Ok(self.0.into_iter().map(line).collect::<Vec<_>>().encode(env))
    }
}

struct Built(Artifact);

#[derive(NifMap)]
#[rustler(encode)]
struct Found {
    path: String,
    sha256: String,
    lane: String,
    shape: Atom,
    cached: bool,
}

impl Answer for Built {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        let artifact = self.0;
        let built = Found {
            path: artifact.path.display().to_string(),
            sha256: artifact.sha256,
            lane: artifact.lane,
            shape: form(artifact.shape),
            cached: artifact.cached,
        };
        Ok(built.encode(env))
    }
}
