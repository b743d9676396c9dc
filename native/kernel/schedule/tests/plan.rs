//! What a plan says, and that the kernel and the scheduler read it alike.

use oql::Facts;
use proptest::prelude::*;
use schedule::{Spec, in_plan};

#[test]
fn each_workflow_with_a_schedule_is_found_with_its_zone_and_policy() {
    let plan = "\
* Notes
* Report [1/2] :workflow:
:PROPERTIES:
:SCHEDULE: 0 9 * * MON-FRI
:TZ: Europe/Berlin
:CATCHUP: skip
:END:
** Inner :workflow:
SCHEDULED: <2026-06-11 Thu 09:30 .+1w>
* Silent :workflow:
* Reminder :workflow:
SCHEDULED: [2026-06-11 Thu]
* Bare :workflow:
:SCHEDULE: @daily
";
    let found: Vec<(Vec<String>, usize, Spec)> = in_plan(plan)
        .unwrap()
        .into_iter()
        .map(|p| (p.path, p.line, p.schedule.unwrap()))
        .collect();
    let spec = Spec {
        tz: "Europe/Berlin".into(),
        catchup: "skip".into(),
        ..Spec::cron("0 9 * * MON-FRI")
    };
    assert_eq!(
        found,
        [
            (vec!["Report".into()], 2, spec),
            (
                vec!["Report".into(), "Inner".into()],
                8,
                Spec::at("2026-06-11T09:30", Some(".+1w"))
            ),
            (vec!["Bare".into()], 13, Spec::cron("@daily")),
        ]
    );
}

/// Each of these is a plan for which nothing would ever run, and nobody would know why.
#[test]
fn what_cannot_be_read_is_named_with_its_problem() {
    let cron = |fields: &str, more: &str| format!("* W :workflow:\n:PROPERTIES:\n:SCHEDULE: {fields}\n{more}:END:\n");
    let stamp = |text: &str| format!("* W :workflow:\nSCHEDULED: {text}\n");
    for (plan, code, message) in [
        (
            cron("61 * * * *", ""),
            "bad_schedule",
            "the schedule `61 * * * *` cannot be read: ",
        ),
        (
            cron("0 9 * * MOO", ""),
            "bad_schedule",
            "the schedule `0 9 * * MOO` cannot be read: ",
        ),
        (
            cron("@daily", ":TZ: Mars/Base\n"),
            "unknown_zone",
            "there is no time zone `Mars/Base`",
        ),
        (
            cron("@daily", ":TZ: europe/berlin\n"),
            "unknown_zone",
            "there is no time zone `europe/berlin`",
        ),
        (
            cron("@daily", ":CATCHUP: never\n"),
            "bad_schedule",
            "`never` is no way to catch up",
        ),
        (
            stamp("<2026-06-11 Thu 09:30 +1x>"),
            "bad_schedule",
            "the repeater `+1x` cannot be read",
        ),
        (
            stamp("<2026-02-31 Tue>"),
            "bad_schedule",
            "the SCHEDULED timestamp cannot be read",
        ),
        (
            stamp("tomorrow"),
            "bad_schedule",
            "the SCHEDULED timestamp cannot be read",
        ),
    ] {
        let found = in_plan(&plan).unwrap();
        let problem = found[0].problem.as_ref().unwrap_or_else(|| panic!("{plan}"));
        assert_eq!(problem.code, code, "{plan}");
        assert!(problem.message.starts_with(message), "{plan}: {}", problem.message);
        assert!(!problem.hint.is_empty(), "{plan}");
    }
}

#[test]
fn one_schedule_that_cannot_be_read_concerns_no_other() {
    let plan = "* A :workflow:\n:PROPERTIES:\n:SCHEDULE: @daily\n:END:\n* B :workflow:\nSCHEDULED: <2026-06-11 +1x>\n\
                * C :workflow:\nSCHEDULED: <2026-06-11 Thu +1d>\n";
    let found: Vec<(String, bool)> = in_plan(plan)
        .unwrap()
        .into_iter()
        .map(|found| (found.workflow, found.problem.is_none()))
        .collect();
    assert_eq!(found, [("A".into(), true), ("B".into(), false), ("C".into(), true)]);
}

