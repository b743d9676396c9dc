//! `wbx completions`: a shell's completion script.

use crate::{answer::Answer, call::Call, command_line, failure::Failure};
use clap_complete::{Shell, generate};

/// The shells that the table offers.
pub const SHELLS: &[&str] = &["bash", "zsh", "fish"];

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let name = call.text("SHELL").unwrap_or_default();
    let shell: Shell = name
        .parse()
        .map_err(|_| Failure::usage(format!("no completions for `{name}`"), SHELLS.join(", ")))?;
    let mut script = Vec::new();
    generate(shell, &mut command_line::command(), "wbx", &mut script);
    Ok(Answer::text(String::from_utf8_lossy(&script).into_owned()))
}
