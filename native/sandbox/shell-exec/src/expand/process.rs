//! `<(..)` and `>(..)`: commands behind a descriptor.

use crate::ast::{Bytes, List};
use crate::shell::{MOST_DESCRIPTORS, Shell, Trouble};

/// Where descriptors for them begin, downwards; scripts use the low ones.
const HIGHEST: usize = 63;

impl Shell {
    /// Starts the commands, and names the descriptor that leads to them.
    pub(super) fn process(&mut self, input: bool, list: &List) -> Result<Bytes, Trouble> {
        let number = (3..=HIGHEST)
            .rev()
            .chain(HIGHEST + 1..MOST_DESCRIPTORS)
            .find(|number| self.descriptor(*number).is_none());
        let Some(number) = number else {
            return Err("too many process substitutions".to_owned().into());
        };
        let held = (self.world.meter.job()?, self.world.meter.pipes(1)?);
        let (reader, writer) = pipe::pipe();
        let mut shell = self.subshell();
        let pid = self.world.next_pid();
        let process = self.world.processes.start(pid);
        shell.process = process.clone();
        shell.owns_process = true;
        shell.stack = 0;
        // Nobody else's substitution stays open through this one.
        for other in &self.substitutions {
            shell.set_descriptor(*other, None);
        }
        let own = match input {
            true => {
                shell.set_descriptor(1, Some(writer));
                reader
            }
            false => {
                shell.set_descriptor(0, Some(reader));
                self.world.readers.lock().push(process.clone());
                writer
            }
        };
        self.set_descriptor(number, Some(own));
        self.substitutions.push(number);
        self.last_job = Some(pid);
        let (world, list) = (self.world.clone(), list.clone());
        let tasks = world.clone();
        tasks.tasks.spawn(Box::pin(async move {
            let work = async { shell.only(&list).await };
            match process.live(work, Ok).await {
                Ok(status) => process.end(status),
                Err(error) => world.tasks.fail(error),
            }
            world.processes.forget(pid);
            drop(held);
        }));
        Ok(format!("/dev/fd/{number}").into())
    }

    /// Closes the descriptors of substitutions that belong to commands that are over.
    pub(crate) fn close_substitutions(&mut self, kept: usize) {
        while self.substitutions.len() > kept {
            if let Some(number) = self.substitutions.pop() {
                self.set_descriptor(number, None);
            }
        }
    }
}
