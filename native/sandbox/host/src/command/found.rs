//! A command that was found by its name.

use super::launch::Launch;
use super::load::Command;
use crate::{Error, Sandbox};
use serde::{Deserialize, Serialize};

/// How a command expects its argument.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgMode {
    /// As arguments.
    #[default]
    Argv,
    /// As the first line of its input.
    Stdin1,
}

/// A command that can be started.
#[derive(Clone)]
pub struct Found {
    /// The command.
    pub command: Command,
    /// How it expects its argument.
    pub arg_mode: ArgMode,
}

impl Found {
    /// Runs the command as it expects its arguments; see [`Command::launch`].
    pub async fn launch(&self, sandbox: &Sandbox, mut launch: Launch) -> Result<u8, Error> {
        if self.arg_mode == ArgMode::Stdin1 && launch.argv.len() > 1 {
            let mut line = launch.argv.split_off(1).join(&b' ');
            line.push(b'\n');
            let [stdin, ..] = &mut launch.streams;
            *stdin = stdin.clone().after(line);
        }
        self.command.launch(sandbox, launch).await
    }
}
