//! Cron's fields, read by writing out every value, and dates by counting days.

use std::collections::HashSet;

pub struct Naive {
    fields: Vec<HashSet<i64>>,
    day_is_free: bool,
    weekday_is_free: bool,
}

const NAMES: &[(&str, i64)] = &[
    ("JAN", 1),
    ("FEB", 2),
    ("MAR", 3),
    ("APR", 4),
    ("MAY", 5),
    ("JUN", 6),
    ("JUL", 7),
    ("AUG", 8),
    ("SEP", 9),
    ("OCT", 10),
    ("NOV", 11),
    ("DEC", 12),
    ("SUN", 0),
    ("MON", 1),
    ("TUE", 2),
    ("WED", 3),
    ("THU", 4),
    ("FRI", 5),
    ("SAT", 6),
];

impl Naive {
    pub fn read(expr: &str) -> Naive {
        let expr = match expr {
            "@yearly" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            other => other,
        };
        let texts: Vec<&str> = expr.split(' ').collect();
        let ranges = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 7)];
        Naive {
            fields: texts
                .iter()
                .zip(ranges)
                .map(|(text, range)| values(text, range))
                .collect(),
            day_is_free: texts[2].starts_with('*'),
            weekday_is_free: texts[4].starts_with('*'),
        }
    }

    pub fn fires(&self, shown: &Shown) -> bool {
        let has = |field: usize, value: i64| self.fields[field].contains(&value);
        let by_date = has(2, shown.day);
        let by_weekday = has(4, shown.weekday) || (shown.weekday == 0 && has(4, 7));
        let right_day = match (self.day_is_free, self.weekday_is_free) {
            (false, false) => by_date || by_weekday,
            _ => by_date && by_weekday,
        };
        has(0, shown.minute) && has(1, shown.hour) && has(3, shown.month) && right_day
    }
}

/// What a clock and a calendar on the wall show.
pub struct Shown {
    minute: i64,
    hour: i64,
    day: i64,
    month: i64,
    weekday: i64,
}

impl Shown {
    /// At a local time, in seconds since 1970 on that clock.
    pub fn at(local: i64) -> Shown {
        let (days, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
        let (_, month, day) = civil(days);
        Shown {
            minute: second / 60 % 60,
            hour: second / 3600,
            day,
            month,
            weekday: (days + 4).rem_euclid(7),
        }
    }
}

fn values(text: &str, (first, last): (i64, i64)) -> HashSet<i64> {
    let mut found = HashSet::new();
    for item in text.split(',') {
        let (range, step) = item.split_once('/').unwrap_or((item, "1"));
        let step: i64 = step.parse().unwrap();
        let (from, to) = match range.split_once('-') {
            Some((from, to)) => (value(from), if to == "SUN" { 7 } else { value(to) }),
            None if range == "*" => (first, last),
            None => (value(range), value(range)),
        };
        found.extend((from..=to).filter(|v| (v - from) % step == 0));
    }
    found
}

fn value(text: &str) -> i64 {
    let named = NAMES.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    named.unwrap_or_else(|| text.parse().unwrap())
}

fn length(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month as usize - 1]
}

/// Days since 1970, counted month by month.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let years: i64 = (1970..year).map(|y| if length(y, 2) == 29 { 366 } else { 365 }).sum();
    years + (1..month).map(|m| length(year, m)).sum::<i64>() + day - 1
}

fn civil(mut days: i64) -> (i64, i64, i64) {
    let mut year = 1970;
    while days >= 365 + i64::from(length(year, 2) == 29) {
        days -= 365 + i64::from(length(year, 2) == 29);
        year += 1;
    }
    let mut month = 1;
    while days >= length(year, month) {
        days -= length(year, month);
        month += 1;
    }
    (year, month, days + 1)
}
