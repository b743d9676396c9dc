//! What is run when, and what becomes of what was missed.

use Decision::{Never, Run, Skip, Wait};
use schedule::{Decision, Progress, Schedule, Spec};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// 2026-06-11T00:00:00Z, a Thursday.
const THURSDAY: i64 = 1_781_136_000;

fn schedule(spec: Spec, tz: &str, catchup: &str) -> Schedule {
    Schedule::read(&Spec {
        tz: tz.into(),
        catchup: catchup.into(),
        ..spec
    })
    .unwrap()
}

fn hourly(catchup: &str) -> Schedule {
    schedule(Spec::cron("0 * * * *"), "UTC", catchup)
}

fn progress(last: i64) -> Progress {
    Progress {
        last: Some(last),
        ..Progress::since(0)
    }
}

#[test]
fn a_missed_run_is_let_go_made_up_for_once_or_made_up_for_each() {
    let last = THURSDAY;
    for (policy, now, expected) in [
        ("once", last + HOUR - 1, Wait { until: last + HOUR }),
        ("once", last + HOUR, Run { due: last + HOUR }),
        ("once", last + 5 * HOUR + 100, Run { due: last + 5 * HOUR }),
        ("all", last + 5 * HOUR + 100, Run { due: last + HOUR }),
        ("skip", last + HOUR, Run { due: last + HOUR }),
        ("skip", last + HOUR + 59, Run { due: last + HOUR }),
        ("skip", last + HOUR + 60, Skip { due: last + HOUR }),
        ("skip", last + 5 * HOUR + 100, Skip { due: last + 5 * HOUR }),
        ("skip", last + 5 * HOUR + 10, Run { due: last + 5 * HOUR }),
    ] {
        assert_eq!(
            hourly(policy).decide(&progress(last), now),
            expected,
            "{policy} at {now}"
        );
    }
}

#[test]
fn a_year_of_missed_minutes_is_decided_at_once() {
    let minutely = schedule(Spec::cron("* * * * *"), "Europe/Berlin", "once");
    let now = THURSDAY + 365 * DAY + 7;
    assert_eq!(minutely.decide(&progress(THURSDAY), now), Run { due: now - 7 });
}

#[test]
fn nothing_before_the_schedule_began_was_ever_due() {
    let once = schedule(Spec::at("2020-01-01", None), "UTC", "all");
    assert_eq!(once.decide(&Progress::since(THURSDAY), THURSDAY), Never);
    let daily = schedule(Spec::at("2020-01-01T09:30", Some("+1d")), "UTC", "all");
    let due = THURSDAY + 9 * HOUR + 1800;
    assert_eq!(daily.decide(&Progress::since(THURSDAY), THURSDAY), Wait { until: due });
}

#[test]
fn the_three_repeaters_move_on_in_their_own_ways() {
    let due = THURSDAY + 9 * HOUR + 1800;
    // Run on the day it was due, but completed two and a half days later, at 21:30 on the 13th.
    let late = Progress {
        last: Some(due),
        completed: Some(due + 2 * DAY + 12 * HOUR),
        ..Progress::since(0)
    };
    let now = due + 2 * DAY + 12 * HOUR;
    for (repeat, policy, expected) in [
        ("+1d", "all", Run { due: due + DAY }),
        ("+1d", "once", Run { due: due + 2 * DAY }),
        ("+1d", "skip", Skip { due: due + 2 * DAY }),
        ("++1d", "all", Run { due: due + 2 * DAY }),
        ("++1d", "skip", Skip { due: due + 2 * DAY }),
        (".+1d", "all", Wait { until: due + 3 * DAY }),
        (".+1d", "once", Wait { until: due + 3 * DAY }),
        (".+1h", "once", Wait { until: now + HOUR }),
        (".+2h", "skip", Wait { until: now + 2 * HOUR }),
    ] {
        let schedule = schedule(Spec::at("2026-06-11T09:30", Some(repeat)), "UTC", policy);
        assert_eq!(schedule.decide(&late, now), expected, "{repeat} {policy}");
    }
}

#[test]
fn a_run_that_was_cut_off_counts_from_its_due_time() {
    let due = THURSDAY + 9 * HOUR + 1800;
    let cut_off = Progress {
        last: Some(due),
        completed: Some(due - DAY + 60),
        ..Progress::since(0)
    };
    let schedule = schedule(Spec::at("2026-06-11T09:30", Some(".+1d")), "UTC", "once");
    assert_eq!(schedule.decide(&cut_off, due + 60), Wait { until: due + DAY });
}

