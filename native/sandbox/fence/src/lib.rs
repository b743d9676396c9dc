//! What guests may not change in their directory, and who hears what they do to files.
//!
//! The shell's redirections and every WASM command share one [`Fence`]. It knows files that are read only to guests (the
//! plan of a run) and asks before a file is written, removed, renamed or linked; and it tells a [`Listener`] which files
//! were read and changed (the record of a check). Without either there is no fence, and nothing is asked.
//!
//! A file is known in two ways, because each alone has a hole. By *directory and name*: a verdict replaces the plan's file
//! under its name, so its inode changes during a run. And by the *inode that the name has now*: a symlink or a hard link is
//! another name for it. Both are compared on handles that are open already, so no other guest can exchange what was looked
//! at for something else.
//!
//! ```
//! use std::fs::{self, File};
//! let dir = tempfile::tempdir()?;
//! let plan = dir.path().join("plan.org");
//! fs::write(&plan, "* TODO Ship\n")?;
//!
//! let fence = fence::Fence::around(&[plan.clone()], None)?.unwrap();
//! let opened = File::options().write(true).open(&plan)?;
//! assert!(fence.writes(&opened, false).is_err());
//! let here = File::open(dir.path())?;
//! assert!(fence.changes(&here, "plan.org".as_ref()).is_err());
//! assert!(fence.changes(&here, "other.org".as_ref()).is_ok());
//! # Ok::<(), std::io::Error>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod fence;
mod kept;
mod listener;

pub use fence::Fence;
pub use listener::{Listener, Stamp};
