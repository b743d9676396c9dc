//! Execution: walking the tree.
//!
//! A walk is a future. Pipelines and jobs are futures side by side, so one thread is enough, and dropping the whole
//! ends everything in it.

mod compound;
mod condition;
mod elsewhere;
pub(crate) mod external;
mod job;
mod loops;
pub(crate) mod nested;
mod path;
mod redirect;
mod script;
pub(crate) mod simple;
mod substitution;
mod trap;
mod xtrace;

use crate::Error;
use crate::ast::{AndOr, Command, Kind, Link, List, Pipeline};
use crate::meter::WORK_PER_STEP;
use crate::options::Flag;
use crate::shell::{Condition, Exec, Shell, Stop, Trouble};
use crate::shopt::Opt;
use futures_util::future::{BoxFuture, try_join_all};
use std::task::Poll;
use std::time::Instant;

/// Work between two moments at which the run's owner can look at the clock.
const YIELD_EVERY: u64 = 256 * WORK_PER_STEP;

/// Lists inside lists that are polled on one stack. Deeper ones are polled beside the script, so that the depth of a
/// script costs memory and not stack.
pub(crate) const MOST_ON_STACK: usize = 6;

/// About the size of the futures of one list inside another.
const LEVEL: usize = 4 << 10;

/// The status of what wrote to a pipe that nobody reads.
pub(crate) const BROKEN_PIPE: u8 = 141;

impl Shell {
    pub(crate) async fn list(&mut self, list: &List) -> Exec {
        // What this level of the walk takes while it lasts.
        let _held = self.world.meter.memory(LEVEL)?;
        self.stack += 1;
        let flow = match self.stack > MOST_ON_STACK {
            true => self.elsewhere(list).await,
            false => self.items(list).await,
        };
        self.stack -= 1;
        flow
    }

    async fn items(&mut self, list: &List) -> Exec {
        for item in list.items.iter() {
            if self.is(Flag::NoExec) && !self.is(Flag::Interactive) {
                break;
            }
            match &item.background {
                Some(text) => self.background(&item.and_or, text).await?,
                None => self.and_or(&item.and_or).await?,
            }
            self.run_pending_traps().await?;
        }
        Ok(())
    }

    async fn and_or(&mut self, and_or: &AndOr) -> Exec {
        let (mut last, rest) = (&and_or.first, &and_or.rest);
        for (link, next) in rest {
            let wanted = match link {
                Link::And => 0,
                Link::Or => 1,
            };
            // Either a pipeline that decides about the next, or one that was skipped.
            if let Some(pipeline) = unless_skipped(last) {
                self.tested(pipeline).await?;
            }
            last = match u8::from(self.status != 0) == wanted {
                true => next,
                false => &SKIPPED,
            };
        }
        match unless_skipped(last) {
            Some(pipeline) => self.pipeline(pipeline).await,
            None => Ok(()),
        }
    }

    /// Runs a pipeline whose failure is being looked at.
    async fn tested(&mut self, pipeline: &Pipeline) -> Exec {
        let before = std::mem::replace(&mut self.tested, true);
        let flow = self.pipeline(pipeline).await;
        self.tested = before;
        flow
    }

    async fn pipeline(&mut self, pipeline: &Pipeline) -> Exec {
        let started = pipeline.timed.then(Instant::now);
        let flow = self.pipeline_alone(pipeline).await;
        if let Some(started) = started {
            let passed = started.elapsed();
            let (minutes, seconds) = (passed.as_secs() / 60, passed.as_secs_f64() % 60.0);
            // What commands take is not told apart from what passes.
            let text = format!("\nreal\t{minutes}m{seconds:.3}s\nuser\t0m0.000s\nsys\t0m0.000s\n");
            self.tell(text.as_bytes()).await;
        }
        flow
    }

