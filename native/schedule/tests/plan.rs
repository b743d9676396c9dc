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
        .map(|p| (p.path, p.line, p.schedule))
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

#[test]
fn a_zone_that_is_none_is_refused_with_its_workflow() {
    let error = in_plan("* W :workflow:\n:PROPERTIES:\n:SCHEDULE: @daily\n:TZ: Mars\n:END:\n").unwrap_err();
    assert_eq!(error.to_string(), "workflow `W`: there is no time zone `Mars`");
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
        assert_eq!(complains(&plan), in_plan(&plan).is_err(), "{plan}");
    }
    for stamp in [
        "2026-06-11 Thu",
        "2026-02-31 Tue",
        "2026-06-11 Thu 09:30 +1d",
        "2026-06-11 Thu 24:00",
    ] {
        let plan = format!("* W :workflow:\nSCHEDULED: <{stamp}>\n");
        let scheduled = in_plan(&plan).is_ok_and(|found| !found.is_empty());
        assert_eq!(complains(&plan), !scheduled, "{plan}");
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
        let read = in_plan(&plan);
        prop_assert_eq!(complains(&plan), read.is_err(), "{}", plan);
        if let Ok(found) = read {
            let schedule = schedule::Schedule::read(&found[0].schedule).unwrap();
            prop_assert!(schedule.after(1_767_225_600).is_some(), "{}", plan);
        }
    }

    #[test]
    fn no_plan_and_no_question_makes_it_panic(org in "(?s).{0,200}", question in "(?s)[\\{\\}\":,a-z0-9 ]{0,80}") {
        let _ = in_plan(&org);
        let _ = schedule::wire::ask(&question);
    }
}
