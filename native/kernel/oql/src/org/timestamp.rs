//! Timestamps of the planning line, read as Org reads them: a date, and behind it in any order the name of a day in any
//! language, a time or a range of times, a repeater, a warning.

use crate::answer::Timestamp;
use crate::repeater::Repeater;

/// SCHEDULED and DEADLINE of a planning line. Of two of a kind the last counts.
pub(crate) fn planning(line: &str) -> (Option<Timestamp>, Option<Timestamp>) {
    (last(line, "SCHEDULED:"), last(line, "DEADLINE:"))
}

fn last(line: &str, keyword: &str) -> Option<Timestamp> {
    line.match_indices(keyword)
        .filter(|(at, _)| !line[..*at].ends_with(|c: char| c.is_alphanumeric()))
        .filter_map(|(at, _)| read(line[at + keyword.len()..].trim_start_matches([' ', '\t'])))
        .last()
}

/// Reads the timestamp that a text begins with; of a range the beginning.
fn read(text: &str) -> Option<Timestamp> {
    let (inside, active) = inside(text)?;
    let (date, rest) = inside.split_at_checked(10)?;
    if !is_date(date) || rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut at = date.to_owned();
    if let Some(time) = words(rest).find(|w| w.starts_with(|c: char| c.is_ascii_digit())) {
        let (hour, minute) = time_of_day(time)?;
        at.push_str(&format!("T{hour:02}:{minute:02}"));
    }
    Some(Timestamp {
        at,
        repeat: words(rest).find(|w| Repeater::read(w).is_some()).map(String::from),
        active,
    })
}

/// What stands between the brackets, and whether they are those of an active timestamp.
fn inside(text: &str) -> Option<(&str, bool)> {
    let (rest, close, active) = match text.strip_prefix('<') {
        Some(rest) => (rest, '>', true),
        None => (text.strip_prefix('[')?, ']', false),
    };
    Some((&rest[..rest.find(close)?], active))
}

/// `9:30`, `09:30`, or the first of `09:30-10:30`.
fn time_of_day(word: &str) -> Option<(u8, u8)> {
    let begin = word.split('-').next().unwrap_or(word);
    let (hour, minute) = begin.split_once(':')?;
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let shaped = (1..=2).contains(&hour.len()) && minute.len() == 2 && digits(hour) && digits(minute);
    let time: (u8, u8) = (hour.parse().ok()?, minute.parse().ok()?);
    (shaped && time.0 < 24 && time.1 < 60).then_some(time)
}

fn is_date(at: &str) -> bool {
    let digits = |r: std::ops::Range<usize>| at.get(r).filter(|s| s.bytes().all(|b| b.is_ascii_digit()));
    let number = |r| digits(r).and_then(|s| s.parse::<u32>().ok());
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
    at.len() == 10 && at.as_bytes()[4] == b'-' && at.as_bytes()[7] == b'-' && (1..=days).contains(&day)
}

/// A word of a line's SCHEDULED timestamp that was meant as a repeater and is none.
pub(crate) fn bad_repeater(line: &str) -> Option<&str> {
    let stamp = line.split_once("SCHEDULED:")?.1.trim_start_matches([' ', '\t']);
    let (stamp, _) = inside(stamp)?;
    words(stamp).find(|w| Repeater::is_meant(w) && Repeater::read(w).is_none())
}

fn words(stamp: &str) -> impl Iterator<Item = &str> {
    stamp.split([' ', '\t']).filter(|w| !w.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planning_line_gives_iso_dates_and_repeaters() {
        for (line, at, repeat, active) in [
            ("SCHEDULED: <2026-06-11 Thu>", "2026-06-11", None, true),
            ("SCHEDULED: <2026-06-11>", "2026-06-11", None, true),
            ("SCHEDULED:<2026-06-11 Thu>", "2026-06-11", None, true),
            ("SCHEDULED: <2026-06-11 Thu 09:30>", "2026-06-11T09:30", None, true),
            ("SCHEDULED: <2026-06-11 9:30>", "2026-06-11T09:30", None, true),
            ("SCHEDULED: <2026-06-11 Thu 9:30-11:00>", "2026-06-11T09:30", None, true),
            (
                "SCHEDULED: <2026-06-11 Thu 9:30 +1w>",
                "2026-06-11T09:30",
                Some("+1w"),
                true,
            ),
            ("SCHEDULED: <2026-06-11 Thu ++1d>", "2026-06-11", Some("++1d"), true),
            ("SCHEDULED: <2026-06-11 Thu .+2m -3d>", "2026-06-11", Some(".+2m"), true),
            (
                "SCHEDULED: <2026-11-18 Wed. .+2d/3d>",
                "2026-11-18",
                Some(".+2d/3d"),
                true,
            ),
            (
                "SCHEDULED: <2026-11-18 mié 08:00 +1d>",
                "2026-11-18T08:00",
                Some("+1d"),
                true,
            ),
            ("SCHEDULED: <2026-11-18 Mi>", "2026-11-18", None, true),
            ("SCHEDULED: <2026-11-18 水>", "2026-11-18", None, true),
            (
                "SCHEDULED: <2026-06-11 Thu>--<2026-06-13 Sat>",
                "2026-06-11",
                None,
                true,
            ),
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
            "SCHEDULED: <2026-06-11 Thu",
            "SCHEDULED: <2026/06/11 Thu>",
            "SCHEDULED: <%%(diary-float t 4 2)>",
            "UNSCHEDULED: <2026-06-11 Thu>",
            "SCHEDULED:",
        ] {
            assert_eq!(planning(line).0, None, "{line}");
        }
    }

    #[test]
    fn a_word_that_was_meant_as_a_repeater_is_found() {
        assert_eq!(bad_repeater("SCHEDULED: <2026-06-11 Thu +1x>"), Some("+1x"));
        assert_eq!(bad_repeater("SCHEDULED: <2026-06-11 Thu .+2d/x>"), Some(".+2d/x"));
        assert_eq!(bad_repeater("SCHEDULED: <2026-06-11 Thu .+2d/3d -1d>"), None);
    }
}
