//! WB009: a schedule that cannot be read.

use super::Plan;
use crate::answer::{Finding, Level};
use crate::cron::Cron;
use crate::org::{bad_repeater, planning};
use crate::workflow;
use crate::zone::is_zone;

/// What `:CATCHUP:` may say.
const POLICIES: [&str; 3] = ["skip", "once", "all"];

pub(super) fn unreadable(plan: &Plan<'_>, found: &mut Vec<Finding>) {
    for w in workflow::all(plan.outline) {
        let section = plan.outline.section(w);
        let name = plan.outline.name(w);
        if let Some(policy) = section.find(&["CATCHUP"]).filter(|p| !POLICIES.contains(&&*p.value)) {
            found.push(plan.finding(
                "WB009",
                Level::Error,
                &name,
                policy.offset(),
                format!("`{}` is no way to catch up", policy.value),
                "write skip, once or all".into(),
            ));
        }
        let scheduled = section.find(&["SCHEDULE"]).is_some_and(|p| !p.value.is_empty())
            || section
                .planning
                .is_some_and(|line| planning(line.text).0.is_some_and(|at| at.active));
        if let Some(zone) = section.find(&["TZ"]).filter(|p| scheduled && !is_zone(&p.value)) {
            found.push(plan.finding(
                "WB009",
                Level::Error,
                &name,
                zone.offset(),
                format!("there is no time zone `{}`", zone.value),
                "use a name of the IANA database, such as Europe/Berlin or UTC".into(),
            ));
        }
        if let Some(schedule) = section.find(&["SCHEDULE"]) {
            if let Err(why) = Cron::read(&schedule.value) {
                found.push(plan.finding(
                    "WB009",
                    Level::Error,
                    &name,
                    schedule.offset(),
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
        if let Some(word) = bad_repeater(line.text) {
            found.push(plan.finding(
                "WB009",
                Level::Error,
                &name,
                line.start + at,
                format!("the repeater `{word}` cannot be read"),
                "write +1d, ++1d or .+1d; the units are h, d, w, m and y".into(),
            ));
        } else if planning(line.text).0.is_none() {
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
