//! The two ways from a scheduler to another thread and back: to a worker, for what blocks, and to the threads that
//! guests share.
//!
//! A job keeps references to the caller's binaries instead of copying them, watches the caller (when the caller dies
//! the guest is interrupted), survives panics, and sends exactly one `{tag, {:ok, answer} | {:error, reason}}`.

use crate::failure::{self, Failure};
use host::{Cancel, Executor, Workers};
use rustler::env::SavedTerm;
use rustler::types::atom;
use rustler::{Encoder, Env, LocalPid, Monitor, NifResult, OwnedEnv, Resource, ResourceArc, Term};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a job hands back: something that becomes a term on the job's thread, where there is time for it.
pub(crate) trait Answer {
    /// The term for `{:ok, term}`.
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure>;
}

impl Answer for () {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        Ok(atom::ok().encode(env))
    }
}

/// Throws the switch when a process that the job works for goes down.
pub(crate) struct Watch(Cancel);

#[rustler::resource_impl]
impl Resource for Watch {
    fn down<'a>(&'a self, _: Env<'a>, _: LocalPid, _: Monitor) {
        self.0.cancel();
    }
}

impl Watch {
    pub(crate) fn over<'p>(env: Env, processes: impl IntoIterator<Item = &'p LocalPid>) -> ResourceArc<Watch> {
        let watch = ResourceArc::new(Watch(Cancel::default()));
        for process in processes {
            if env.monitor(&watch, process).is_none() {
                // It is gone already.
                watch.0.cancel();
            }
        }
        watch
    }

    pub(crate) fn cancel(&self) -> &Cancel {
        &self.0
    }
}

/// Arguments that wait for their job.
pub(crate) struct Arguments {
    env: OwnedEnv,
    term: SavedTerm,
}

impl Arguments {
    pub(crate) fn keep(term: impl Encoder) -> Arguments {
        let env = OwnedEnv::new();
        let term = env.save(term);
        Arguments { env, term }
    }

    /// Lends the term to `read`.
    pub(crate) fn read<R>(&self, read: impl FnOnce(Term<'_>) -> R) -> R {
        self.env.run(|env| read(self.term.load(env)))
    }
}

/// Queues `work(input, cancel)` for a worker. Answers `:ok`, or `{:error, reason}` when the queue is full; then no
/// message comes.
pub(crate) fn spawn<'a, A: Answer>(
    env: Env<'a>,
    workers: &Workers,
    tag: Term<'a>,
    input: Term<'a>,
    work: impl FnOnce(Term<'_>, &Cancel) -> Result<A, Failure> + Send + 'static,
) -> NifResult<Term<'a>> {
    let caller = env.pid();
    let watch = Watch::over(env, [&caller]);
    // Two environments, so that the reply does not drag the input along into the caller's heap.
    let input = Arguments::keep(input);
    let tag = Arguments::keep(tag);

    Ok(queued(
        env,
        workers.submit(move || {
            let reply = Reply::new(caller, tag);
            let answer = guarded(|| input.read(|input| work(input, &watch.0)));
            drop(input);
            reply.send(answer);
            drop(watch);
        }),
    ))
}

/// Queues `work(input, cancel, reply)` for the threads that guests share, as [`spawn`] does for a worker. The guest is
/// interrupted also when `owner` dies. The work replies by itself, for it may have things to put away afterwards.
pub(crate) fn spawn_guest<'a, F: Future<Output = ()> + Send>(
    env: Env<'a>,
    executor: &Executor,
    tag: Term<'a>,
    owner: Option<LocalPid>,
    input: Arguments,
    work: impl FnOnce(Arguments, Cancel, Reply) -> F + Send + 'static,
) -> NifResult<Term<'a>> {
    let caller = env.pid();
    let watch = Watch::over(env, owner.iter().chain([&caller]));
    let tag = Arguments::keep(tag);

    Ok(queued(
        env,
        executor.submit(move || async move {
            work(input, watch.0.clone(), Reply::new(caller, tag)).await;
            drop(watch);
        }),
    ))
}

fn queued<'a>(env: Env<'a>, queued: Result<(), host::Error>) -> Term<'a> {
    match queued {
        Ok(()) => atom::ok().encode(env),
        Err(busy) => failure::error(env, &busy.into()),
    }
}

/// The one message that a caller waits for. When a panic throws it away, it says so.
pub(crate) struct Reply {
    caller: LocalPid,
    tag: Option<Arguments>,
}

impl Reply {
    fn new(caller: LocalPid, tag: Arguments) -> Reply {
        Reply { caller, tag: Some(tag) }
    }

    pub(crate) fn send<A: Answer>(mut self, answer: Result<A, Failure>) {
        self.say(answer);
    }

    fn say<A: Answer>(&mut self, answer: Result<A, Failure>) {
        let Some(Arguments { mut env, term: tag }) = self.tag.take() else {
            return;
        };
        // A caller that is gone does not mind.
        let _ = env.send_and_clear(&self.caller, |env| {
            let reply = match guarded(|| answer?.into_term(env)) {
                Ok(term) => (atom::ok(), term).encode(env),
                Err(failure) => failure::error(env, &failure),
            };
            (tag.load(env), reply)
        });
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.say::<()>(Err(failure::panicked("the job was thrown away")));
    }
}

fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        Err(failure::panicked(text.unwrap_or("no message")))
    })
}
