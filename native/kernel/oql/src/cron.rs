//! Can this schedule be read, will it ever come round, and when does it fire?
//!
//! Five fields as in `crontab(5)`: minute, hour, day of month, month, day of week. A field is a list of values, ranges
//! and `*`, the last two with an optional step; months and weekdays have names. The usual `@daily` words stand for
//! whole schedules. Where both day fields are restricted, either may match, as cron has always done.
//!
//! This is the only reading of cron: WB009 complains with it, and the scheduler fires by it.

/// A schedule of five fields. Each set has a bit for each value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cron {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Both day fields are restricted, so either decides.
    either_day: bool,
    every_hour: bool,
}

impl Cron {
    /// Reads a schedule that fires some day; else says what is wrong and in which field.
    ///
    /// ```
    /// let cron = oql::Cron::read("30 9 * * MON-FRI").unwrap();
    /// assert!(cron.on(6, 11, 4));
    /// assert_eq!(cron.from(0), Some(9 * 60 + 30));
    /// assert_eq!(oql::Cron::read("61 * * * *").unwrap_err(), "minute: 61 is not in 0-59");
    /// ```
    pub fn read(expr: &str) -> Result<Cron, String> {
        let expr = expr.trim();
        let expr = match expr.starts_with('@') {
            true => expand(expr)?,
            false => expr,
        };
        let fields: Vec<&str> = expr.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields[..] else {
            return Err(format!(
                "expected five fields (minute, hour, day of month, month, day of week), found {}",
                fields.len()
            ));
        };
        let cron = Cron {
            minutes: MINUTE.values(minute)?,
            hours: HOUR.values(hour)?,
            days: DAY.values(day)?,
            months: MONTH.values(month)?,
            weekdays: sunday_is_zero(WEEKDAY.values(weekday)?),
            either_day: !day.starts_with('*') && !weekday.starts_with('*'),
            every_hour: hour.starts_with('*'),
        };
        // A restricted day of week fires by itself, whatever the dates.
        let dates_decide = weekday.starts_with('*');
        if dates_decide && !some_date_exists(cron.days, cron.months) {
            return Err(format!(
                "day of month `{day}` never comes in month `{month}`: it never fires"
            ));
        }
        Ok(cron)
    }

    /// Whether it fires on such a day. Months and days count from 1, weekdays from Sunday, which is 0.
    pub fn on(&self, month: u8, day: u8, weekday: u8) -> bool {
        let (day, weekday) = (has(self.days, day), has(self.weekdays, weekday));
        let day = if self.either_day {
            day || weekday
        } else {
            day && weekday
        };
        day && has(self.months, month)
    }

    /// The first minute of a day that it fires in, from this one on. Minutes count from midnight.
    pub fn from(&self, minute: u16) -> Option<u16> {
        let (hour, within) = (minute / 60, minute % 60);
        let now = next_bit(self.minutes, within).filter(|_| hour < 24 && has(self.hours, hour as u8));
        now.map(|m| hour * 60 + m).or_else(|| {
            let hour = next_bit(self.hours, hour + 1)?;
            Some(hour * 60 + next_bit(self.minutes, 0)?)
        })
    }

    /// Whether the hour field begins with `*`: then it goes by hours as they pass, not by the names of hours.
    pub fn every_hour(&self) -> bool {
        self.every_hour
    }
}

fn has(set: u64, value: u8) -> bool {
    value < 64 && set >> value & 1 == 1
}

fn next_bit(set: u64, from: u16) -> Option<u16> {
    let rest = set.checked_shr(from.into()).filter(|rest| *rest != 0)?;
    Some(from + rest.trailing_zeros() as u16)
}

/// Cron knows Sunday by two numbers.
fn sunday_is_zero(weekdays: u64) -> u64 {
    (weekdays | weekdays >> 7 & 1) & 0x7F
}

fn expand(word: &str) -> Result<&'static str, String> {
    let found = MACROS.iter().find(|(name, _)| *name == word);
    found.map(|(_, fields)| *fields).ok_or_else(|| {
        let names: Vec<&str> = MACROS.iter().map(|(name, _)| *name).collect();
        format!("`{word}` is not one of {}", names.join(" "))
    })
}

struct Field {
    name: &'static str,
    first: u8,
    last: u8,
    /// Three-letter names, the first standing for `first`.
    names: &'static [&'static str],
}

const MINUTE: Field = Field {
    name: "minute",
    first: 0,
    last: 59,
    names: &[],
};
const HOUR: Field = Field {
    name: "hour",
    first: 0,
    last: 23,
    names: &[],
};
const DAY: Field = Field {
    name: "day of month",
    first: 1,
    last: 31,
    names: &[],
};
const MONTH: Field = Field {
    name: "month",
    first: 1,
    last: 12,
    names: &[
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ],
};
const WEEKDAY: Field = Field {
    name: "day of week",
    first: 0,
    last: 7,
    names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
};

