//! What is stated: an in-toto Statement (v1) whose predicate says what was earned, and how.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The type of every in-toto statement of this version.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The type of our predicate.
pub const PREDICATE_TYPE: &str = "https://workbooks.dev/attestations/earned-done/v1";

/// The statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// [`STATEMENT_TYPE`].
    #[serde(rename = "_type")]
    pub kind: String,
    /// The plan, by its name and hash.
    pub subject: Vec<Subject>,
    /// [`PREDICATE_TYPE`].
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    /// What is said of it.
    pub predicate: Predicate,
}

/// What a statement is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The file's name.
    pub name: String,
    /// Its hash.
    pub digest: Digest,
}

/// A hash by its algorithm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Digest {
    /// In lower-case hexadecimal digits.
    pub sha256: String,
}

/// A plan's name and hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The file's name, without its directory.
    pub name: String,
    /// The SHA-256 of its text when the certificate was made.
    pub sha256: String,
}

/// What was earned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Predicate {
    /// The did:key that signs.
    pub issuer: String,
    /// When, in milliseconds since 1970.
    pub issued: i64,
    /// The tasks, in the order of the plan.
    pub tasks: Vec<Earned>,
    /// How far the ledger of the plan's newest run went.
    pub ledger: LedgerEnd,
}

/// One task, and how its DONE was earned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Earned {
    /// The task's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What earned it: its check, `worker` for a task without one, `children` for a composite.
    pub how: String,
    /// Its check.
    pub check: Option<Check>,
    /// The check's exit status.
    #[serde(rename = "exitStatus")]
    pub exit_status: Option<i64>,
    /// Every command that the check ran, with the SHA-256 of its code, as the run recorded them.
    pub commands: Value,
    /// The files that the check read, with their SHA-256, as the run recorded them.
    #[serde(rename = "filesRead")]
    pub files_read: Value,
    /// The SHA-256 of the plan when the run began.
    #[serde(rename = "planSha256")]
    pub plan_sha256: Option<String>,
    /// When the verdict was given, in milliseconds since 1970.
    pub at: i64,
    /// Where it stands in the ledger.
    pub ledger: LedgerPlace,
}

/// A check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Its text.
    pub text: String,
    /// The SHA-256 of the text.
    pub sha256: String,
}

/// A line of a run's ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LedgerPlace {
    /// The run.
    pub run: String,
    /// The line, counted from 1.
    pub line: u64,
    /// The hash over the lines up to this one.
    pub head: String,
}

/// The end of a run's ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LedgerEnd {
    /// The run.
    pub run: String,
    /// How many lines it has.
    pub count: u64,
    /// The hash over them.
    pub head: String,
}

impl Statement {
    /// A statement about a plan.
    pub fn new(plan: Plan, issuer: String, issued: i64, tasks: Vec<Earned>, ledger: LedgerEnd) -> Statement {
        Statement {
            kind: STATEMENT_TYPE.to_owned(),
            subject: vec![Subject {
                name: plan.name,
                digest: Digest { sha256: plan.sha256 },
            }],
            predicate_type: PREDICATE_TYPE.to_owned(),
            predicate: Predicate {
                issuer,
                issued,
                tasks,
                ledger,
            },
        }
    }
}
