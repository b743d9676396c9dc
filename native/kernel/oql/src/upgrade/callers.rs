//! What a caller of a deployed plan gets, old against new.
//!
//! The plain gate knows a workflow by its title alone, wherever it stands, and values by `name:type`. A caller asks for an
//! outermost workflow and reads its result by keys: a workflow of the same title somewhere else is no replacement, and a
//! value whose key moves is as good as gone. Findings that the plain gate has already are not repeated.

use super::signature::{Key, Signature, key, signature};
use super::{Gate, Side, explain};
use crate::answer::{Diagnostic, Level};
use crate::workflow::{self, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What changes for callers beyond `found`.
pub(super) fn check(gate: &Gate<'_>, found: &[Diagnostic]) -> Vec<Diagnostic> {
    let known: BTreeSet<(&str, &str)> = found.iter().map(|d| (d.scope.as_str(), d.message.as_str())).collect();
    let mut more = Vec::new();
    let (old, new) = (outermost(gate.old), outermost(gate.new));
    more.extend(must_choose(gate, &old, &new));
    // Pairs of siblings still to be compared: an own stack, for workflows nest as deep as headlines do.
    let mut open = vec![(old, new)];
    while let Some((old, new)) = open.pop() {
        for (_, was) in by_key(gate, gate.old, &old) {
            match counterpart(gate, was, &new) {
                None => more.push(gate.removed(&gate.old.signature(was))),
                Some(now) => {
                    more.extend(compare(gate, was, now));
                    open.push((
                        workflow::nested(gate.old.outline, was),
                        workflow::nested(gate.new.outline, now),
                    ));
                }
            }
        }
    }
    let mut seen = BTreeSet::new();
    more.retain(|d| !known.contains(&(&d.scope, &d.message)) && seen.insert((d.scope.clone(), d.message.clone())));
    more.sort_by(|a, b| a.scope.cmp(&b.scope));
    more
}

fn outermost(side: &Side<'_>) -> Vec<usize> {
    workflow::outermost(side.outline).collect()
}

/// Siblings by what identifies them; of two with one key the last counts, as it does for a caller who names it.
fn by_key(gate: &Gate<'_>, side: &Side<'_>, siblings: &[usize]) -> BTreeMap<Key, usize> {
    let identity = gate.opts.identity;
    siblings.iter().map(|w| (key(side.outline, *w, identity), *w)).collect()
}

/// Which of `siblings` has taken the place of the old workflow `was`.
fn counterpart(gate: &Gate<'_>, was: usize, siblings: &[usize]) -> Option<usize> {
    let wanted = key(gate.old.outline, was, gate.opts.identity);
    let by_key = by_key(gate, gate.new, siblings);
    by_key.get(&wanted).copied().or_else(|| {
        // Giving a workflow its first id breaks nothing.
        let title = gate.old.outline.name(was);
        let mut namesakes = siblings.iter().filter(|w| gate.new.outline.name(**w) == title);
        matches!(wanted, Key::Title(_)).then(|| namesakes.next_back().copied())?
    })
}

/// A caller who names no workflow gets the only one there is.
fn must_choose(gate: &Gate<'_>, old: &[usize], new: &[usize]) -> Option<Diagnostic> {
    let ([was], [_, _, ..]) = (old, new) else {
        return None;
    };
    let was = gate.old.signature(*was);
    let names: Vec<String> = new.iter().map(|w| format!("`{}`", gate.new.outline.name(*w))).collect();
    let message = format!(
        "a caller that names no workflow must now choose one of {} (breaking)",
        new.len()
    );
    Some(
        gate.diagnostic(Level::Error, "workflow_choice_needed", &was, message, || {
            explain::must_choose(gate, &was, new[1], &names)
        }),
    )
}

fn compare(gate: &Gate<'_>, was: usize, now: usize) -> Vec<Diagnostic> {
    let (old, new) = (gate.old.signature(was), gate.new.signature(now));
    let mut found = moved_keys(gate, was, now, &old);
    found.extend(gate.lost_exports(&old, &new));
    found.extend(gate.new_demands(&old, &new));
    found.extend(gate.moved_types(&old, &new));
    found
}

fn moved_keys(gate: &Gate<'_>, was: usize, now: usize, old: &Signature<'_>) -> Vec<Diagnostic> {
    let (had, has) = (results(gate.old, was), results(gate.new, now));
    let mut found = Vec::new();
    for (key, value) in &had {
        if has.get(key).is_some_and(|new| gate.keeps(value.text, new.text)) {
            continue;
        }
        let moved = has.iter().find(|(_, new)| gate.keeps(value.text, new.text));
        found.push(match moved {
            Some((to, new)) => {
                let message = format!("result key `{key}` is now `{to}` (breaking)");
                gate.diagnostic(Level::Error, "result_key_moved", old, message, || {
                    explain::moved_key(gate, old, key, value, new)
                })
            }
            None => gate.lost_export(old, &gate.new.signature(now), value),
        });
    }
    found
}

/// The values of a workflow's result by their keys: the bare name, or the whole text where a name stands for two. They
/// are what nothing directly in the workflow consumes, and of what is nested what nothing in the whole consumes.
fn results<'a>(side: &Side<'a>, w: usize) -> BTreeMap<&'a str, Value<'a>> {
    let (direct, nested) = workflow::direct(side.outline, &side.components, w);
    let all = direct.iter().chain(&nested).copied();
    let mut values = workflow::unconsumed(direct.iter().copied(), direct.iter().copied());
    values.extend(workflow::unconsumed(nested.iter().copied(), all));
    values.sort_by_key(|v| v.text);
    values.dedup_by_key(|v| v.text);
    let name = |v: &Value<'a>| v.text.split(':').next().unwrap_or(v.text).trim();
    let mut bearers: BTreeMap<&str, usize> = BTreeMap::new();
    for value in &values {
        *bearers.entry(name(value)).or_default() += 1;
    }
    values
        .into_iter()
        .map(|v| (if bearers[name(&v)] == 1 { name(&v) } else { v.text }, v))
        .collect()
}

impl<'a> Side<'a> {
    fn signature(&self, w: usize) -> Signature<'a> {
        signature(self.outline, &self.components, w)
    }
}
