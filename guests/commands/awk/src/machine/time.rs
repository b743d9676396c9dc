//! `systime`, `strftime` and `mktime`, in the zone that TZ names, or UTC.

use super::Machine;
use crate::builtin::Builtin;
use crate::text::Text;
use crate::value::Value;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// The format of `strftime` when none is given: that of `date`.
const DEFAULT: &[u8] = b"%a %b %e %H:%M:%S %Z %Y";
const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Seconds since 1970.
pub(super) fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs() as i64)
}

fn zone(utc: bool) -> TimeZone {
    match std::env::var("TZ") {
        Ok(name) if !utc && !name.is_empty() => {
            let name = name.strip_prefix(':').unwrap_or(&name);
            let known = TimeZone::get(name).or_else(|_| TimeZone::posix(name));
            known.unwrap_or(TimeZone::UTC)
        }
        _ => TimeZone::UTC,
    }
}

impl Machine<'_> {
    pub(super) fn time(&mut self, builtin: Builtin, count: usize) -> Value {
        let from = self.stack.len() - count;
        let arguments = self.stack.split_off(from);
        match builtin {
            Builtin::Mktime => {
                let utc = arguments.get(1).is_some_and(Value::is_true);
                let text = arguments.first().map(|value| value.bytes(b"").into_owned());
                Value::Number(mktime(&text.unwrap_or_default(), utc).map_or(-1.0, |seconds| seconds as f64))
            }
            Builtin::Strftime => {
                let format = arguments.first().map_or(DEFAULT.into(), |value| value.bytes(b""));
                let seconds = arguments.get(1).map_or_else(now, |value| value.number() as i64);
                let utc = arguments.get(2).is_some_and(Value::is_true);
                Value::Text(Text::from_vec(strftime(&format, seconds, utc)))
            }
            _ => Value::Number(now() as f64),
        }
    }
}

/// `YYYY MM DD HH MM SS`, in which any number may be out of bounds: the 32nd of January is the first of February.
fn mktime(text: &[u8], utc: bool) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let numbers: Vec<i64> = text.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let [year, month, day, hour, minute, second, ..] = *numbers.as_slice() else {
        return None;
    };
    let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
    let year = i16::try_from(months.div_euclid(12)).ok()?;
    let first = DateTime::new(year, months.rem_euclid(12) as i8 + 1, 1, 0, 0, 0, 0).ok()?;
    let minutes = hour.checked_mul(60)?.checked_add(minute)?;
    let seconds = minutes.checked_mul(60)?.checked_add(second)?;
    let days = day.checked_sub(1)?.checked_mul(86_400)?;
    let span = jiff::SignedDuration::from_secs(days.checked_add(seconds)?);
    let moment = first.checked_add(span).ok()?;
    let zoned = moment.to_zoned(zone(utc)).ok()?;
    Some(zoned.timestamp().as_second())
}

fn strftime(format: &[u8], seconds: i64, utc: bool) -> Vec<u8> {
    let Ok(moment) = Timestamp::from_second(seconds) else {
        return Vec::new();
    };
    let time = moment.to_zoned(zone(utc));
    let mut shown = Vec::new();
    let mut rest = format;
    while let Some((&byte, more)) = rest.split_first() {
        rest = more;
        if byte != b'%' {
            shown.push(byte);
            continue;
        }
        // `%E` and `%O` ask for other numerals, of which there are none.
        if let [b'E' | b'O', more @ ..] = rest {
            rest = more;
        }
        let Some((&letter, more)) = rest.split_first() else {
            shown.push(b'%');
            break;
        };
        rest = more;
        directive(&mut shown, letter, &time);
    }
    shown
}

