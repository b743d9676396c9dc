//! The instants at which cron's fields come round in a zone.
//!
//! Within a stretch the local clock runs evenly, so there it is arithmetic. Between two stretches the rule for gaps and
//! overlaps decides, but only for schedules that name their hours: one whose hour field begins with `*` goes by the
//! hours as they pass, so it fires in both of two equal hours, and knows nothing of one that never was.

use crate::zone::{Stretch, Zone};
use jiff::civil::{Date, date};
use jiff::{Span, ToSpan as _};
use oql::Cron;

const DAY: i64 = 86_400;
/// A leap day on a given weekday comes after 40 years at the latest; whatever is rarer never comes.
const HORIZON: i64 = 50 * 366 * DAY;
const EPOCH: Date = date(1970, 1, 1);

/// The first instant after `after` at which it fires.
pub(crate) fn next(cron: &Cron, zone: &Zone, after: i64) -> Option<i64> {
    let last = after.checked_add(HORIZON)?;
    zone.stretches(after.checked_add(1)?)
        .take_while(|stretch| stretch.start <= last)
        .find_map(|stretch| in_stretch(cron, &stretch, after, last))
}

fn in_stretch(cron: &Cron, stretch: &Stretch, after: i64, last: i64) -> Option<i64> {
    let Stretch {
        start, offset, before, ..
    } = *stretch;
    let by_name = !cron.every_hour() && start != i64::MIN;
    let begins_later = start > after;
    // A gap lies between the last local time before the jump and the first after it.
    if by_name && begins_later && first(cron, start + before, start + offset).is_some() {
        return Some(start);
    }
    let mut from = start.max(after + 1) + offset;
    if by_name {
        // What comes a second time has been.
        from = from.max(start + before.max(offset));
    }
    let until = stretch.end.min(last).saturating_add(offset);
    first(cron, from, until).map(|local| local - offset)
}

/// The first local time from `from` on and before `until` at which it fires, all in seconds since 1970 on that clock.
fn first(cron: &Cron, from: i64, until: i64) -> Option<i64> {
    let minute = -(-from).div_euclid(60);
    let (mut day, mut of_day) = (minute.div_euclid(24 * 60), minute.rem_euclid(24 * 60) as u16);
    while day * DAY < until {
        if on(cron, day)?
            && let Some(found) = cron.from(of_day)
        {
            let found = day * DAY + i64::from(found) * 60;
            return (found < until).then_some(found);
        }
        (day, of_day) = (day + 1, 0);
    }
    None
}

fn on(cron: &Cron, day: i64) -> Option<bool> {
    let days: Span = i32::try_from(day).ok()?.days();
    let date = EPOCH.checked_add(days).ok()?;
    let weekday = date.weekday().to_sunday_zero_offset();
    Some(cron.on(date.month() as u8, date.day() as u8, weekday as u8))
}
