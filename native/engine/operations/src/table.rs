//! The table.

use crate::Context;
use crate::door::UNKNOWN_OPERATION;
use crate::row::{Here, ask};
use crate::row::{Operation, here, live, streaming};
use crate::{
    bundles, certificates, claims, events, ledgers, plans, runs, schedules, scripts, sessions, tokens, toolkits,
    workbooks,
};
use failure::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

static TABLE: &[Operation] = &[
    here::<plans::Validate>(),
    here::<plans::Lint>(),
    here::<plans::CheckUpgrade>(),
    here::<plans::Headlines>(),
    here::<plans::Query>(),
    here::<plans::Tangle>(),
    here::<plans::Tasks>(),
    here::<plans::Render>(),
    here::<plans::SetState>(),
    here::<claims::Status>(),
    here::<claims::Accept>(),
    here::<certificates::Certify>(),
    here::<certificates::Verify>(),
    here::<plans::List>(),
    streaming::<runs::Start, events::Event>(),
    streaming::<runs::Resume, events::Event>(),
    live::<runs::Report>(),
    live::<runs::Close>(),
    live::<runs::Cancel>(),
    live::<runs::Status>(),
    live::<runs::List>(),
    streaming::<runs::Subscribe, events::Event>(),
    here::<ledgers::Verify>(),
    here::<ledgers::Show>(),
    here::<ledgers::Key>(),
    here::<ledgers::Events>(),
    here::<ledgers::Query>(),
    live::<workbooks::Deploy>(),
    live::<workbooks::Rollback>(),
    here::<workbooks::History>(),
    here::<workbooks::List>(),
    live::<workbooks::Run>(),
    live::<workbooks::Show>(),
    live::<schedules::Next>(),
    here::<schedules::InPlan>(),
    here::<schedules::Zones>(),
    here::<schedules::Times>(),
    here::<schedules::Decide>(),
    here::<bundles::Create>(),
    here::<bundles::Unpack>(),
    here::<bundles::Sign>(),
    here::<bundles::Verify>(),
    here::<scripts::Run>(),
    here::<scripts::Words>(),
    here::<toolkits::List>(),
    here::<toolkits::Show>(),
    here::<toolkits::Skill>(),
    here::<toolkits::Search>(),
    here::<toolkits::Inject>(),
    here::<toolkits::Verify>(),
    here::<toolkits::Sign>(),
    here::<toolkits::Grant>(),
    here::<toolkits::Install>(),
    here::<toolkits::Build>(),
    here::<toolkits::Run>(),
    here::<toolkits::Component>(),
    here::<toolkits::Source>(),
    here::<toolkits::Select>(),
    here::<toolkits::Mirror>(),
    here::<toolkits::Import>(),
    here::<toolkits::Audit>(),
    here::<sessions::Start>(),
    here::<sessions::Continue>(),
    here::<sessions::Check>(),
    here::<sessions::Checkpoint>(),
    here::<sessions::Resume>(),
    here::<sessions::Rewind>(),
    here::<sessions::List>(),
    here::<sessions::Inspect>(),
    here::<sessions::Export>(),
    here::<sessions::Import>(),
    here::<sessions::Compile>(),
    here::<sessions::PreviewSteps>(),
    here::<sessions::Workflows>(),
    here::<sessions::Pin>(),
    here::<sessions::SetPolicy>(),
    here::<sessions::Quarantine>(),
    here::<sessions::Delete>(),
    here::<sessions::Repair>(),
    here::<sessions::Verify>(),
    here::<sessions::Sweep>(),
    here::<sessions::Keep>(),
    here::<sessions::RotateKeys>(),
    here::<tokens::Create>(),
    here::<tokens::List>(),
    here::<tokens::Revoke>(),
    here::<List>(),
];

/// Every operation, those about one thing together.
pub fn all() -> &'static [Operation] {
    TABLE
}

/// The operation of a name.
///
/// ```
/// assert_eq!(operations::find("plan.teleport").err().unwrap().code.name, "unknown_operation");
/// ```
pub fn find(name: &str) -> Result<&'static Operation, Failure> {
    let found = TABLE.iter().find(|row| row.name == name);
    found.ok_or_else(|| {
        let short: String = name.chars().take(64).collect();
        Failure::new(
            UNKNOWN_OPERATION,
            format!("there is no operation `{short}`"),
            "docs/reference/operations.md lists them",
        )
    })
}

/// Nothing to say.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct List {}

/// A row, without its schemas.
#[derive(Serialize, JsonSchema)]
struct Line {
    /// Its name.
    name: &'static str,
    /// What it is for.
    summary: &'static str,
    /// `reads`, `writes` or `runs`.
    effect: &'static str,
    /// `read`, `write`, `run` or `admin`.
    scope: &'static str,
    /// Whether an answer may take its time.
    long: bool,
    /// Whether the engine that owns the data directory answers it.
    live: bool,
    /// Whether it sends events.
    streams: bool,
}

ask!(List: "operation.list", Reads, Read => Vec<Line>, [], "Lists the operations.");

impl Here for List {
    fn answer(self, _: &Context) -> Result<Vec<Line>, Failure> {
        let line = |row: &Operation| Line {
            name: row.name,
            summary: row.summary,
            effect: row.effect.name(),
            scope: row.scope.name(),
            long: row.long,
            live: row.is_live(),
            streams: row.streams(),
        };
        Ok(all().iter().map(line).collect())
    }
}
