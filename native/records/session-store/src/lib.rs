//! Sessions on disk.
//!
//! One directory holds everything:
//!
//! ```text
//! sessions/<id>/events/<first>-<last>.jsonl   what happened, one file for each append
//! sessions/<id>/manifest.jsonl                which of those files are truth
//! cache/index                                 what lists show; derived, safe to delete
//! quarantine/<id>.<n>/                        damaged sessions that somebody moved aside
//! policy.json                                 what the operator lets agents do
//! snapshots/  workflows/pinned/               by content, shared by all sessions
//! keys/keyring.json                           the keys that sign tokens
//! ```
//!
//! An append is done when its record is in the manifest and flushed: before that nothing happened, after it everything
//! did. [`FileStore`] does the reading and writing; what it means is decided in the crate `session`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod ahead;
mod append;
mod blobs;
mod cache;
mod import;
mod index;
mod io_error;
mod keys;
mod layout;
mod lock;
mod mend;
mod probe;
mod read;
mod remedy;
mod store;
mod sweep;
mod system;

pub use probe::Step;
pub use read::Verified;
pub use remedy::Remedy;
pub use store::{FileStore, FileWriter, Options};
pub use sweep::{Sweep, Swept};
pub use system::{System, engine};
