//! WB003 and WB005: titles that name two things.

use super::Plan;
use crate::answer::{Finding, Level};
use crate::workflow;
use std::collections::BTreeMap;

pub(super) fn shared_titles(plan: &Plan<'_>, found: &mut Vec<Finding>) {
    let line_of = |i: usize| plan.outline.headlines[i].line;
    let mut workflows = BTreeMap::new();
    for w in workflow::all(plan.outline) {
        let name = plan.outline.name(w);
        if let Some(first) = workflows.get(&name) {
            found.push(plan.finding(
                "WB003",
                Level::Warn,
                &name,
                plan.title(w),
                format!(
                    "two workflows are called `{name}`; the first is on line {}",
                    line_of(*first)
                ),
                "rename one: the upgrade gate knows a workflow by its title, and the last one wins".into(),
            ));
        } else {
            workflows.insert(name, w);
        }
    }
    let mut siblings = BTreeMap::new();
    for i in (0..plan.outline.headlines.len()).filter(|i| plan.outline.state(*i).is_some()) {
        let name = plan.outline.name(i);
        let key = (plan.outline.headlines[i].parent, name.clone());
        if let Some(first) = siblings.get(&key) {
            found.push(plan.finding(
                "WB005",
                Level::Warn,
                &name,
                plan.title(i),
                format!(
                    "two sibling tasks are called `{name}`; the first is on line {}",
                    line_of(*first)
                ),
                "rename one, or give each an :ID:".into(),
            ));
        } else {
            siblings.insert(key, i);
        }
    }
}
