//! WB014 and WB015: checks that prove nothing new.
//!
//! A warning, never a refusal: somebody may want a task whose word is enough. What is read is only what is certain; a
//! check that does anything else besides is taken at its word.

use super::Plan;
use super::checks::{Text, check};
use crate::answer::{Finding, Level};
use crate::org::code;
use crate::tasks::is_shell;
use shell_grammar::ast::{AndOr, Command, Kind, Link, List, Open, Pipeline, RedirectKind, Simple, Word};
use shell_grammar::{Limits, Script};
use std::collections::BTreeSet;

pub(super) fn circular(plan: &Plan<'_>, found: &mut Vec<Finding>) {
    let mut made: Option<Vec<BTreeSet<String>>> = None;
    for i in 0..plan.outline.headlines.len() {
        let section = plan.outline.section(i);
        let Some(text) = check(plan, &section) else { continue };
        let Some(script) = read(text.text()) else { continue };
        match proves(&script) {
            Proof::Something => {}
            Proof::Nothing => found.push(finding(plan, i, &text, Circular::nothing())),
            Proof::Exists(files) => {
                let made =
                    made.get_or_insert_with(|| (0..plan.outline.headlines.len()).map(|i| makes(plan, i)).collect());
                let inside = &made[i..plan.outline.headlines[i].end];
                let own = |file: &String| inside.iter().any(|made| made.contains(file));
                if files.iter().all(own) {
                    found.push(finding(plan, i, &text, Circular::empty(&files)));
                }
            }
        }
    }
}

/// Why a check proves nothing new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circular {
    /// The rule.
    pub code: &'static str,
    /// What it found.
    pub message: String,
}

impl Circular {
    fn nothing() -> Circular {
        Circular {
            code: "WB014",
            message: "the check passes whatever was done".to_owned(),
        }
    }

    fn empty(files: &BTreeSet<String>) -> Circular {
        let files: Vec<String> = files.iter().map(|file| format!("`{file}`")).collect();
        Circular {
            code: "WB015",
            message: format!(
                "the check looks for {}, which the task itself creates empty",
                files.join(", ")
            ),
        }
    }
}

/// Whether a check proves nothing beyond what the script of its own task makes true, by WB014 and WB015.
///
/// ```
/// assert_eq!(oql::circular("test -e out", "touch out").unwrap().code, "WB015");
/// assert_eq!(oql::circular("true", "make out").unwrap().code, "WB014");
/// assert_eq!(oql::circular("test -s out", "touch out"), None);
/// ```
pub fn circular_texts(check: &str, script: &str) -> Option<Circular> {
    match proves(&read(check)?) {
        Proof::Something => None,
        Proof::Nothing => Some(Circular::nothing()),
        Proof::Exists(files) => {
            let mut made = BTreeSet::new();
            read(script)?.lists.iter().for_each(|list| touched(list, &mut made));
            files.is_subset(&made).then(|| Circular::empty(&files))
        }
    }
}

fn finding(plan: &Plan<'_>, i: usize, text: &Text<'_>, circular: Circular) -> Finding {
    let hint = "check what the work should have brought about: what is in a file, not that it is there";
    let name = plan.outline.name(i);
    let Circular { code, message } = circular;
    plan.finding(code, Level::Warn, &name, text.place(0), message, hint.into())
}

fn read(script: &str) -> Option<Script> {
    Script::read(script.as_bytes(), &Limits::default()).ok()
}

/// What a check that passes has proven.
enum Proof {
    Something,
    Nothing,
    /// Only that these files are there.
    Exists(BTreeSet<String>),
}

fn proves(script: &Script) -> Proof {
    let mut files = BTreeSet::new();
    let mut any = false;
    for item in script.lists.iter().flat_map(|list| list.items.iter()) {
        any = true;
        if !is_idle(&item.and_or, &mut files) {
            return Proof::Something;
        }
    }
    match (any, files.is_empty()) {
        // A check of comments alone is refused elsewhere.
        (false, _) => Proof::Something,
        (true, true) => Proof::Nothing,
        (true, false) => Proof::Exists(files),
    }
}

/// Whether nothing but the existence of `files` can make it fail.
fn is_idle(and_or: &AndOr, files: &mut BTreeSet<String>) -> bool {
    // `anything || true` passes always.
    if let Some((Link::Or, last)) = and_or.rest.last()
        && single(last).is_some_and(is_true)
    {
        return true;
    }
    let links = and_or.rest.iter().all(|(link, _)| *link == Link::And);
    let mut pipelines = std::iter::once(&and_or.first).chain(and_or.rest.iter().map(|(_, pipeline)| pipeline));
    links
        && pipelines.all(|pipeline| {
            let Some(simple) = single(pipeline) else { return false };
            is_true(simple) || looks_for(simple).map(|file| files.insert(file)).is_some()
        })
}

/// The simple command that a pipeline is, when that is all that it is.
fn single(pipeline: &Pipeline) -> Option<&Simple> {
    match &pipeline.commands[..] {
        [
            Command {
                kind: Kind::Simple(simple),
                redirects,
                ..
            },
        ] if !pipeline.negated && redirects.is_empty() && simple.assigns.is_empty() => Some(simple),
        _ => None,
    }
}

fn words(simple: &Simple) -> Option<Vec<String>> {
    simple.words.iter().map(Word::certain).collect()
}

fn is_true(simple: &Simple) -> bool {
    let Some(words) = words(simple) else { return false };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    matches!(words[..], ["true" | ":", ..] | ["exit"] | ["exit", "0"])
}

/// The file whose being there a command tests.
fn looks_for(simple: &Simple) -> Option<String> {
    let words = words(simple)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["test", "-e" | "-f", file] | ["[", "-e" | "-f", file, "]"] => Some(plain(file)),
        _ => None,
    }
}

fn plain(file: &str) -> String {
    file.trim_start_matches("./").to_owned()
}

/// The files that the blocks of a headline create without putting anything into them.
fn makes(plan: &Plan<'_>, i: usize) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    let section = plan.outline.section(i);
    let blocks = section
        .sources
        .iter()
        .filter(|s| !s.has("check") && s.lang.is_some_and(is_shell));
    for script in blocks.filter_map(|block| read(&code(plan.outline.text, block))) {
        script.lists.iter().for_each(|list| touched(list, &mut files));
    }
    files
}

fn touched(list: &List, files: &mut BTreeSet<String>) {
    for item in list.items.iter() {
        let AndOr { first, rest } = &*item.and_or;
        let pipelines = std::iter::once(first).chain(rest.iter().map(|(_, pipeline)| pipeline));
        for command in pipelines.flat_map(|p| &p.commands) {
            match &command.kind {
                Kind::Simple(simple) => touched_by(simple, command, files),
                Kind::Group(list) | Kind::Subshell(list) => touched(list, files),
                _ => {}
            }
        }
    }
}

fn touched_by(simple: &Simple, command: &Command, files: &mut BTreeSet<String>) {
    let Some(words) = words(simple) else { return };
    if words.first().is_some_and(|name| name == "touch") {
        files.extend(
            words[1..]
                .iter()
                .filter(|word| !word.starts_with('-'))
                .map(|word| plain(word)),
        );
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if matches!(words[..], [] | ["true" | ":", ..] | ["printf", ""] | ["echo", "-n"]) {
        for redirect in &command.redirects {
            if let RedirectKind::File(Open::Write | Open::Append | Open::Clobber, file) = &redirect.kind {
                files.extend(file.certain().map(|file| plain(&file)));
            }
        }
    }
}