/// The words that stand for whole schedules.
const MACROS: [(&str, &str); 7] = [
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

/// Longest each month gets, in leap years.
const MONTH_LENGTHS: [u8; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// Is there a day among `days` in a month among `months`? Both are bit sets.
fn some_date_exists(days: u64, months: u64) -> bool {
    (1..).zip(MONTH_LENGTHS).any(|(month, length)| {
        let within = (1u64 << (length + 1)) - 1;
        months >> month & 1 == 1 && days & within != 0
    })
}

impl Field {
    /// The values that the text stands for, as a bit set.
    fn values(&self, text: &str) -> Result<u64, String> {
        text.split(',')
            .try_fold(0, |set, item| Ok(set | self.item(item)?))
            .map_err(|problem: String| format!("{}: {problem}", self.name))
    }

    fn item(&self, item: &str) -> Result<u64, String> {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, Some(self.step(step)?)),
            None => (item, None),
        };
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (self.first, self.last),
            Some((from, to)) => {
                let from = self.value(from)?;
                (from, self.end(from, to)?)
            }
            None if step.is_some() => {
                return Err(format!(
                    "`{item}` steps from a single value: write `{range}-{}/..`",
                    self.last
                ));
            }
            None => {
                let value = self.value(range)?;
                (value, value)
            }
        };
        if from > to {
            return Err(format!("range `{range}` runs backwards"));
        }
        let values = (from..=to).step_by(step.unwrap_or(1).into());
        Ok(values.fold(0, |set, value| set | 1 << value))
    }

    fn value(&self, text: &str) -> Result<u8, String> {
        if let Some(index) = self.names.iter().position(|name| name.eq_ignore_ascii_case(text)) {
            return Ok(self.first + index as u8);
        }
        match number(text) {
            Some(value) if (self.first..=self.last).contains(&value) => Ok(value),
            Some(_) => Err(format!("{text} is not in {}-{}", self.first, self.last)),
            None if text.is_empty() => Err("a value is missing".into()),
            None => Err(format!("`{text}` is not a value")),
        }
    }

    /// The end of a range: Sunday by name also ends the week (`MON-SUN`).
    fn end(&self, from: u8, text: &str) -> Result<u8, String> {
        match self.value(text)? {
            0 if from > 0 && number(text).is_none() => Ok(self.last),
            value => Ok(value),
        }
    }

    fn step(&self, text: &str) -> Result<u8, String> {
        match number(text) {
            Some(0) => Err("a step of 0 never moves".into()),
            Some(step) if step <= self.last => Ok(step),
            Some(_) => Err(format!(
                "a step of {text} is longer than the field ({}-{})",
                self.first, self.last
            )),
            None => Err(format!("`{text}` is not a step")),
        }
    }
}

