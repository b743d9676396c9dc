//! The instants of a date and its repeater.

use crate::zone::Zone;
use jiff::Span;
use jiff::civil::{DateTime, Time};
use oql::{Repeater, Unit};

/// The instant of the `k`th time, the date itself being the 0th. Months and years count from the date, and end with
/// the month: the 31st is the 30th where there is none, and the 31st again where there is one.
fn time(at: DateTime, repeater: &Repeater, zone: &Zone, k: i64) -> Option<i64> {
    let count = i64::from(repeater.every).checked_mul(k)?;
    match repeater.unit {
        Unit::Hour => zone.instant(at)?.checked_add(count.checked_mul(3600)?),
        unit => zone.instant(at.checked_add(span(unit, count)?).ok()?),
    }
}

fn span(unit: Unit, count: i64) -> Option<Span> {
    let span = Span::new();
    match unit {
        Unit::Hour => span.try_hours(count),
        Unit::Day => span.try_days(count),
        Unit::Week => span.try_weeks(count),
        Unit::Month => span.try_months(count),
        Unit::Year => span.try_years(count),
    }
    .ok()
}

/// The first time after `after`.
pub(crate) fn next(at: DateTime, repeater: &Repeater, zone: &Zone, after: i64) -> Option<i64> {
    let is_later = |k: i64| time(at, repeater, zone, k).is_none_or(|t| t > after);
    // Times come in order, so the first later one can be found by halves.
    let mut above = 1;
    while !is_later(above) {
        above *= 2;
    }
    let mut below = 0;
    while below < above {
        let middle = (below + above) / 2;
        if is_later(middle) {
            above = middle;
        } else {
            below = middle + 1;
        }
    }
    time(at, repeater, zone, below)
}

/// The time that follows a completion. It keeps the date's time of day; hours count from the completion itself.
pub(crate) fn from_completion(at: DateTime, repeater: &Repeater, zone: &Zone, completed: i64) -> Option<i64> {
    let every = i64::from(repeater.every);
    match repeater.unit {
        Unit::Hour => completed.checked_add(every * 3600),
        unit => {
            let day = zone.local(completed).date();
            zone.instant(day.checked_add(span(unit, every)?).ok()?.to_datetime(at.time()))
        }
    }
}

/// Reads `2026-06-11` or `2026-06-11T09:30`; a day without a time begins at midnight.
pub(crate) fn date(text: &str) -> Option<DateTime> {
    let (day, time) = match text.split_once('T') {
        Some((day, time)) => (day, time.parse().ok()?),
        None => (text, Time::midnight()),
    };
    // Years of four digits only: the parser would take signed ones too.
    let plain = day.len() == 10 && day.is_ascii();
    plain
        .then(|| day.parse::<jiff::civil::Date>().ok())?
        .map(|day| day.to_datetime(time))
}
