//! WB004, WB006 and WB008: what flows between components, and what they ask of the host.

use super::Plan;
use crate::answer::{Finding, Level};
use crate::waves::Order;
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

pub(super) fn cycles(plan: &Plan<'_>, found: &mut Vec<Finding>) {
    for w in workflow::outermost(plan.outline) {
        let inside: Vec<&Component<'_>> = plan.components.under(plan.outline, w).iter().collect();
        for cycle in Order::of(&inside).cycles {
            let first = inside[cycle[0]];
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
}
