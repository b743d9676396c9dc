//! Timestamps of the planning line, read by orgize.

use crate::answer::Timestamp;
use crate::repeater::Repeater;
use orgize::ast::Planning;
use orgize::rowan::ast::AstNode;

/// Longer than any planning line a person writes; what is longer is not one.
const MAX_LINE: usize = 512;

/// SCHEDULED and DEADLINE of a planning line.
pub(crate) fn planning(line: &str) -> (Option<Timestamp>, Option<Timestamp>) {
    if line.len() > MAX_LINE {
        return (None, None);
    }
    let org = orgize::Org::parse(format!("* h\n{}", two_digit_hours(line)));
    match org.first_node::<Planning>() {
        Some(found) => (
            found.scheduled().and_then(|t| read(&t)),
            found.deadline().and_then(|t| read(&t)),
        ),
        None => (None, None),
    }
}

/// Org allows `9:30`; orgize wants `09:30`.
fn two_digit_hours(line: &str) -> String {
    let bytes = line.as_bytes();
    let mut out = String::with_capacity(line.len() + 2);
    for (i, c) in line.char_indices() {
        let starts_word = i > 0 && matches!(bytes[i - 1], b' ' | b'-');
        if starts_word && c.is_ascii_digit() && bytes.get(i + 1) == Some(&b':') {
            out.push('0');
        }
        out.push(c);
    }
    out
}

fn read(stamp: &orgize::ast::Timestamp) -> Option<Timestamp> {
    let date = (stamp.year_start()?, stamp.month_start()?, stamp.day_start()?);
    let mut at = format!("{}-{}-{}", date.0, date.1, date.2);
    if !is_date(&at) {
        return None;
    }
    if let (Some(hour), Some(minute)) = (stamp.hour_start(), stamp.minute_start()) {
        let (h, m): (u8, u8) = (hour.parse().ok()?, minute.parse().ok()?);
        if h > 23 || m > 59 {
            return None;
        }
        at.push_str(&format!("T{h:02}:{m:02}"));
    }
    Some(Timestamp {
        at,
        repeat: repeater(&stamp.syntax().to_string()),
        active: stamp.is_active(),
    })
}

fn is_date(at: &str) -> bool {
    let number = |r: std::ops::Range<usize>| at.get(r).and_then(|s| s.parse::<u32>().ok());
    let (Some(year), Some(month), Some(day)) = (number(0..4), number(5..7), number(8..10)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return false,
    };
    at.len() == 10 && (1..=days).contains(&day)
}

/// The repeater as written: the first word that is one.
fn repeater(stamp: &str) -> Option<String> {
    words(stamp).find(|w| Repeater::read(w).is_some()).map(String::from)
}

/// A word of a line's SCHEDULED timestamp that was meant as a repeater and is none.
pub(crate) fn bad_repeater(line: &str) -> Option<&str> {
    let stamp = line.split_once("SCHEDULED:")?.1;
    let stamp = &stamp[..stamp.find(['>', ']'])?];
    words(stamp).find(|w| Repeater::is_meant(w) && Repeater::read(w).is_none())
}

fn words(stamp: &str) -> impl Iterator<Item = &str> {
    stamp.trim_matches(['<', '>', '[', ']', ' ']).split_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planning_line_gives_iso_dates_and_repeaters() {
        for (line, at, repeat, active) in [
            ("SCHEDULED: <2026-06-11 Thu>", "2026-06-11", None, true),
            ("SCHEDULED: <2026-06-11 Thu 09:30>", "2026-06-11T09:30", None, true),
            (
                "SCHEDULED: <2026-06-11 Thu 9:30 +1w>",
                "2026-06-11T09:30",
                Some("+1w"),
                true,
            ),
            ("SCHEDULED: <2026-06-11 Thu ++1d>", "2026-06-11", Some("++1d"), true),
            ("SCHEDULED: <2026-06-11 Thu .+2m -3d>", "2026-06-11", Some(".+2m"), true),
            ("SCHEDULED: [2026-06-11 Thu]", "2026-06-11", None, false),
            (
                "  DEADLINE: <2026-07-01 Wed> SCHEDULED: <2026-06-11 Thu>",
                "2026-06-11",
                None,
                true,
            ),
        ] {
            let want = Timestamp {
                at: at.into(),
                repeat: repeat.map(String::from),
                active,
            };
            assert_eq!(planning(line).0, Some(want), "{line}");
        }
    }

    #[test]
    fn what_is_no_date_is_no_timestamp() {
        for line in [
            "SCHEDULED: tomorrow",
            "SCHEDULED: <2026-13-01 Thu>",
            "SCHEDULED: <2026-02-30 Mon>",
            "SCHEDULED: <2026-06-11 Thu 25:00>",
            "SCHEDULED:",
        ] {
            assert_eq!(planning(line).0, None, "{line}");
        }
    }
}
