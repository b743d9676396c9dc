//! The schedules of a plan.

use crate::{Error, Schedule, Spec};
use oql::{Facts, Finding, Row, Task, World};
use serde::Serialize;
use std::collections::BTreeMap;

/// A workflow that runs by itself, or was meant to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Planned {
    /// Its title, as in the compiled plan.
    pub workflow: String,
    /// The titles of the workflows around it, from the outermost, and its own.
    pub path: Vec<String>,
    /// The line of its headline, from 1.
    pub line: usize,
    /// When it runs. `None` when what the plan says is no time at all.
    pub schedule: Option<Spec>,
    /// Why it cannot run by itself. The other workflows of the plan are not concerned.
    pub problem: Option<Problem>,
}

/// Why a schedule cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Problem {
    /// `bad_schedule` or `unknown_zone`.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// Every workflow of a plan that runs by itself, in the order of the text. One whose schedule cannot be read is among
/// them, with its problem; only a plan that cannot be read at all is an error.
///
/// ```
/// let plan = "* Report :workflow:\n:PROPERTIES:\n:SCHEDULE: 0 9 * * MON-FRI\n:TZ: Europe/Berlin\n:END:\n";
/// let found = schedule::in_plan(plan).unwrap();
/// assert_eq!(found[0].workflow, "Report");
/// assert_eq!(found[0].schedule.as_ref().unwrap().tz, "Europe/Berlin");
///
/// let found = schedule::in_plan(&plan.replace("Europe/Berlin", "Mars/Base")).unwrap();
/// assert_eq!(found[0].problem.as_ref().unwrap().message, "there is no time zone `Mars/Base`");
/// ```
pub fn in_plan(org: &str) -> Result<Vec<Planned>, Error> {
    let worlds = oql::tangle_plan(org).map_err(Error::Plan)?.worlds;
    let rows = oql::parse_headlines(org).map_err(Error::Plan)?;
    let tasks = oql::tasks(org).map_err(Error::Plan)?;
    let findings = oql::lint(org, &Facts::default()).map_err(Error::Plan)?;
    let complaints: Vec<&Finding> = findings.iter().filter(|finding| finding.code == "WB009").collect();
    let mut named = Vec::new();
    worlds.iter().for_each(|world| walk(world, &[], &mut named));
    Ok(workflows(&rows, &tasks)
        .zip(named)
        .filter_map(|((row, task), (world, path))| {
            let unreadable = complaint(&complaints, &rows, row);
            planned(world, path, row.line, &task.props, unreadable)
        })
        .collect())
}

/// The live workflows in the order of the text, which is that of the worlds: rows know the tags, tasks every property.
fn workflows<'p>(rows: &'p [Row], tasks: &'p [Task]) -> impl Iterator<Item = (&'p Row, &'p Task)> {
    let by_line: BTreeMap<usize, &Task> = tasks.iter().map(|task| (task.line, task)).collect();
    let tagged = rows.iter().filter(|row| row.tags.iter().any(|tag| tag == "workflow"));
    tagged.filter_map(move |row| Some((row, *by_line.get(&row.line)?)))
}

fn walk<'w>(world: &'w World, above: &[String], named: &mut Vec<(&'w World, Vec<String>)>) {
    let path: Vec<String> = above.iter().cloned().chain([world.name.clone()]).collect();
    named.push((world, path.clone()));
    world.workflows.iter().for_each(|inner| walk(inner, &path, named));
}

/// What the kernel says about the schedule of a headline; rows and complaints are in the order of the text. A timestamp that it cannot read is not in the compiled plan, so
/// without this a workflow with a misspelt date or repeater would look like one that has no schedule.
fn complaint<'p>(complaints: &[&'p Finding], rows: &[Row], row: &Row) -> Option<&'p Finding> {
    let after = rows.partition_point(|other| other.line <= row.line);
    let end = rows.get(after).map_or(usize::MAX, |next| next.line);
    let first = complaints.partition_point(|finding| finding.line < row.line);
    complaints.get(first).copied().filter(|finding| finding.line < end)
}

fn planned(
    world: &World,
    path: Vec<String>,
    line: usize,
    props: &BTreeMap<String, String>,
    unreadable: Option<&Finding>,
) -> Option<Planned> {
    let schedule = match &world.schedule {
        Some(oql::Schedule::Cron { cron }) => Some(Spec::cron(cron)),
        // `[2026-06-11 Thu]` is a note to people.
        Some(oql::Schedule::At(stamp)) if stamp.active => Some(Spec::at(&stamp.at, stamp.repeat.as_deref())),
        _ => None,
    };
    let schedule = schedule.map(|spec| with_properties(spec, props));
    let refused = schedule.as_ref().and_then(|spec| Schedule::read(spec).err());
    let problem = match (refused, unreadable) {
        (Some(error), _) => Some(Problem {
            code: error.code(),
            message: error.to_string(),
            hint: error.hint().to_string(),
        }),
        (None, Some(finding)) => Some(Problem {
            code: "bad_schedule",
            message: finding.message.clone(),
            hint: finding.hint.clone(),
        }),
        (None, None) => None,
    };
    if schedule.is_none() && problem.is_none() {
        return None;
    }
    Some(Planned {
        workflow: world.name.clone(),
        path,
        line,
        schedule,
        problem,
    })
}

fn with_properties(mut spec: Spec, props: &BTreeMap<String, String>) -> Spec {
    for (key, field) in [("TZ", &mut spec.tz), ("CATCHUP", &mut spec.catchup)] {
        if let Some(value) = props.get(key) {
            value.clone_into(field);
        }
    }
    spec
}