fn directive(to: &mut Vec<u8>, letter: u8, time: &Zoned) {
    let weekday = time.weekday().to_sunday_zero_offset();
    let monday = (weekday + 6) % 7;
    let year_day = i32::from(time.day_of_year());
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    let twelve = (hour + 11) % 12 + 1;
    let (year, month, day) = (time.year(), time.month(), time.day());
    let name = |names: &'static [&'static str], at: i8| names[at as usize];
    let week = |first: i8| (year_day + 6 - i32::from(first)) / 7;
    let iso = time.date().iso_week_date();
    let more = |to: &mut Vec<u8>, format: &str| {
        for letter in format.bytes() {
            match letter.is_ascii_alphabetic() {
                true => directive(to, letter, time),
                false => to.push(letter),
            }
        }
    };
    let _ = match letter {
        b'a' => write!(to, "{}", &name(&DAYS, weekday)[..3]),
        b'A' => write!(to, "{}", name(&DAYS, weekday)),
        b'b' | b'h' => write!(to, "{}", &name(&MONTHS, month - 1)[..3]),
        b'B' => write!(to, "{}", name(&MONTHS, month - 1)),
        b'c' => return more(to, "a b e H:M:S Y"),
        b'C' => write!(to, "{:02}", year.div_euclid(100)),
        b'd' => write!(to, "{day:02}"),
        b'D' | b'x' => return more(to, "m/d/y"),
        b'e' => write!(to, "{day:2}"),
        b'F' => return more(to, "Y-m-d"),
        b'g' => write!(to, "{:02}", iso.year().rem_euclid(100)),
        b'G' => write!(to, "{}", iso.year()),
        b'H' => write!(to, "{hour:02}"),
        b'I' => write!(to, "{twelve:02}"),
        b'j' => write!(to, "{year_day:03}"),
        b'k' => write!(to, "{hour:2}"),
        b'l' => write!(to, "{twelve:2}"),
        b'm' => write!(to, "{month:02}"),
        b'M' => write!(to, "{minute:02}"),
        b'n' => to.write_all(b"\n"),
        b'p' => write!(to, "{}", if hour < 12 { "AM" } else { "PM" }),
        b'P' => write!(to, "{}", if hour < 12 { "am" } else { "pm" }),
        b'r' => return more(to, "I:M:S p"),
        b'R' => return more(to, "H:M"),
        b's' => write!(to, "{}", time.timestamp().as_second()),
        b'S' => write!(to, "{second:02}"),
        b't' => write!(to, "\t"),
        b'T' | b'X' => return more(to, "H:M:S"),
        b'u' => write!(to, "{}", monday + 1),
        b'U' => write!(to, "{:02}", week(weekday)),
        b'V' => write!(to, "{:02}", iso.week()),
        b'w' => write!(to, "{weekday}"),
        b'W' => write!(to, "{:02}", week(monday)),
        b'y' => write!(to, "{:02}", year.rem_euclid(100)),
        b'Y' => write!(to, "{year}"),
        b'z' => {
            let minutes = time.offset().seconds() / 60;
            let sign = if minutes < 0 { '-' } else { '+' };
            write!(to, "{sign}{:02}{:02}", minutes.abs() / 60, minutes.abs() % 60)
        }
        b'Z' => {
            let info = time.time_zone().to_offset_info(time.timestamp());
            write!(to, "{}", info.abbreviation())
        }
        b'%' => write!(to, "%"),
        letter => to.write_all(&[b'%', letter]),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_shown() {
        for (format, expected) in [
            ("%Y-%m-%d %H:%M:%S", "2024-02-29 12:34:56"),
            ("%a %A %b %B %e", "Thu Thursday Feb February 29"),
            ("%j %U %W %V %G %u %w", "060 08 09 09 2024 4 4"),
            ("%I:%M %p %T %R %D %F", "12:34 PM 12:34:56 12:34 02/29/24 2024-02-29"),
            ("%s %z %Z %%", "1709210096 +0000 UTC %"),
            ("%c", "Thu Feb 29 12:34:56 2024"),
            ("%Q %", "%Q %"),
        ] {
            let shown = strftime(format.as_bytes(), 1_709_210_096, true);
            assert_eq!(String::from_utf8_lossy(&shown), expected, "{format}");
        }
    }

    #[test]
    fn moments_are_read() {
        for (text, expected) in [
            ("1970 01 01 00 00 00", Some(0)),
            ("2024 02 29 12 34 56", Some(1_709_210_096)),
            ("2024 1 32 0 0 0", Some(1_706_745_600)),
            ("2024 13 1 0 0 0", Some(1_735_689_600)),
            ("2024 1 1 0 0 -1", Some(1_704_067_199)),
            ("2024 1", None),
            ("", None),
            ("99999999 1 1 0 0 0", None),
            ("9223372036854775807 9223372036854775807 1 1 1 1", None),
        ] {
            assert_eq!(mktime(text.as_bytes(), true), expected, "{text}");
        }
    }
}
