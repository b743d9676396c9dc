//! What a plan says about when a workflow runs.

use serde::{Deserialize, Serialize};

/// What a plan says about when a workflow runs: `cron`, or `at` with or without `repeat`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// `:SCHEDULE:`, five fields.
    #[serde(default)]
    pub cron: Option<String>,
    /// The date of SCHEDULED, `2026-06-11` or `2026-06-11T09:30`.
    #[serde(default)]
    pub at: Option<String>,
    /// Its repeater.
    #[serde(default)]
    pub repeat: Option<String>,
    /// `:TZ:`.
    #[serde(default = "utc")]
    pub tz: String,
    /// `:CATCHUP:`.
    #[serde(default = "once")]
    pub catchup: String,
}

impl Spec {
    /// Five fields of cron in UTC.
    pub fn cron(fields: &str) -> Spec {
        Spec {
            cron: Some(fields.to_owned()),
            at: None,
            repeat: None,
            tz: utc(),
            catchup: once(),
        }
    }

    /// A date in UTC, with or without a repeater.
    pub fn at(date: &str, repeat: Option<&str>) -> Spec {
        Spec {
            cron: None,
            at: Some(date.to_owned()),
            repeat: repeat.map(str::to_owned),
            ..Spec::cron("")
        }
    }
}

fn utc() -> String {
    "UTC".into()
}

fn once() -> String {
    "once".into()
}
