//! WB010 and WB011: tasks that rest on other tasks.

use super::Plan;
use crate::answer::{Finding, Level};
use crate::org::list;
use crate::tasks;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn done_on_unfinished(plan: &Plan<'_>, found: &mut Vec<Finding>) {
    let outline = plan.outline;
    for i in (0..outline.headlines.len()).filter(|i| outline.state(*i) == Some("DONE")) {
        let open = outline
            .children(i)
            .find(|c| outline.state(*c).is_some_and(|s| !outline.keywords.is_done(s)));
        if let Some(child) = open {
            found.push(plan.finding(
                "WB010",
                Level::Warn,
                &outline.name(i),
                outline.headlines[i].keyword.start,
                format!(
                    "DONE rests on `{}`, which is {} (line {})",
                    outline.name(child),
                    outline.state(child).unwrap_or_default(),
                    outline.headlines[child].line
                ),
                "finish the child, or take the DONE back".into(),
            ));
        }
    }
}

pub(super) fn unknown_blockers(plan: &Plan<'_>, found: &mut Vec<Finding>) {
    let ids = tasks::ids(plan.outline);
    let known: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    let titles: BTreeMap<&str, &str> = (0..ids.len())
        .rev()
        .map(|i| (plan.outline.title(i), ids[i].as_str()))
        .collect();
    for i in 0..ids.len() {
        let section = plan.outline.section(i);
        for key in ["BLOCKER", "DEPENDS"] {
            let Some(property) = section.find(&[key]) else { continue };
            for (at, id) in list(&property.value).filter(|(_, id)| !known.contains(id)) {
                let by_title = titles.get(&*property.value).or_else(|| titles.get(id));
                found.push(plan.finding(
                    "WB011",
                    Level::Error,
                    &plan.outline.name(i),
                    property.place(at),
                    format!("`:{key}:` names `{id}`, and no task has that id"),
                    match by_title {
                        Some(id) => format!("the task of that title has the id `{id}`"),
                        None => "name the :ID: of a task, or its title as a slug: `Ship it` is ship-it".into(),
                    },
                ));
            }
        }
    }
}
