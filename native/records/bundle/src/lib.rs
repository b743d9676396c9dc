//! A workbook as one file: `wbundle/1`.
//!
//! [`assemble`] reads a plan, or a directory with a plan, its artifacts and its disk, and gives the bytes of a bundle.
//! [`open`] believes nothing: names, sizes and hashes are checked before anything is handed out. [`unpack`] writes a
//! checked bundle into a directory, all of it or nothing. [`sign`] and [`verify`] say who stands for it.
//!
//! ```
//! # let home = tempfile::tempdir().unwrap();
//! # let plan = home.path().join("report.org");
//! std::fs::write(&plan, "* Report :workflow:\n").unwrap();
//! let made = bundle::assemble(&plan, &bundle::Options::default())?;
//! assert_eq!(made.manifest.id, "report");
//!
//! let signed = bundle::sign(&made.bytes, &ledger::Signer::from_seed(&[7; 32]))?;
//! assert!(bundle::verify(&signed)?.holds());
//!
//! bundle::unpack(&signed, home.path().join("copy"))?;
//! assert_eq!(std::fs::read(home.path().join("copy/workbook.org")).unwrap(), b"* Report :workflow:\n");
//! # Ok::<(), bundle::Error>(())
//! ```
//!
//! The same input gives the same bytes. There is no clock here: the time in a manifest is that of the newest input, or
//! the caller's.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod archive;
mod assemble;
mod error;
mod file;
mod gather;
mod layout;
mod limits;
mod manifest;
mod name;
mod page;
mod sign;
mod unpack;
mod write;

pub use archive::{Bundle, files, open};
pub use assemble::{Made, Options, assemble};
pub use error::Error;
pub use file::{load, save};
pub use limits::{MAX_ARCHIVE, MAX_ENTRIES, MAX_ENTRY, MAX_RATIO, MAX_TOTAL};
pub use manifest::{FORMAT, Manifest};
pub use sign::{SIGNATURE, Signature, Verification, sign, verify};
pub use unpack::unpack;
pub use write::pack;