    async fn pipeline_alone(&mut self, pipeline: &Pipeline) -> Exec {
        let before = self.tested;
        self.tested |= pipeline.negated;
        let flow = match &pipeline.commands[..] {
            [command] => {
                let flow = self.command(command, false).await;
                if matches!(
                    command.kind,
                    Kind::Subshell(_) | Kind::Arithmetic(_) | Kind::Condition(_)
                ) {
                    self.statuses.clear();
                    self.statuses.push(self.status);
                }
                flow
            }
            commands => self.stages(commands, false).await,
        };
        self.tested = before;
        flow?;
        if pipeline.negated {
            self.status = u8::from(self.status == 0);
        }
        Ok(())
    }

    /// All stages at once, each a subshell. If there is nothing else to do, the last one stands for this shell.
    async fn stages(&mut self, commands: &[Command], only: bool) -> Exec {
        let _pipes = self.world.meter.pipes(commands.len() - 1)?;
        let mut stages = Vec::with_capacity(commands.len());
        let mut input = None;
        let stays = self.is_bash() && self.shopt.is(Opt::LastPipe) && !only;
        let (own, commands) = match commands.split_last() {
            Some((last, rest)) if stays => (Some(last), rest),
            _ => (None, commands),
        };
        for (index, command) in commands.iter().enumerate() {
            let mut shell = self.subshell();
            if let Some(reader) = input.take() {
                shell.set_descriptor(0, Some(reader));
            }
            if index + 1 < commands.len() || own.is_some() {
                let (reader, writer) = pipe::pipe();
                shell.set_descriptor(1, Some(writer));
                input = Some(reader);
            } else {
                shell.owns_process = only && self.owns_process;
            }
            stages.push(shell.stage(command));
        }
        let mut statuses = match own {
            None => try_join_all(stages).await?,
            Some(last) => {
                // `lastpipe`: this shell is the last stage itself.
                let before = self.descriptor(0).cloned();
                self.set_descriptor(0, input);
                let tested = std::mem::replace(&mut self.tested, true);
                let work = async {
                    let flow = self.command(last, false).await;
                    self.set_descriptor(0, before);
                    Ok((flow, self.status))
                };
                let (statuses, (flow, status)) = futures_util::future::try_join(try_join_all(stages), work).await?;
                self.tested = tested;
                flow?;
                let mut statuses = statuses;
                statuses.push(status);
                statuses
            }
        };
        if let Some(last) = statuses.last() {
            self.status = *last;
        }
        if self.is(Flag::PipeFail) {
            self.status = statuses.iter().copied().rfind(|status| *status != 0).unwrap_or(0);
        }
        std::mem::swap(&mut self.statuses, &mut statuses);
        self.failed().await
    }

    /// One command as all that this shell does.
    async fn stage(mut self, command: &Command) -> Result<u8, Error> {
        let flow = self.command(command, true).await;
        self.end(flow).await
    }

    /// A list as all that this shell does.
    pub(crate) async fn only(mut self, list: &List) -> Result<u8, Error> {
        let flow = self.list(list).await;
        self.end(flow).await
    }

    /// Runs a command. If it is the last thing this shell does, what it inherits is handed over and not kept.
    fn command<'a>(&'a mut self, command: &'a Command, last: bool) -> BoxFuture<'a, Exec> {
        Box::pin(async move {
            self.step().await?;
            self.line = command.line;
            let substitutions = self.substitutions.len();
            let debugs = matches!(
                command.kind,
                Kind::Simple(_)
                    | Kind::Arithmetic(_)
                    | Kind::Condition(_)
                    | Kind::For(_)
                    | Kind::Case(..)
                    | Kind::Select(_)
            );
            if debugs && self.traps.actions.contains_key(&Condition::Debug) {
                self.run_debug_trap().await?;
                self.line = command.line;
            }
            let flow = match &command.kind {
                Kind::Simple(simple) => match self.simple(simple, &command.redirects, last).await {
                    Ok(()) => {
                        self.statuses.clear();
                        self.statuses.push(self.status);
                        self.failed().await
                    }
                    flow => flow,
                },
                Kind::Subshell(list) if last && command.redirects.is_empty() => {
                    self.in_loop |= self.loops > 0;
                    self.loops = 0;
                    self.list(list).await
                }
                _ => self.compound(command).await,
            };
            self.close_substitutions(substitutions);
            flow
        })
    }

