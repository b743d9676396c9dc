//! What a run leaves: its log, its telemetry, its seal, and the states in the plan.
//!
//! The truth lives in a [`Home`], a private directory that no guest sees. A [`Run`] is the right to write there for one
//! plan: nobody else has it at the same time, in this process or another. What a verdict says is on the disk when
//! [`Run::verdict`] returns. Copies go beside the plan, for people and their tools; a copy is never believed.
//!
//! ```
//! use history::{Home, Run};
//!
//! # fn main() -> Result<(), history::Error> {
//! # let dir = tempfile::tempdir().unwrap();
//! # let plan = dir.path().join("plan.org");
//! # std::fs::write(&plan, "* TODO Ship\n").unwrap();
//! let home = Home::open(&dir.path().join("history"))?;
//! let run = Run::open(&home, &plan, "run-1", 1_700_000_000_000)?;
//! run.step(r#"{"step":1,"tool":"sh","exit_code":0,"dur_ms":3,"ts":1700000000001}"#)?;
//! run.verdict(r#"{"task_id":"ship","idx":0,"title":"Ship","state":"DONE","how":"true","ts":1700000000002}"#)?;
//! run.close();
//!
//! let rows = history::task_history(&home, &plan, "ship")?;
//! assert_eq!(rows[0].state, "DONE");
//! assert!(history::verify_plan(&home, &plan)?.is_sound());
//! # Ok(())
//! # }
//! ```
//!
//! Files, in the order in which a verdict reaches them: the line in `_steps.jsonl` (synced), the rows in
//! `_telemetry.db`, the seal, the copies. The database is a projection of the log: what a killed process wrote to the
//! log and not to the database is found there when the plan is opened again. [`FAULTS`] names every boundary between.
//!
//! Time comes in as an argument, in milliseconds since 1970.
#![deny(unsafe_code)]
#![deny(missing_docs)]

mod begin;
mod calls;
mod certify;
mod copies;
mod database;
mod error;
mod exchange;
mod fault;
mod find;
mod home;
mod known;
mod leftovers;
mod link;
mod lock;
mod log;
mod open;
mod pace;
mod past;
mod place;
mod plan;
mod query;
mod read;
mod record;
mod recover;
mod run;
mod staged;
mod verify;
mod writers;

pub use begin::{Accepting, Begun, accept, amendments};
pub use calls::{Call, CallLog, call_logs};
pub use certify::{Unproven, certify};
pub use error::Error;
pub use exchange::{Exchanged, exchange, exchange_at};
pub use fault::FAULTS;
pub use find::{FoundRun, find_run};
pub use home::Home;
pub use known::{KnownPlan, LastRun, plans};
pub use open::Claim;
pub use past::{Problem, ProblemKind};
pub use query::{Answer, MAX_ROWS, query};
pub use read::{PastRun, Review, TaskEvent, events, last_verdicts, problems, review, runs, task_history, text};
pub use record::{LOG_VERSION, MAX_TEXT};
pub use run::Run;
pub use verify::{PlanVerification, lines, steps, verify, verify_at, verify_plan};

/// The seal in a file, if it is one.
fn ledger_seal(path: &std::path::Path) -> Option<ledger::Seal> {
    ledger::Seal::from_json(&std::fs::read(path).ok()?).ok()
}
