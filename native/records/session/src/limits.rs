//! Every budget in one place, in bytes of UTF-8 unless it says otherwise.

/// The context of a run, as canonical JSON.
pub const CONTEXT: usize = 256 * 1024;
/// The notes of one output.
pub const NOTES: usize = 4096;
/// The blockers of one attempt, a count.
pub const BLOCKERS: usize = 10;
/// The message of a blocker.
pub const BLOCKER_MESSAGE: usize = 512;
/// The suggested fix of a blocker.
pub const BLOCKER_FIX: usize = 1024;
/// The entries of one decision trace, a count.
pub const TRACE_ENTRIES: usize = 25;
/// The summary of a trace entry, a gap or a divergence.
pub const SUMMARY: usize = 512;
/// The snippet of a resume candidate.
pub const SNIPPET: usize = 2048;
/// The text of a check as a verdict keeps it; the digest is of all of it.
pub const CHECK_TEXT: usize = 2048;
/// The end of what a check printed, as a verdict keeps it.
pub const PRINTED: usize = 1024;
/// The title of a session.
pub const TITLE: usize = 200;
/// The goal of a session.
pub const GOAL: usize = 2048;
/// The candidates of a resume, a count.
pub const CANDIDATES: usize = 5;
/// The sessions that a list shows when nobody says how many, a count.
pub const LISTED: usize = 50;
/// What is told again to an agent that lost its chat.
pub const RECOVERY: usize = 24 * 1024;
/// One artifact, as canonical JSON.
pub const ARTIFACT: usize = 64 * 1024;
/// The artifacts of one output, a count.
pub const ARTIFACTS: usize = 32;
/// A dedupe key.
pub const DEDUPE_KEY: usize = 256;
/// An observed value that is not a path.
pub const OBSERVATION: usize = 80;
/// An observed path.
pub const OBSERVED_PATH: usize = 512;
/// The events of one append, a count.
pub const PLAN_EVENTS: usize = 4096;
/// The events of one append.
pub const PLAN_BYTES: usize = 8 * 1024 * 1024;
/// The iterations that a loop may ask for, a count.
pub const ITERATIONS: u32 = 1000;
/// The source of a workflow.
pub const SOURCE: usize = 4 * 1024 * 1024;
/// The steps of a workflow with its loops and templates expanded, a count.
pub const STEPS: usize = 1000;
/// How deep loops nest, a count.
pub const LOOP_DEPTH: usize = 8;
/// A bundle.
pub const BUNDLE: usize = 512 * 1024 * 1024;
