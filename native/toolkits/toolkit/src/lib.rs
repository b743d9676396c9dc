//! Toolkits: a directory with `manifest.org`, `skills/` and whatever WebAssembly is built from it.
//!
//! - [`Manifest::read`] reads the manifest: every field validated, every problem with its line.
//! - [`Root`] finds toolkits in a directory that strangers may write to; [`Toolkit`] is one of them, and its files are
//!   read by capability: a link that leads out, a file that is too large or is no text is refused by name.
//! - [`verify`] holds a toolkit against what is known of the world, and says ✓ or ✗ for each promise.
//! - [`sign`] signs every file; [`check_signature`] names what was changed since.
//! - [`Grants`] records who allowed a stranger's toolkit which capabilities.
//!
//! Nothing here runs anything. Reading is open; executing is somebody else's decision.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod build_src;
mod error;
mod federation;
mod field;
mod finding;
mod grants;
mod inject;
mod manifest;
mod mirror;
mod place;
mod recipe;
mod replace;
mod root;
mod search;
mod shape;
mod sign;
mod skill;
mod statement;
mod tree;
mod verify;

pub use build_src::{BuildSrc, PREFIXES};
pub use error::Error;
pub use federation::{Rows, Source, rows_at};
pub use field::{LANGS, Problem, Status, Trust};
pub use finding::{Finding, Mark};
pub use grants::{Grant, Grants};
pub use inject::injection_text;
pub use manifest::{ArgMode, Manifest};
pub use mirror::mirror;
pub use place::is_name;
pub use recipe::{Recipe, recipes};
pub use replace::FAULTS;
pub use root::{Root, Toolkit, View, find_root, names_for_agent};
pub use search::{Hit, search};
pub use shape::Shape;
pub use sign::{Signed, check_signature, sign};
pub use skill::{Skill, is_slug};
pub use statement::{Statement, without_signature};
pub use tree::{MAX_FILE, MAX_FILES, MAX_TEXT, MAX_TOTAL, Tree};
pub use verify::{Facts, Profile, verify};
