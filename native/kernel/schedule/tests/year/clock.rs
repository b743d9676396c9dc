//! Local clocks by the published rules, without a database.

use crate::naive::days;

pub struct Clock {
    pub name: &'static str,
    /// Local time minus UTC at an instant of a year, in seconds.
    pub offset: fn(year: i64, utc: i64) -> i64,
}

pub const ALL: &[Clock] = &[
    Clock {
        name: "UTC",
        offset: |_, _| 0,
    },
    Clock {
        name: "Asia/Kathmandu",
        offset: |_, _| 5 * 3600 + 45 * 60,
    },
    // From the second Sunday in March to the first in November, at 02:00 on the clock that is ending.
    Clock {
        name: "America/New_York",
        offset: |year, utc| {
            let summer = sunday(year, 3, 8) * 86_400 + 7 * 3600..sunday(year, 11, 1) * 86_400 + 6 * 3600;
            if summer.contains(&utc) { -4 * 3600 } else { -5 * 3600 }
        },
    },
    // From the last Sunday in March to the last in October, at 01:00 UTC.
    Clock {
        name: "Europe/Berlin",
        offset: |year, utc| {
            let summer = sunday(year, 3, 25) * 86_400 + 3600..sunday(year, 10, 25) * 86_400 + 3600;
            if summer.contains(&utc) { 2 * 3600 } else { 3600 }
        },
    },
    // Half an hour, south of the equator: from the first Sunday in October to the first in April, at 02:00.
    Clock {
        name: "Australia/Lord_Howe",
        offset: |year, utc| {
            let april = sunday(year, 4, 1) * 86_400 + 2 * 3600 - 11 * 3600;
            let october = sunday(year, 10, 1) * 86_400 + 2 * 3600 - (10 * 3600 + 1800);
            if (april..october).contains(&utc) {
                10 * 3600 + 1800
            } else {
                11 * 3600
            }
        },
    },
];

/// The first Sunday from a date on, in days since 1970.
fn sunday(year: i64, month: i64, day: i64) -> i64 {
    let from = days(year, month, day);
    from + (3 - from).rem_euclid(7)
}
