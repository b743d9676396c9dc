//! What is linked in, and what the machine has.

use super::Check;
use crate::root;
use std::{
    io::{self, IsTerminal},
    process::{Command, Stdio},
};

pub fn checks() -> Vec<Check> {
    vec![kernel(), limits(), policy(), terminal(), git()]
}

/// Asks the kernel a question whose answer is known.
fn kernel() -> Check {
    let found = oql::validate("* Broken :workflow:\n** Orphan :component:\n");
    match found.as_deref() {
        Ok([one]) if one.scope == "Orphan" => {
            let version = env!("CARGO_PKG_VERSION");
            Check::ok("kernel", format!("version {version}, linked in"))
        }
        _ => Check::broken(
            "kernel",
            "gave a wrong answer to a known question",
            "build wbx again, and report it",
        ),
    }
    .needed_by_runs()
}

fn limits() -> Check {
    let (text, nesting) = (oql::MAX_TEXT >> 20, oql::MAX_NESTING);
    Check::ok("limits", format!("{text} MiB of text, headlines {nesting} deep"))
}

fn policy() -> Check {
    let policy = root::engine().policy();
    let profiles: Vec<&str> = policy.profiles().into_iter().map(|(name, _)| name).collect();
    let capabilities: Vec<&str> = policy.capabilities().into_iter().collect();
    Check::ok(
        "policy",
        format!(
            "profiles {}; capabilities {}",
            profiles.join(" "),
            capabilities.join(" ")
        ),
    )
    .needed_by_runs()
}

fn terminal() -> Check {
    let is = |stream: bool| if stream { "a terminal" } else { "not a terminal" };
    let detail = format!(
        "standard output is {}, standard error is {}",
        is(io::stdout().is_terminal()),
        is(io::stderr().is_terminal())
    );
    Check::ok("terminal", detail)
}

fn git() -> Check {
    let output = Command::new("git").arg("--version").stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => Check::ok("git", String::from_utf8_lossy(&output.stdout).trim()),
        _ => Check::missing("git", "check-upgrade cannot read git:REV:PATH", "install git"),
    }
}
