//! Commands of the port.

use crate::Error;
use crate::ast::Bytes;
use crate::exec::nested::Nested;
use crate::expand::Args;
use crate::shell::{Exec, Shell, lossy};
use crate::variables::Variable;
use crate::{Ended, Start};
use pipe::Stream;
use std::sync::{Arc, OnceLock};

impl Shell {
    /// Runs a command of the port to its end. Variables that are only set for it get their old values back.
    pub(crate) async fn external(
        &mut self,
        name: String,
        args: Args,
        hidden: Vec<(Bytes, Option<Variable>)>,
        last: bool,
    ) -> Exec {
        let env = self.environment();
        let nested = Nested::of(self, self.variables.clone());
        for (name, variable) in hidden.into_iter().rev() {
            self.variables.restore(name, variable);
        }
        let Some(commands) = self.world.command(&name).cloned() else {
            return self.not_found(&name).await;
        };
        let Args { list: argv, mut held } = args;
        if argv.iter().map(|arg| arg.len() + 1).sum::<usize>() > self.world.limits.argv {
            return Err(Error::ArgvTooLong.into());
        }
        let size = env.iter().map(|(name, value)| name.len() + value.len()).sum();
        held.grow(size)?;
        self.world.meter.copied(size)?;
        let module = Arc::new(OnceLock::new());
        let start = Start {
            name: name.clone(),
            argv,
            cwd: lossy(&self.cwd).into_owned(),
            stdin: self.input(),
            stdout: self.output(1),
            stderr: self.output(2),
            descriptors: self.further_descriptors(),
            umask: self.umask,
            written: self.world.written.clone(),
            nested,
            env,
            module: module.clone(),
        };
        let stderr = start.stderr.clone();
        if last {
            // The command is now the only one that holds its ends of pipes.
            self.descriptors.clear();
        }
        let stage = self.world.started(&name, module);
        let ended = commands.run(start).await;
        self.status = match ended {
            Ended::Status(status) => status,
            Ended::Failed { status, why } => {
                self.world.broke(&name, &why);
                let _ = stderr.write_all(format!("{name}: {why}\n").as_bytes()).await;
                status
            }
            Ended::Fatal(error) => return Err(error.into()),
        };
        self.world.ended(stage, self.status);
        self.world.check_written()?;
        Ok(())
    }

    /// The open descriptors above the standard ones.
    fn further_descriptors(&self) -> Vec<(usize, Stream)> {
        let numbered = self.descriptors.iter().enumerate().skip(3);
        numbered
            .filter_map(|(number, stream)| Some((number, stream.clone()?)))
            .collect()
    }

    /// Standard input. A closed one cannot be read.
    fn input(&self) -> Stream {
        self.descriptor(0).cloned().unwrap_or_else(|| Stream::sink(|_| Ok(())))
    }

    /// An output. A closed one cannot be written.
    fn output(&self, number: usize) -> Stream {
        self.descriptor(number).cloned().unwrap_or_else(|| Stream::bytes(""))
    }
}
