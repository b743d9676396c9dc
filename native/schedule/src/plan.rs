//! The schedules of a plan.

use crate::{Error, Schedule, Spec};
use oql::World;
use serde::Serialize;
use std::collections::BTreeMap;

/// A workflow that runs by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Planned {
    /// Its title, as in the compiled plan.
    pub workflow: String,
    /// The titles of the workflows around it, from the outermost, and its own.
    pub path: Vec<String>,
    /// The line of its headline, from 1.
    pub line: usize,
    /// When it runs.
    pub schedule: Spec,
}

/// Every workflow of a plan that runs by itself, in the order of the text. One that cannot be read is an error.
///
/// ```
/// let plan = "* Report :workflow:\n:PROPERTIES:\n:SCHEDULE: 0 9 * * MON-FRI\n:TZ: Europe/Berlin\n:END:\n";
/// let found = schedule::in_plan(plan).unwrap();
/// assert_eq!(found[0].workflow, "Report");
/// assert_eq!(found[0].schedule.tz, "Europe/Berlin");
/// ```
pub fn in_plan(org: &str) -> Result<Vec<Planned>, Error> {
    let worlds = oql::tangle_plan(org).map_err(Error::Plan)?.worlds;
    let rows = oql::parse_headlines(org).map_err(Error::Plan)?;
    let tasks = oql::tasks(org).map_err(Error::Plan)?;
    // The rows know the tags, the tasks every property, the worlds the names; all three go by the order of the text.
    let workflows = rows
        .iter()
        .zip(&tasks)
        .filter(|(row, _)| row.tags.iter().any(|tag| tag == "workflow"));
    let mut named = Vec::new();
    worlds.iter().for_each(|world| walk(world, &[], &mut named));
    workflows
        .zip(named)
        .filter_map(|((row, task), (world, path))| planned(world, path, row.line, &task.props).transpose())
        .collect()
}

fn walk<'w>(world: &'w World, above: &[String], named: &mut Vec<(&'w World, Vec<String>)>) {
    let path: Vec<String> = above.iter().cloned().chain([world.name.clone()]).collect();
    named.push((world, path.clone()));
    world.workflows.iter().for_each(|inner| walk(inner, &path, named));
}

fn planned(
    world: &World,
    path: Vec<String>,
    line: usize,
    props: &BTreeMap<String, String>,
) -> Result<Option<Planned>, Error> {
    let mut spec = match &world.schedule {
        Some(oql::Schedule::Cron { cron }) => Spec::cron(cron),
        // `[2026-06-11 Thu]` is a note to people.
        Some(oql::Schedule::At(stamp)) if stamp.active => Spec::at(&stamp.at, stamp.repeat.as_deref()),
        _ => return Ok(None),
    };
    for (key, field) in [("TZ", &mut spec.tz), ("CATCHUP", &mut spec.catchup)] {
        if let Some(value) = props.get(key) {
            value.clone_into(field);
        }
    }
    Schedule::read(&spec).map_err(|error| Error::In {
        workflow: world.name.clone(),
        error: Box::new(error),
    })?;
    Ok(Some(Planned {
        workflow: world.name.clone(),
        path,
        line,
        schedule: spec,
    }))
}
