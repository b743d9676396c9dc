//! One call: a fresh instance, its limits, its answer.

use super::dock::Bridge;
use super::grant::Grant;
use super::output::{Output, Sink};
use super::program::Program;
use super::state::{self, State};
use crate::guest::{self, Guest};
use crate::{Cancel, Error, Executor, Limits, Registry, Sandbox};
use std::sync::Arc;
use std::time::Instant;
use tokio::time::sleep_until;
use wasmtime::Store;

/// Everything that one call of a program needs.
pub struct Call {
    /// What the guest is given.
    pub input: String,
    /// What it may open.
    pub grant: Grant,
    /// What it may use.
    pub limits: Limits,
    /// Bytes it may print, and bytes it may answer with.
    pub output: usize,
    /// What `session-info` answers, as JSON.
    pub session: String,
    /// The workbook's disk, for `vfs-query`.
    pub disk: Option<Arc<vfs::Disk>>,
    /// The commands of `run-command`.
    pub commands: Arc<Registry>,
    /// Who answers `llm-complete` and `browse-fetch`.
    pub bridge: Option<Arc<dyn Bridge>>,
    /// Where `run-command-many` spreads its commands.
    pub executor: Arc<Executor>,
    /// Hears what the guest prints.
    pub sink: Option<Sink>,
    /// Stops the guest.
    pub cancel: Cancel,
}

/// What the Dock functions of one call draw on.
pub(super) struct Dock {
    pub session: String,
    pub disk: Option<Arc<vfs::Disk>>,
    pub commands: Arc<Registry>,
    pub bridge: Option<Arc<dyn Bridge>>,
    pub executor: Arc<Executor>,
    pub sandbox: Arc<Sandbox>,
    pub limits: Limits,
    pub deadline: Instant,
    pub output: usize,
    pub cancel: Cancel,
}

/// What a guest answered, and what is left of it.
pub struct Answered {
    /// The answer.
    pub text: String,
    /// Drop it once the answer is on its way: wiping an instance takes as long as a small call.
    pub rest: Rest,
}

/// An instance that has done its work.
pub struct Rest(#[expect(dead_code, reason = "held to be dropped later")] Store<State>);

impl Program {
    /// Runs `run` of a fresh instance.
    ///
    /// # Errors
    ///
    /// Whatever ended the guest early; see [`Error`].
    pub async fn run(&self, sandbox: &Arc<Sandbox>, call: Call) -> Result<Answered, Error> {
        let ready = self.code.prepare(sandbox, call.grant)?;
        if call.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let _running = sandbox.clock.run();
        let deadline = Instant::now() + call.limits.time;
        let (stdout, stderr) = Output::pair(call.output, call.sink);
        let dock = Dock {
            session: call.session,
            disk: call.disk,
            commands: call.commands,
            bridge: call.bridge,
            executor: call.executor,
            sandbox: sandbox.clone(),
            limits: call.limits,
            deadline,
            output: call.output,
            cancel: call.cancel.clone(),
        };
        let said = stderr.said();
        let wasi = state::wasi_context(call.grant)
            .args(&self.argv)
            .stdout(stdout)
            .stderr(stderr)
            .build();
        let state = State::docked(Guest::new(call.limits), dock, wasi);
        let mut store = Store::new(&sandbox.engine, state);
        store.limiter(|state| &mut state.guest);
        guest::give_way(&mut store, deadline, &call.cancel);

        let answered = until(deadline, &call.cancel, call.limits, async {
            let instance = ready.instance.instantiate_async(&mut store).await?;
            let run = instance.get_typed_func::<(&str,), (String,)>(&mut store, ready.run)?;
            run.call_async(&mut store, (&call.input,)).await
        })
        .await?;
        match answered {
            Ok((answer,)) if answer.len() > call.output => Err(Error::Trap(format!(
                "the answer has {} bytes, the limit is {}",
                answer.len(),
                call.output
            ))),
            Ok((text,)) => Ok(Answered {
                text,
                rest: Rest(store),
            }),
            Err(error) => Err(match guest::failure(&store.data().guest, error) {
                // A guest that gives up by itself has usually said why.
                Error::Exited(status, None) => Error::Exited(status, said.last()),
                failure => failure,
            }),
        }
    }
}

/// Waits for the deadline, for the switch, or for `work`, whichever comes first. A guest that waits in a host call looks
/// at no epoch, so its time is watched here as well; one whose time is up gets no other turn.
pub(super) async fn until<T>(
    deadline: Instant,
    cancel: &Cancel,
    limits: Limits,
    work: impl Future<Output = T>,
) -> Result<T, Error> {
    tokio::select! {
        biased;
        () = sleep_until(deadline.into()) => Err(Error::Deadline(limits.time)),
        () = cancel.cancelled() => Err(Error::Cancelled),
        done = work => Ok(done),
    }
}
