//! Scripts in the in-WASM shell.

use crate::failure::{self, Failure};
use crate::instance::{self, atoms};
use crate::jobs::{self, Answer, Arguments};
use crate::registry::hex;
use crate::runtime::Runtime;
use acceptance::Writes;
use host::{Cancel, Limits};
use pipe::Stream;
use rustler::types::atom;
use rustler::{Binary, Encoder, Env, LocalPid, NewBinary, NifMap, NifResult, ResourceArc, Term};
use shell::{Channel, Finished, Hear, Job, Listener, Shell};
use std::sync::Arc;
use std::time::Duration;

/// What a script is run with, as `Workbooks.Shell` decided it.
#[derive(NifMap)]
#[rustler(decode)]
struct Order<'a> {
    script: Binary<'a>,
    dialect: String,
    args: Vec<Binary<'a>>,
    env: Vec<(Binary<'a>, Binary<'a>)>,
    stdin: Binary<'a>,
    workdir: Option<String>,
    /// Paths of the machine that the script can read and not change.
    read_only: Vec<String>,
    commands: Option<Vec<String>>,
    /// Bytes of memory for each command.
    memory: usize,
    /// Milliseconds for all of it.
    time: u64,
    limits: Bounds,
}

#[derive(NifMap)]
#[rustler(decode)]
struct Bounds {
    script: usize,
    nesting: usize,
    steps: usize,
    argv: usize,
    pipes: usize,
    jobs: usize,
    memory: usize,
    output: usize,
    stdin: usize,
    written: u64,
}

/// Runs a script. Replies with what came of it.
#[rustler::nif]
fn shell_run<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    order: Term<'a>,
    stream: Option<(LocalPid, Term<'a>)>,
) -> NifResult<Term<'a>> {
    let hear = stream.map(|(pid, tag)| hear(pid, tag));
    let keep = runtime.clone();
    jobs::spawn_guest(
        env,
        &runtime.executor,
        tag,
        None,
        Arguments::keep(order),
        move |order, cancel, reply| async move {
            let run = async {
                let (mut job, output) = order.read(|order| decode(order, cancel))?;
                drop(order);
                let writes = job
                    .workdir
                    .as_deref()
                    .and_then(|dir| Writes::of(dir).ok())
                    .map(Arc::new);
                job.listener = writes.clone().map(|writes| writes as Arc<dyn Listener>);
                let shell = Shell {
                    sandbox: keep.sandbox()?,
                    registry: keep.registry()?,
                };
                let ran = shell.capture(job, output, hear).await?;
                Ok(Ran(ran, writes.map_or_else(Vec::new, |writes| writes.wrote())))
            };
            reply.send(run.await);
        },
    )
}

/// The job, and how much it may print.
fn decode(order: Term, cancel: Cancel) -> Result<(Job, usize), Failure> {
    let order: Order = failure::given(order)?;
    let bounds = order.limits;
    if order.stdin.len() > bounds.stdin {
        return Err(shell::Error::StdinTooLarge(order.stdin.len(), bounds.stdin).into());
    }
    let dialect = shell::Dialect::named(&order.dialect).unwrap_or_default();
    let job = Job {
        script: order.script.to_vec(),
        dialect,
        name: dialect.name().into(),
        args: order.args.iter().map(|word| word.to_vec()).collect(),
        env: order
            .env
            .iter()
            .map(|(name, value)| (name.to_vec(), value.to_vec()))
            .collect(),
        workdir: order.workdir.map(Into::into),
        own_tmp: true,
        read_only: order.read_only.into_iter().map(Into::into).collect(),
        listener: None,
        seal: None,
        cwd: "/".into(),
        streams: [Stream::bytes(order.stdin.as_slice()), Stream::null(), Stream::null()],
        commands: order.commands.map(|names| names.into_iter().collect()),
        each: Limits {
            memory: order.memory,
            time: Duration::from_millis(order.time),
        },
        limits: shell::Limits {
            script: bounds.script,
            nesting: bounds.nesting,
            steps: bounds.steps,
            argv: bounds.argv,
            pipes: bounds.pipes,
            jobs: bounds.jobs,
            memory: bounds.memory,
            written: bounds.written,
        },
        cancel,
    };
    Ok((job, bounds.output))
}

fn hear(listener: LocalPid, tag: Term) -> Hear {
    let tell = instance::teller(listener, tag);
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

mod keys {
    rustler::atoms! { stdout, stderr, status, duration_us, stages, missing, wrote, name, sha256 }
}

/// What came of a script.
struct Ran((Finished, Vec<u8>, Vec<u8>), Vec<String>);

impl Answer for Ran {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        let Ran((finished, stdout, stderr), wrote) = self;
        let binary = |bytes: &[u8]| -> Term { NewBinary::from_slice(env, bytes).into() };
        let stages: Vec<Term> = finished
            .stages
            .iter()
            .map(|stage| {
                let pairs = [
                    (keys::name(), stage.name.encode(env)),
                    (keys::sha256(), stage.module.map(hex).encode(env)),
                    (keys::status(), stage.status.encode(env)),
                ];
                map(env, &pairs)
            })
            .collect();
        let pairs = [
            (keys::stdout(), binary(&stdout)),
            (keys::stderr(), binary(&stderr)),
            (keys::status(), finished.status.encode(env)),
            (keys::duration_us(), (finished.duration.as_micros() as u64).encode(env)),
            (keys::stages(), stages.encode(env)),
            (keys::missing(), finished.missing.encode(env)),
            (keys::wrote(), wrote.encode(env)),
        ];
        Ok(map(env, &pairs))
    }
}

fn map<'a>(env: Env<'a>, pairs: &[(rustler::Atom, Term<'a>)]) -> Term<'a> {
    Term::map_from_pairs(env, pairs).unwrap_or_else(|_| atom::nil().encode(env))
}
