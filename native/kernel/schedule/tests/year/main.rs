//! A year, minute by minute, reckoned without any of the crate's own means: the fields are read another way, the clocks
//! are those of the published rules, and every minute is looked at.

mod clock;
mod naive;

use clock::Clock;
use naive::{Naive, Shown};
use schedule::{Schedule, Spec};

const SCHEDULES: &[&str] = &[
    "* * * * *",
    "*/15 * * * *",
    "0 * * * *",
    "30 */2 * * *",
    "0 */3 * * SUN",
    "30 2 * * *",
    "0 2 * * *",
    "*/20 1-3 * * *",
    "59 1 * * *",
    "0 0 * * *",
    "15 2 29 2 *",
    "0 12 29 FEB *",
    "0 9 * * MON-FRI",
    "45 23 31 * *",
    "0 3 1 1,4,7,10 *",
    "0 8 13 * FRI",
    "30 1 25-31 3,10,11 SUN",
    "0 0 */7 * MON",
    "5,35 0,12 1-7 * SAT-SUN",
    "@hourly",
    "@daily",
    "@weekly",
    "@monthly",
    "@yearly",
];

#[test]
fn every_schedule_fires_at_the_instants_that_counting_minutes_finds() {
    // 2024 has a leap day.
    for year in [2024, 2026] {
        for clock in clock::ALL {
            let minutes = clock.year(year);
            for expr in SCHEDULES {
                let spec = Spec {
                    tz: clock.name.into(),
                    ..Spec::cron(expr)
                };
                let schedule = Schedule::read(&spec).unwrap();
                let (first, last) = (minutes[0].utc, minutes[minutes.len() - 1].utc);
                let times = std::iter::successors(schedule.after(first - 1), |t| schedule.after(*t));
                let found: Vec<i64> = times.take_while(|t| *t <= last).collect();
                assert_eq!(found, counted(expr, &minutes), "{expr} in {} {year}", clock.name);
            }
        }
    }
}

/// The instants, minute by minute. A schedule that names its hours makes up for local times that were jumped over, at
/// the jump, and leaves out those that come a second time.
fn counted(expr: &str, minutes: &[Minute]) -> Vec<i64> {
    let naive = Naive::read(expr);
    let by_name = !expr.split(' ').nth(1).is_some_and(|hour| hour.starts_with('*')) && expr != "@hourly";
    let mut latest = minutes[0].local - 60;
    let mut found = Vec::new();
    for minute in minutes {
        let been = minute.local <= latest;
        let mut jumped = (latest + 60..minute.local).step_by(60);
        let fires = match by_name {
            true => !been && naive.fires(&minute.shown) || jumped.any(|local| naive.fires(&Shown::at(local))),
            false => naive.fires(&minute.shown),
        };
        if fires {
            found.push(minute.utc);
        }
        latest = latest.max(minute.local);
    }
    found
}

#[test]
fn the_clocks_of_this_test_jump_where_the_published_ones_do() {
    // Each jump: the instant, and the local time right after it. From the zones' published tables.
    for (name, year, jumps) in [
        ("America/New_York", 2026, [(1_772_953_200, 3 * 60), (1_793_512_800, 60)]),
        (
            "Europe/Berlin",
            2026,
            [(1_774_746_000, 3 * 60), (1_792_890_000, 2 * 60)],
        ),
        ("Australia/Lord_Howe", 2026, [(1_775_314_800, 90), (1_791_041_400, 150)]),
    ] {
        let clock = clock::ALL.iter().find(|clock| clock.name == name).unwrap();
        let minutes = clock.year(year);
        let found: Vec<(i64, i64)> = minutes
            .windows(2)
            .filter(|pair| pair[1].local - pair[0].local != 60)
            .map(|pair| (pair[1].utc, pair[1].local.rem_euclid(86_400) / 60))
            .collect();
        assert_eq!(found, jumps, "{name}");
    }
}

#[test]
fn rare_days_are_found_and_the_search_ends() {
    let sunday_leap_day = Schedule::read(&Spec::cron("0 0 29 2 */7")).unwrap();
    // `*/7` is Sunday and 7, which is Sunday too: both fields must match. 2032-02-29 is a Sunday.
    assert_eq!(sunday_leap_day.after(1_767_225_600), Some(1_961_625_600));
    // Around 2100, which has no leap day.
    let leap_day = Schedule::read(&Spec::cron("0 0 29 2 *")).unwrap();
    assert_eq!(leap_day.after(3_981_312_000), Some(4_233_686_400));
}

/// A minute as it passes, and what the clock on the wall shows.
struct Minute {
    utc: i64,
    local: i64,
    shown: Shown,
}

impl Clock {
    /// Every minute of a year in UTC.
    fn year(&self, year: i64) -> Vec<Minute> {
        let (from, to) = (naive::days(year, 1, 1) * 86_400, naive::days(year + 1, 1, 1) * 86_400);
        (from..to)
            .step_by(60)
            .map(|utc| {
                let local = utc + (self.offset)(year, utc);
                let shown = Shown::at(local);
                Minute { utc, local, shown }
            })
            .collect()
    }
}
