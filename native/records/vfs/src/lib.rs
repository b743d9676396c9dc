//! The workbook's disk: one SQLite file, three volumes.
//!
//! A [`Disk`] holds files in a table that the `sqlite3` shell and Litestream can read. Hosts use [`Disk::read`],
//! [`Disk::write`] and their siblings. Guests use [`Disk::query`]: their SQL runs behind a fence that SQLite enforces
//! while it prepares the statement, and under a [`Stop`] that the caller holds.
//!
//! A write that returned is on the disk: the process may be killed at any moment after, and the machine may lose power.
//! Time comes in as an argument, in whole seconds since 1970.
//!
//! ```
//! use std::time::Duration;
//! use vfs::{Disk, Options, Stop, Volume};
//!
//! # fn main() -> Result<(), vfs::Error> {
//! # let dir = tempfile::tempdir().unwrap();
//! let disk = Disk::open(dir.path().join("plan.sqlite"), Options::default())?;
//! disk.write(Volume::Workspace, "notes/a.txt", b"hello", 1_700_000_000)?;
//! assert_eq!(disk.read(Volume::Workspace, "notes/a.txt")?, b"hello");
//!
//! let rows = disk.query("SELECT path, content FROM vfs", &Stop::after(Duration::from_secs(5)))?;
//! assert_eq!(rows, r#"[["notes/a.txt",{"base64":"aGVsbG8="}]]"#);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod backup;
mod cell;
mod connection;
mod disk;
mod error;
mod export;
mod fence;
mod files;
mod format;
mod functions;
mod guest;
mod import;
mod linear;
mod path;
mod pattern;
mod pool;
mod query;
mod share;
mod stop;
mod volume;

pub use disk::{Disk, Options};
pub use error::Error;
pub use files::{Entry, MAX_FILE, Stat};
pub use path::{MAX_PATH, MAX_SEGMENT};
pub use query::{MAX_OUTPUT, MAX_ROWS};
pub use share::{share, share_all};
pub use stop::Stop;
pub use volume::Volume;
