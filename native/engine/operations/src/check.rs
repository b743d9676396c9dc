//! The check of a session's step: a task's check, asked by the crate `acceptance`.

use crate::Context;
use acceptance::{Place, Task};
use session::event::{Judge, Printed};
use session::workflow::Check;
use session::{Asked, Verdict};

/// Asks a check in the session's own directory. What cannot be run does not pass.
pub(crate) fn run(context: &Context, asked: &Asked<'_>) -> Verdict {
    let Some(workdir) = asked.workdir else {
        return Verdict::fail(
            "no directory is pinned for the session's checks; the operator pins one with `wbx session pin`",
        );
    };
    let task = match asked.check {
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
    let verdict = context.parts.check(task, place);
    let printed = |bytes: &[u8]| verdict.status.map(|_| Printed::of(bytes));
    Verdict {
        pass: verdict.pass,
        judge: Judge::Shell,
        exit_status: verdict.status,
        stdout: printed(&verdict.stdout),
        stderr: printed(&verdict.stderr),
        changed: verdict.changed,
        reason: verdict.reason,
    }
}