    async fn step(&mut self) -> Exec {
        self.world.step()?;
        if self.world.meter.done() - self.paused_at >= YIELD_EVERY {
            self.pause().await;
        }
        Ok(())
    }

    /// Lets others run.
    async fn pause(&mut self) {
        self.paused_at = self.world.meter.done();
        let mut paused = false;
        std::future::poll_fn(|cx| match std::mem::replace(&mut paused, true) {
            true => Poll::Ready(()),
            false => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
        })
        .await;
    }

    /// What a failure that nobody asks about means: `trap .. ERR` hears of it, and `set -e` ends the shell.
    pub(crate) async fn failed(&mut self) -> Exec {
        if self.status == 0 || self.tested {
            return Ok(());
        }
        if self.traps.actions.contains_key(&Condition::Err) {
            self.run_err_trap().await?;
        }
        match self.is(Flag::ErrExit) {
            true => Err(Stop::Exit),
            false => Ok(()),
        }
    }

    /// The end of this shell: its trap runs, and its status is known.
    pub(crate) async fn end(&mut self, flow: Exec) -> Result<u8, Error> {
        let ended = self.end_with(flow).await;
        // Whoever reads from this shell hears that nothing more comes.
        self.descriptors.clear();
        ended
    }

    async fn end_with(&mut self, flow: Exec) -> Result<u8, Error> {
        match flow {
            Err(Stop::Fatal(error)) => return Err(error),
            Err(Stop::BrokenPipe) => return Ok(BROKEN_PIPE),
            _ => {}
        }
        let before = self.status;
        match self.run_exit_trap().await {
            Err(Stop::Fatal(error)) => return Err(error),
            Err(Stop::BrokenPipe) => return Ok(BROKEN_PIPE),
            _ => {}
        }
        // Elsewhere an action on EXIT may turn a failure into a success. In a check it would have the last word on what
        // was proven, in whichever subshell, substitution or `sh -c` it was set.
        if self.world.sealed && before != 0 && self.status == 0 {
            self.status = before;
        }
        Ok(self.status)
    }

    /// Says on standard error what went wrong.
    pub(crate) async fn say(&self, message: &str) {
        self.tell(format!("{}: line {}: {message}\n", self.dialect.name(), self.line).as_bytes())
            .await;
    }

    /// Writes to standard error. If that fails, there is nobody left to tell.
    pub(crate) async fn tell(&self, text: &[u8]) {
        if let Some(stderr) = self.descriptor(2).cloned() {
            let _ = stderr.write_all(text).await;
        }
    }

    /// An error that ends a shell: it is said, and the status is 1.
    pub(crate) async fn give_up(&mut self, trouble: Trouble) -> Stop {
        match trouble {
            Trouble::Fatal(error) => Stop::Fatal(error),
            Trouble::Say(message) => {
                self.say(&message).await;
                self.status = 1;
                Stop::Error
            }
            Trouble::End(message) => {
                self.say(&message).await;
                // bash has another status for a text that it was given on its command line.
                let given = self.is_bash() && !self.from_file && !self.is(Flag::Stdin);
                self.status = if given { 127 } else { 1 };
                match self.is_bash() {
                    true => Stop::Exit,
                    false => Stop::Error,
                }
            }
        }
    }
}

/// Stands for a pipeline that `&&` or `||` passes over.
static SKIPPED: Pipeline = Pipeline {
    negated: false,
    timed: false,
    commands: Vec::new(),
};

fn unless_skipped(pipeline: &Pipeline) -> Option<&Pipeline> {
    (!pipeline.commands.is_empty()).then_some(pipeline)
}