#[test]
fn months_end_where_they_end_and_years_keep_their_day() {
    let times = |date: &str, repeat: &str, n: usize| -> Vec<i64> {
        let schedule = schedule(Spec::at(date, Some(repeat)), "UTC", "once");
        std::iter::successors(schedule.after(0), |t| schedule.after(*t))
            .take(n)
            .collect()
    };
    // 2026-01-31, 2026-02-28, 2026-03-31, 2026-04-30.
    assert_eq!(
        times("2026-01-31", "+1m", 4),
        [1_769_817_600, 1_772_236_800, 1_774_915_200, 1_777_507_200]
    );
    // 2024-02-29, 2025-02-28, 2026-02-28, 2027-02-28, 2028-02-29.
    assert_eq!(
        times("2024-02-29", "+1y", 5),
        [
            1_709_164_800,
            1_740_700_800,
            1_772_236_800,
            1_803_772_800,
            1_835_395_200
        ]
    );
}

#[test]
fn a_repeater_keeps_its_time_of_day_over_a_jump_of_the_clock() {
    // Berlin, 2026-03-28 02:30 is 01:30Z. On the 29th there is no 02:30: the jump is at 01:00Z. On the 30th it is 00:30Z.
    let daily = schedule(Spec::at("2026-03-28T02:30", Some("+1d")), "Europe/Berlin", "once");
    let times: Vec<i64> = std::iter::successors(daily.after(0), |t| daily.after(*t))
        .take(3)
        .collect();
    assert_eq!(times, [1_774_661_400, 1_774_746_000, 1_774_830_600]);
    // 2026-10-25 02:30 comes twice: the first is at 00:30Z.
    let autumn = schedule(Spec::at("2026-10-25T02:30", None), "Europe/Berlin", "once");
    assert_eq!(autumn.after(0), Some(1_792_888_200));
    // Hours are hours, whatever the clock says.
    let hours = schedule(Spec::at("2026-03-29T01:30", Some("+1h")), "Europe/Berlin", "once");
    let times: Vec<i64> = std::iter::successors(hours.after(0), |t| hours.after(*t))
        .take(3)
        .collect();
    assert_eq!(times, [1_774_744_200, 1_774_747_800, 1_774_751_400]);
}

#[test]
fn instants_at_the_edges_of_time_are_no_panic() {
    for spec in [
        Spec::cron("* * * * *"),
        Spec::cron("0 0 29 2 *"),
        Spec::at("2026-06-11", Some("+100000y")),
        Spec::at("9999-12-31", Some(".+1d")),
        Spec::at("0001-01-01T23:59", Some("+1h")),
    ] {
        for tz in ["UTC", "Europe/Berlin", "Pacific/Apia"] {
            let schedule = schedule(spec.clone(), tz, "once");
            for now in [i64::MIN, -1, 0, 253_402_300_799, i64::MAX - 1, i64::MAX] {
                let all = Progress {
                    since: now,
                    last: Some(now),
                    completed: Some(now),
                };
                let _ = schedule.after(now);
                let _ = schedule.decide(&all, now);
                let _ = schedule.decide(&Progress::since(i64::MIN), now);
            }
        }
    }
}

#[test]
fn what_is_not_a_schedule_says_why() {
    for (spec, code, message) in [
        (
            Spec::cron("61 * * * *"),
            "bad_schedule",
            "the schedule `61 * * * *` cannot be read: minute: 61 is not in 0-59",
        ),
        (
            Spec::at("2026-02-30", None),
            "bad_schedule",
            "the schedule `2026-02-30` cannot be read: it is no date",
        ),
        (
            Spec::at("2026-02-03", Some("+0d")),
            "bad_schedule",
            "the schedule `+0d` cannot be read: it is no repeater",
        ),
        (
            Spec {
                tz: "Europe/Atlantis".into(),
                ..Spec::cron("@daily")
            },
            "unknown_zone",
            "there is no time zone `Europe/Atlantis`",
        ),
        (
            Spec {
                catchup: "maybe".into(),
                ..Spec::cron("@daily")
            },
            "bad_schedule",
            "`maybe` is no way to catch up",
        ),
    ] {
        let error = Schedule::read(&spec).unwrap_err();
        assert_eq!((error.code(), error.to_string().as_str()), (code, message));
    }
}
