//! The upgrade gate lets through what promises the same, or more.

use oql::{Level, Types, UpgradeOptions};

const WAYS: [UpgradeOptions; 4] = [
    UpgradeOptions {
        identity: false,
        types: Types::Exact,
        explain: false,
        callers: false,
    },
    UpgradeOptions {
        identity: true,
        types: Types::Structural,
        explain: false,
        callers: false,
    },
    UpgradeOptions {
        identity: true,
        types: Types::Structural,
        explain: true,
        callers: false,
    },
    UpgradeOptions {
        identity: false,
        types: Types::Exact,
        explain: true,
        callers: true,
    },
];

/// `check_upgrade(x, x)` is empty.
pub(crate) fn a_plan_is_an_upgrade_of_itself(org: &str) {
    for way in &WAYS {
        if let Ok(found) = oql::check_upgrade(org, org, way) {
            assert_eq!(found, [], "{way:?}");
        }
    }
}

/// A workflow more is never an error, whatever it asks for, but that callers who named none must now name one.
pub(crate) fn a_new_workflow_breaks_nothing(org: &str) {
    let added = "* A workflow of a title that nobody else has :workflow:\n\
                 ** Step :component:\n#+begin_src js :uses workbook:net/new :out z:json\n#+end_src\n";
    let new = format!("{org}\n{added}");
    for way in &WAYS {
        if let Ok(found) = oql::check_upgrade(org, &new, way) {
            let choice = |code| code == Some("workflow_choice_needed");
            let breaks = |one: &&oql::Diagnostic| one.level == Level::Error && !choice(one.code);
            assert_eq!(found.iter().find(breaks), None, "{way:?}");
        }
    }
}
