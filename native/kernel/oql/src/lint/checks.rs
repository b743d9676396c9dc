//! WB007, WB012 and WB013: checks that could only fail.

use super::Plan;
use crate::answer::{Finding, Level};
use crate::org::{Code, Joined, Section};
use crate::tasks::{DONE_WHEN, SHELLS, TWO_CHECKS};
use shell_grammar::{BASH_BUILTINS, Dialect, Limits, Script};
use std::collections::BTreeSet;

/// What a check runs, and where its bytes stand in the plan.
pub(super) enum Text<'a> {
    Property(Joined<'a>),
    Block(Code, Dialect),
}

impl Text<'_> {
    pub fn text(&self) -> &str {
        match self {
            Text::Property(property) => &property.value,
            Text::Block(code, _) => &code.text,
        }
    }

    pub fn place(&self, at: usize) -> usize {
        match self {
            Text::Property(property) => property.place(at),
            Text::Block(code, _) => code.place(at),
        }
    }

    /// The language that it is run in.
    pub fn dialect(&self) -> Dialect {
        let said = match self {
            Text::Property(_) => Dialect::Sh,
            Text::Block(_, dialect) => *dialect,
        };
        Dialect::of_script(self.text().as_bytes()).unwrap_or(said)
    }
}

/// The property wins, so a block beside it is never run.
pub(super) fn check<'a>(plan: &Plan<'a>, section: &Section<'a>) -> Option<Text<'a>> {
    if let Some(property) = section.find(&DONE_WHEN) {
        return Some(Text::Property(property));
    }
    let block = section.sources.iter().find(|s| s.has("check"))?;
    let shell = block.lang.is_some_and(|l| SHELLS.contains(&l));
    let dialect = block.lang.and_then(Dialect::named).unwrap_or_default();
    shell.then(|| Text::Block(Code::of(plan.outline.text, block), dialect))
}

/// WB013: which of two lines would decide, the author did not say.
pub(super) fn doubled(plan: &Plan<'_>, found: &mut Vec<Finding>) {
    for i in 0..plan.outline.headlines.len() {
        if let Some(second) = plan.outline.section(i).second(&DONE_WHEN) {
            found.push(plan.finding(
                "WB013",
                Level::Error,
                &plan.outline.name(i),
                second.offset,
                TWO_CHECKS.into(),
                "write `:done-when+:` on the second line: the two are joined by a space".into(),
            ));
        }
    }
}

pub(super) fn unrunnable(plan: &Plan<'_>, found: &mut Vec<Finding>) {
    let known: Option<BTreeSet<&str>> = plan
        .facts
        .commands
        .as_ref()
        .map(|names| names.iter().map(String::as_str).collect());
    for i in 0..plan.outline.headlines.len() {
        let section = plan.outline.section(i);
        let Some(script) = check(plan, &section) else { continue };
        let name = plan.outline.name(i);
        match Script::read_as(script.text().as_bytes(), script.dialect(), &Limits::default()) {
            Err(error) => found.push(plan.finding(
                "WB012",
                Level::Error,
                &name,
                script.place(error.offset),
                format!("the check has a syntax error: {}", error.message),
                "a check that cannot be read can only fail".into(),
            )),
            Ok(read) => {
                let Some(known) = &known else { continue };
                // The shell carries the builtins of bash, and not for sh.
                let foreign = |name: &str| script.dialect() == Dialect::Sh && BASH_BUILTINS.contains(&name);
                let missing = |name: &str| !known.contains(name) || foreign(name);
                for word in read.commands().iter().filter(|w| missing(w.name.as_str())) {
                    found.push(plan.finding(
                        "WB007",
                        Level::Error,
                        &name,
                        script.place(word.offset),
                        format!("the check names `{}`, which the shell does not carry", word.name),
                        "it could only fail: use a command that the shell has".into(),
                    ));
                }
            }
        }
    }
}
