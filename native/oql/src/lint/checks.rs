//! WB007 and WB012: checks that could only fail.

use super::Plan;
use crate::answer::{Finding, Level};
use crate::shell_check;
use crate::tasks::DONE_WHEN;
use std::collections::BTreeSet;

/// Languages of a `:check` block that the shell runs.
const SHELLS: [&str; 3] = ["sh", "shell", "bash"];

pub(super) fn unrunnable(plan: &Plan<'_>, found: &mut Vec<Finding>) {
    let known: Option<BTreeSet<&str>> = plan
        .facts
        .commands
        .as_ref()
        .map(|names| names.iter().map(String::as_str).collect());
    for i in 0..plan.outline.headlines.len() {
        let section = plan.outline.section(i);
        // The property wins, so a block beside it is never run.
        let (script, offset) = match section.find(&DONE_WHEN) {
            Some(property) => (property.value, property.offset),
            None => {
                let block = section.sources.iter().find(|s| s.has("check"));
                let shell = block.filter(|s| s.lang.is_some_and(|l| SHELLS.contains(&l)));
                let Some(block) = shell else { continue };
                (&plan.outline.text[block.body.clone()], block.body.start)
            }
        };
        let name = plan.outline.name(i);
        match shell_check::check(script) {
            Err(error) => found.push(plan.finding(
                "WB012",
                Level::Error,
                &name,
                offset + error.offset,
                format!("the check has a syntax error: {}", error.message),
                "a check that cannot be read can only fail".into(),
            )),
            Ok(script) => {
                let Some(known) = &known else { continue };
                for word in script.commands.iter().filter(|w| !known.contains(w.name.as_str())) {
                    found.push(plan.finding(
                        "WB007",
                        Level::Error,
                        &name,
                        offset + word.offset,
                        format!("the check names `{}`, which the shell does not carry", word.name),
                        "it could only fail: use a command that the shell has".into(),
                    ));
                }
            }
        }
    }
}