/// Whether anything of the plan runs by itself, and nothing that was meant to does not.
fn is_readable(plan: &str) -> bool {
    let found = in_plan(plan).unwrap();
    !found.is_empty() && found.iter().all(|found| found.problem.is_none())
}

#[test]
fn lint_knows_the_zones_that_the_scheduler_knows() {
    let names = [
        "UTC",
        "utc",
        "Etc/UTC",
        "Europe/Berlin",
        "europe/berlin",
        "GMT+1",
        "CET-1CEST",
        "../etc",
        "Mars/Base",
        "",
    ];
    for name in names {
        for when in [":SCHEDULE: @daily\n", ""] {
            let stamp = if when.is_empty() {
                "SCHEDULED: <2026-06-11 Thu +1d>\n"
            } else {
                ""
            };
            let plan = format!("* W :workflow:\n{stamp}:PROPERTIES:\n{when}:TZ: {name}\n:END:\n");
            assert_eq!(complains(&plan), !is_readable(&plan), "{plan}");
        }
    }
    for name in schedule::zones() {
        assert!(oql::is_zone(&name), "{name}");
    }
    assert!(!complains("* W :workflow:\n:TZ: Mars/Base\n"));
}

/// A plan whose schedule and policy are any text.
fn plan(schedule: &str, policy: &str) -> String {
    format!("* W :workflow:\n:PROPERTIES:\n:SCHEDULE: {schedule}\n:CATCHUP: {policy}\n:END:\n")
}

fn complains(plan: &str) -> bool {
    let found = oql::lint(plan, &Facts::default()).unwrap();
    found.iter().any(|finding| finding.code == "WB009")
}

#[test]
fn the_kernel_and_the_scheduler_agree_on_these() {
    for (schedule, policy) in [
        ("0 9 * * *", "once"),
        ("61 * * * *", "once"),
        ("0 0 31 2 *", "all"),
        ("@daily", "skip"),
        ("@reboot", "skip"),
        ("0 9 * * *", "never"),
    ] {
        let plan = plan(schedule, policy);
        assert_eq!(complains(&plan), !is_readable(&plan), "{plan}");
    }
    for stamp in [
        "2026-06-11 Thu",
        "2026-02-31 Tue",
        "2026-06-11 Thu 09:30 +1d",
        "2026-06-11 Thu 24:00",
        "2026-11-18 Wed. .+2d/3d",
        "2026-11-18 mi\u{e9} 09:30 +1d",
        "2026-11-18",
    ] {
        let plan = format!("* W :workflow:\nSCHEDULED: <{stamp}>\n");
        assert_eq!(complains(&plan), !is_readable(&plan), "{plan}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// One reading: what the kernel lets pass, the scheduler can fire, and finds a time for.
    #[test]
    fn the_kernel_complains_exactly_when_the_scheduler_cannot_read(
        fields in prop::collection::vec("[*0-9]{1,2}(-[0-9]{1,2})?(/[0-9])?|MON|jan|,|[?@x]", 4..7),
        policy in "once|skip|all|never",
    ) {
        let plan = plan(&fields.join(" "), &policy);
        prop_assert_eq!(complains(&plan), !is_readable(&plan), "{}", plan);
        if is_readable(&plan) {
            let found = in_plan(&plan).unwrap();
            let schedule = schedule::Schedule::read(found[0].schedule.as_ref().unwrap()).unwrap();
            prop_assert!(schedule.after(1_767_225_600).is_some(), "{}", plan);
        }
    }

    #[test]
    fn no_plan_makes_it_panic(org in "(?s).{0,200}") {
        let _ = in_plan(&org);
    }
}