/// Digits only: no sign. What does not fit is as large as can be, and so out of every range.
fn number(text: &str) -> Option<u8> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(expr: &str) -> Result<(), String> {
        Cron::read(expr).map(|_| ())
    }

    #[test]
    fn these_schedules_are_read() {
        for expr in [
            "* * * * *",
            "0 9 * * 1-5",
            "*/15 0-6/2,22 1,15 JAN-mar,Dec MON,fri",
            "0 0 * * 0",
            "0 0 * * 7",
            "0 0 * * MON-SUN",
            "0 0 * * 5-7",
            "0 0 29 2 *",
            "0 0 31 2,3 *",
            "0 0 30,31 2-4 *",
            "  5\t4  * * sun ",
            "@yearly",
            "@annually",
            "@monthly",
            "@weekly",
            "@daily",
            "@midnight",
            "@hourly",
        ] {
            assert_eq!(check(expr), Ok(()), "{expr}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_field() {
        for (expr, message) in [
            (
                "",
                "expected five fields (minute, hour, day of month, month, day of week), found 0",
            ),
            (
                "* * * *",
                "expected five fields (minute, hour, day of month, month, day of week), found 4",
            ),
            (
                "0 * * * * *",
                "expected five fields (minute, hour, day of month, month, day of week), found 6",
            ),
            ("60 * * * *", "minute: 60 is not in 0-59"),
            ("* 24 * * *", "hour: 24 is not in 0-23"),
            ("* * 0 * *", "day of month: 0 is not in 1-31"),
            ("* * 32 * *", "day of month: 32 is not in 1-31"),
            ("* * * 13 *", "month: 13 is not in 1-12"),
            ("* * * * 8", "day of week: 8 is not in 0-7"),
            (
                "99999999999999999999 * * * *",
                "minute: 99999999999999999999 is not in 0-59",
            ),
            ("* * ? * *", "day of month: `?` is not a value"),
            ("* * * SUN *", "month: `SUN` is not a value"),
            ("* * * * MONDAY", "day of week: `MONDAY` is not a value"),
            ("-5 * * * *", "minute: a value is missing"),
            ("+5 * * * *", "minute: `+5` is not a value"),
            ("1,,2 * * * *", "minute: a value is missing"),
            ("1- * * * *", "minute: a value is missing"),
            ("1-2-3 * * * *", "minute: `2-3` is not a value"),
            ("** * * * *", "minute: `**` is not a value"),
            ("*-5 * * * *", "minute: `*` is not a value"),
            ("10-5 * * * *", "minute: range `10-5` runs backwards"),
            ("* * * * FRI-MON", "day of week: range `FRI-MON` runs backwards"),
            ("* * * * 5-0", "day of week: range `5-0` runs backwards"),
            ("*/0 * * * *", "minute: a step of 0 never moves"),
            ("*/90 * * * *", "minute: a step of 90 is longer than the field (0-59)"),
            ("*/ * * * *", "minute: `` is not a step"),
            ("*/x * * * *", "minute: `x` is not a step"),
            ("*/2/2 * * * *", "minute: `2/2` is not a step"),
            (
                "5/15 * * * *",
                "minute: `5/15` steps from a single value: write `5-59/..`",
            ),
            (
                "@reboot",
                "`@reboot` is not one of @yearly @annually @monthly @weekly @daily @midnight @hourly",
            ),
            (
                "@Daily",
                "`@Daily` is not one of @yearly @annually @monthly @weekly @daily @midnight @hourly",
            ),
        ] {
            assert_eq!(check(expr), Err(message.into()), "{expr}");
        }
    }

    #[test]
    fn a_date_that_never_comes_never_fires() {
        for (day, month) in [
            ("31", "2"),
            ("30", "FEB"),
            ("31", "4,6,9,11"),
            ("30-31", "2"),
            ("31", "2-2"),
        ] {
            let message = format!("day of month `{day}` never comes in month `{month}`: it never fires");
            assert_eq!(check(&format!("0 0 {day} {month} *")), Err(message.clone()));
            assert_eq!(check(&format!("0 0 {day} {month} */2")), Err(message));
        }
    }

    #[test]
    fn a_restricted_weekday_fires_by_itself() {
        assert_eq!(check("0 0 31 2 MON"), Ok(()));
    }

    #[test]
    fn a_field_stands_for_these_values() {
        let bits = |values: &[u32]| values.iter().fold(0u64, |set, v| set | 1 << v);
        for (field, text, values) in [
            (&MINUTE, "0,30", &[0, 30][..]),
            (&MINUTE, "*/20", &[0, 20, 40]),
            (&HOUR, "9-17/4", &[9, 13, 17]),
            (&DAY, "*/10", &[1, 11, 21, 31]),
            (&MONTH, "JUN-aug", &[6, 7, 8]),
            (&WEEKDAY, "SAT-SUN", &[6, 7]),
            (&WEEKDAY, "SUN-TUE", &[0, 1, 2]),
            (&WEEKDAY, "SUN-SUN", &[0]),
        ] {
            assert_eq!(field.values(text), Ok(bits(values)), "{text}");
        }
    }

    #[test]
    fn where_both_day_fields_are_restricted_either_may_match() {
        // 2026-06-01 is a Monday, 2026-06-15 too; 2026-06-02 is a Tuesday.
        for (expr, day, weekday, fires) in [
            ("0 0 15 * TUE", 15, 1, true),
            ("0 0 15 * TUE", 2, 2, true),
            ("0 0 15 * TUE", 1, 1, false),
            ("0 0 15 * *", 15, 1, true),
            ("0 0 15 * *", 2, 2, false),
            ("0 0 * * 7", 7, 0, true),
            ("0 0 * * SUN", 7, 0, true),
            ("0 0 */2 * MON", 2, 1, false),
            ("0 0 */2 * MON", 15, 1, true),
        ] {
            assert_eq!(Cron::read(expr).unwrap().on(6, day, weekday), fires, "{expr} on {day}");
        }
    }

    #[test]
    fn the_minutes_of_a_day_come_in_order() {
        let cron = Cron::read("15,45 8,23 * * *").unwrap();
        for (from, next) in [
            (0, Some(495)),
            (495, Some(495)),
            (496, Some(525)),
            (526, Some(1395)),
            (1426, None),
            (1440, None),
            (u16::MAX, None),
        ] {
            assert_eq!(cron.from(from), next, "{from}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_text_makes_it_panic(any in "(?s).{0,40}", near in "[0-9*/,@a-z -]{0,40}") {
            let _ = check(&any);
            let _ = check(&near);
        }

        #[test]
        fn any_five_values_in_range_are_read(minute in 0..60, hour in 0..24, day in 1..29, month in 1..13, weekday in 0..8) {
            prop_assert_eq!(check(&format!("{minute} {hour} {day} {month} {weekday}")), Ok(()));
        }
    }
}
