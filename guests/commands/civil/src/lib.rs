//! Dates of the Gregorian calendar, in UTC.
//!
//! ```
//! let time = civil::Time::from_unix(1_709_164_800);
//! assert_eq!(time.to_string(), "2024-02-29 00:00:00");
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use std::fmt;

const SECONDS_PER_DAY: i64 = 86_400;
/// From the first of March of the year 0 to 1970.
const DAYS_BEFORE_1970: i64 = 719_468;
const DAYS_PER_ERA: i64 = 146_097;

/// A moment to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Time {
    pub year: i64,
    pub month: i64,
    pub day: i64,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
}

impl Time {
    /// The moment that many seconds after 1970 began.
    ///
    /// Years are counted from March in eras of 400, so that a leap day is the last of its year.
    pub fn from_unix(seconds: i64) -> Self {
        let of_day = seconds.rem_euclid(SECONDS_PER_DAY);
        let days = seconds.div_euclid(SECONDS_PER_DAY) + DAYS_BEFORE_1970;
        let (era, of_era) = (days.div_euclid(DAYS_PER_ERA), days.rem_euclid(DAYS_PER_ERA));
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let march = (5 * of_year + 2) / 153;
        let month = if march < 10 { march + 3 } else { march - 9 };
        Self {
            year: year + era * 400 + i64::from(month <= 2),
            month,
            day: of_year - (153 * march + 2) / 5 + 1,
            hour: of_day / 3600,
            minute: of_day / 60 % 60,
            second: of_day % 60,
        }
    }
}

/// `2024-02-29 00:00:00`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self {
            year,
            month,
            day,
            hour,
            minute,
            second,
        } = self;
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::Time;

    #[test]
    fn moments_have_their_dates() {
        for (seconds, date) in [
            (0, "1970-01-01 00:00:00"),
            (-1, "1969-12-31 23:59:59"),
            (951_782_399, "2000-02-28 23:59:59"),
            (951_782_400, "2000-02-29 00:00:00"),
            (951_868_800, "2000-03-01 00:00:00"),
            (4_107_542_400, "2100-03-01 00:00:00"),
            (-62_135_596_800, "0001-01-01 00:00:00"),
        ] {
            assert_eq!(Time::from_unix(seconds).to_string(), date);
        }
    }
}
