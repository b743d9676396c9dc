//! Files and directories that appear whole or not at all, and the places where a test may kill the process that writes
//! them.
//!
//! Every one of them is made the same way: write under a name that nobody looks for, sync, rename, sync the directory.
//!
//! | to do | with |
//! |---|---|
//! | replace a file, or make one that must not exist yet | [`Target`] |
//! | complete several files first and give them their names later | [`Target::stage`], [`Target::draft`], [`Staged`] |
//! | write where a person said | [`save`] |
//! | make a directory that appears with all its files | [`NewDirectory`] |
//! | make a private directory, or sync one | [`create_private`], [`sync_directory`] |
//! | cut off the torn end of a log | [`cut`] |
//! | end the process at a named place | [`points!`], [`fault`] |
//!
//! A file is its owner's alone unless the caller says otherwise.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod directory;
mod draft;
pub mod fault;
pub mod lock;
mod new_directory;
mod save;
mod staged;
mod target;
mod temporary;

pub use directory::{create_private, cut, move_directory, sync_directory, sync_open_directory};
pub use draft::Draft;
pub use fault::Point;
pub use new_directory::NewDirectory;
pub use save::save;
pub use staged::Staged;
pub use target::Target;
