//! WB004, WB006 and WB008: what flows between components, and what they ask of the host.

use super::Plan;
use crate::answer::{Finding, Level};
use crate::error::Error;
use crate::workflow::{self, Component};
use std::collections::BTreeMap;

/// Names shown of a cycle before the rest is only counted.
const SHOWN: usize = 16;

pub(super) fn two_producers(plan: &Plan<'_>, found: &mut Vec<Finding>) {
    for w in workflow::outermost(plan.outline) {
        let mut producers: BTreeMap<&str, &Component<'_>> = BTreeMap::new();
        for c in plan.components.under(plan.outline, w) {
            let Some(out) = c.output else { continue };
            match producers.get(out.text) {
                Some(first) => found.push(plan.finding(
                    "WB004",
                    Level::Warn,
                    &c.name,
                    out.offset,
                    format!("`{}` is also produced by `{}`", out.text, first.name),
                    "rename one output: a consumer cannot tell them apart".into(),
                )),
                None => {
                    producers.insert(out.text, c);
                }
            }
        }
    }
}

pub(super) fn unknown_capabilities(plan: &Plan<'_>, found: &mut Vec<Finding>) {
    let Some(known) = &plan.facts.capabilities else {
        return;
    };
    let is_known = |name: &str| {
        known.iter().any(|k| match k.strip_suffix('*') {
            Some(prefix) => name.len() > prefix.len() && name.starts_with(prefix),
            None => k == name,
        })
    };
    for w in workflow::outermost(plan.outline) {
        for c in plan.components.under(plan.outline, w) {
            for used in c.uses.iter().filter(|u| !is_known(u.text)) {
                found.push(plan.finding(
                    "WB006",
                    Level::Error,
                    &c.name,
                    used.offset,
                    format!("unknown capability `{}`", used.text),
                    format!("no host can grant it; known are {}", known.join(", ")),
                ));
            }
        }
    }
}

pub(super) fn cycles(plan: &Plan<'_>, found: &mut Vec<Finding>) -> Result<(), Error> {
    for w in workflow::outermost(plan.outline) {
        let inside = plan.components.under(plan.outline, w);
        let edges = workflow::edges(inside.iter())?;
        for cycle in cycles_of(inside.len(), &edges) {
            let first = &inside[cycle[0]];
            let mut names: Vec<String> = cycle
                .iter()
                .take(SHOWN)
                .map(|i| format!("`{}`", inside[*i].name))
                .collect();
            if cycle.len() > SHOWN {
                names.push(format!("{} more", cycle.len() - SHOWN));
            }
            names.push(format!("`{}`", first.name));
            found.push(plan.finding(
                "WB008",
                Level::Error,
                &first.name,
                first.inputs[0].offset,
                format!("the data edges form a cycle: {}", names.join(" -> ")),
                "break it: one of these must not need what the others make".into(),
            ));
        }
    }
    Ok(())
}

/// One cycle for each knot: a depth-first walk that follows producers to consumers, with its own stack, so that a
/// long chain cannot overflow anybody's.
fn cycles_of(nodes: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for (from, to) in edges {
        next[*from].push(*to);
    }
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        OnPath(usize),
        Done,
    }
    let mut seen = vec![Seen::No; nodes];
    let mut found = Vec::new();
    for root in 0..nodes {
        if seen[root] != Seen::No {
            continue;
        }
        let mut path: Vec<(usize, usize)> = vec![(root, 0)];
        seen[root] = Seen::OnPath(0);
        let mut reported = false;
        while let Some((node, tried)) = path.last_mut() {
            let Some(&to) = next[*node].get(*tried) else {
                seen[*node] = Seen::Done;
                path.pop();
                continue;
            };
            *tried += 1;
            match seen[to] {
                Seen::No => {
                    seen[to] = Seen::OnPath(path.len());
                    path.push((to, 0));
                }
                Seen::OnPath(at) if !reported => {
                    // One finding names the knot; its other loops are the same mistake.
                    reported = true;
                    let mut cycle: Vec<usize> = path[at..].iter().map(|(n, _)| *n).collect();
                    let first = cycle.iter().enumerate().min_by_key(|(_, n)| **n).map_or(0, |(i, _)| i);
                    cycle.rotate_left(first);
                    found.push(cycle);
                }
                Seen::OnPath(_) | Seen::Done => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::cycles_of;

    #[test]
    fn cycles_are_found_once_and_begin_with_the_first_component() {
        for (nodes, edges, want) in [
            (3, vec![(0, 1), (1, 2)], vec![]),
            (3, vec![(0, 1), (1, 2), (2, 0)], vec![vec![0, 1, 2]]),
            (1, vec![(0, 0)], vec![vec![0]]),
            (4, vec![(3, 1), (1, 3), (0, 1)], vec![vec![1, 3]]),
            (4, vec![(0, 1), (1, 0), (2, 3), (3, 2)], vec![vec![0, 1], vec![2, 3]]),
            (3, vec![(0, 1), (0, 2), (1, 2)], vec![]),
        ] {
            assert_eq!(cycles_of(nodes, &edges), want, "{edges:?}");
        }
    }

    #[test]
    fn a_long_chain_is_walked_without_recursion() {
        let edges: Vec<_> = (0..1_000_000).map(|i| (i, i + 1)).collect();
        assert!(cycles_of(1_000_001, &edges).is_empty());
    }
}
