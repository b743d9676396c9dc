//! The check of a session's step: a task's check, asked by the crate `acceptance`.

use crate::Context;
use acceptance::{Place, Task};
use session::Verdict;
use session::workflow::Check;
use std::path::Path;

/// Asks a check in a directory. What cannot be run does not pass.
pub(crate) fn run(context: &Context, check: &Check, workdir: &Path) -> Verdict {
    let task = match check {
        Check::Command { command } => Task {
            done_when: Some(command),
            ..Task::default()
        },
        Check::Block { lang, body } => Task {
            check: Some((lang, body)),
            ..Task::default()
        },
    };
    let place = Place {
        cancel: context.cancel.clone(),
        ..Place::at(workdir)
    };
    match context.parts.check(task, place).reason {
        None => Verdict::Pass,
        Some(reason) => Verdict::Fail { reason },
    }
}
