//! WB009: a schedule that cannot be read.

use super::Plan;
use crate::answer::{Finding, Level};
use crate::cron;
use crate::org::planning;
use crate::workflow;

pub(super) fn unreadable(plan: &Plan<'_>, found: &mut Vec<Finding>) {
    for w in workflow::all(plan.outline) {
        let section = plan.outline.section(w);
        let name = plan.outline.name(w);
        if let Some(schedule) = section.find(&["SCHEDULE"]) {
            if let Err(why) = cron::check(schedule.value) {
                found.push(plan.finding(
                    "WB009",
                    Level::Error,
                    &name,
                    schedule.offset,
                    format!("the schedule `{}` cannot be read: {why}", schedule.value),
                    "write five fields: minute hour day-of-month month day-of-week".into(),
                ));
            }
            continue;
        }
        let Some(line) = section.planning else { continue };
        let Some(at) = line.text.find("SCHEDULED:") else {
            continue;
        };
        if planning(line.text).0.is_none() {
            found.push(plan.finding(
                "WB009",
                Level::Error,
                &name,
                line.start + at,
                "the SCHEDULED timestamp cannot be read".into(),
                "write a date as Org does: SCHEDULED: <2026-06-11 Thu 09:30 +1d>".into(),
            ));
        }
    }
}
