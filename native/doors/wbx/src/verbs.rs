//! One file for each verb: it takes a call and returns an answer.

pub mod bundle;
pub mod certify;
pub mod check_upgrade;
pub mod completions;
pub mod deploy;
pub mod doctor;
pub mod help;
pub mod init;
pub mod ledger;
pub mod lint;
pub mod mcp;
pub mod query;
pub mod render;
pub mod run;
pub mod serve;
pub mod session;
pub mod shell;
pub mod status;
pub mod tangle;
pub mod tasks;
pub mod telemetry;
pub mod token;
pub mod toolkit;
