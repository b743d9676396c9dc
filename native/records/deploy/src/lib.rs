//! The versions of a deployed workbook, on disk.
//!
//! A [`Store`] is a directory. A [`Change`] is the right to change it: nobody else has it at the same time, in this
//! process or another. A version is staged whole and then swapped in by the rename of one small file, `current`; a
//! process that is killed at any moment leaves the old version live or the new one. [`FAULTS`] names every boundary.
//!
//! ```
//! use deploy::{Note, Store};
//!
//! # fn main() -> Result<(), deploy::Error> {
//! # let dir = tempfile::tempdir().unwrap();
//! let store = Store::at(dir.path().join("report"));
//! let mut change = store.begin()?;
//! change.stage(b"* Report :workflow:\n", &serde_json::json!({"profile": "compute"}), &[])?;
//! let live = change.commit(&Note::by("ada", 1_700_000_000_000))?;
//! assert_eq!(live.version, 1);
//! drop(change);
//!
//! assert_eq!(store.live()?.unwrap().version, 1);
//! assert_eq!(store.version(1)?.plan, "* Report :workflow:\n");
//! assert_eq!(store.history()?[0].by, "ada");
//! # Ok(())
//! # }
//! ```
//!
//! ```text
//! lock                        held by who changes it
//! current                     which version is live, and the newest entry of the history
//! history.jsonl               every deploy and rollback, one line each; only ever appended to
//! versions/3/workbook.org     the plan
//! versions/3/version.json     what it is made of: hashes, parent, and what the host wants to know again
//! versions/3/artifacts/       what was built
//! versions/3/before.sqlite    the disk at the moment it went live
//! versions/3/left.sqlite      the disk at the moment it was rolled back
//! ```
//!
//! Time comes in as an argument, in milliseconds since 1970.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod change;
mod current;
mod error;
mod list;
mod log;
mod place;
mod points;
mod staged;
mod store;
mod version;
mod workbooks;

pub use change::Change;
pub use current::Live;
pub use error::Error;
pub use list::{Listed, Problem, list};
pub use log::{Action, Entry, Note};
pub use points::FAULTS;
pub use store::Store;
pub use version::{Artifact, Version};
pub use workbooks::{Workbooks, is_id};

/// The version of every format in the directory.
pub const FORMAT: u32 = 1;
