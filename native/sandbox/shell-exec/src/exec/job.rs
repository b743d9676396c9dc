//! Background jobs.

use super::Exec;
use crate::ast::AndOr;
use crate::meter::Held;
use crate::options::Flag;
use crate::shell::{Condition, Job, Shell};
use crate::signal::Signal;
use pipe::Stream;
use std::sync::Arc;

impl Shell {
    /// Starts an and-or list beside this shell.
    pub(super) async fn background(&mut self, and_or: &Arc<AndOr>, text: &[u8]) -> Exec {
        let held = self.world.meter.job()?;
        let pid = self.world.next_pid();
        let process = self.world.processes.start(pid);
        let mut shell = self.subshell();
        shell.process = process.clone();
        shell.owns_process = true;
        shell.stack = 0;
        if !self.is(Flag::Monitor) {
            shell.set_descriptor(0, Some(Stream::null()));
            // Nobody at a keyboard means these.
            let traps = Arc::make_mut(&mut shell.traps);
            for signal in [Signal::INT, Signal::QUIT] {
                traps.actions.insert(Condition::Signal(signal), Arc::default());
            }
        }
        shell.tell_process();
        shell.spawn(and_or.clone(), held);
        self.last_job = Some(pid);
        let jobs = Arc::make_mut(&mut self.jobs);
        let number = jobs.iter().map(|job| job.number).max().unwrap_or(0) + 1;
        jobs.push(Job {
            process,
            number,
            text: text.to_vec(),
        });
        self.status = 0;
        // A job that is done at once does not count towards those alive.
        self.pause().await;
        Ok(())
    }

    /// Runs an and-or list as all that this shell does, along with the script.
    fn spawn(mut self, and_or: Arc<AndOr>, held: Held) {
        let (world, process) = (self.world.clone(), self.process.clone());
        let (tasks, running) = (world.clone(), process.clone());
        let work = async move {
            let flow = match (&and_or.rest[..], &and_or.first.commands[..]) {
                ([], [command]) if !and_or.first.negated => self.command(command, true).await,
                ([], commands) if !and_or.first.negated => self.stages(commands, true).await,
                _ => self.and_or(&and_or).await,
            };
            self.end(flow).await
        };
        tasks.tasks.spawn(Box::pin(async move {
            match running.live(work, Ok).await {
                Ok(status) => running.end(status),
                Err(error) => world.tasks.fail(error),
            }
            world.processes.forget(process.pid);
            drop(held);
        }));
    }

    /// Tells the process which signals have traps.
    pub(crate) fn tell_process(&self) {
        if !self.owns_process {
            return;
        }
        let mut trapped = Vec::new();
        let mut ignored = Vec::new();
        for (condition, action) in &self.traps.actions {
            if let Condition::Signal(signal) = condition {
                match action.is_empty() {
                    true => ignored.push(*signal),
                    false => trapped.push(*signal),
                }
            }
        }
        self.process.handles(trapped, ignored);
    }
}
