//! The Workbooks kernel: Org text in, answers out.
//!
//! Everything here is a pure function of its arguments: no files, no clock, no randomness, no `unsafe`. The same
//! crate is linked into the `wbx` command line and compiled to a WebAssembly component for the BEAM, and both go
//! through [`wire`], so the two give the same bytes.
//!
//! ```
//! let plan = "* Report :workflow:\n** Build :component:\n";
//! let found = oql::validate(plan).unwrap();
//! assert_eq!(found[0].message, "component has no source block / language");
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod answer;
mod blocks;
mod cron;
mod error;
mod headlines;
mod lint;
mod org;
mod query;
mod render;
mod repeater;
mod set_state;
mod states;
mod tangle;
mod tasks;
mod types;
mod upgrade;
mod validate;
mod waves;
pub mod wire;
mod workflow;
mod zone;

pub use answer::*;
pub use blocks::{Block, FileKeyword, ScriptError, blocks, file_keywords, script_commands};
pub use cron::Cron;
pub use error::{Code, Error};
pub use headlines::{parse_headlines, query};
pub use lint::circular::{Circular, circular_texts as circular};
pub use lint::lint;
pub use render::render;
pub use repeater::{Kind, Repeater, Unit};
pub use set_state::set_state;
pub use states::{HeadlineState, States};
pub use tangle::tangle_plan;
pub use tasks::tasks;
pub use upgrade::check_upgrade;
pub use validate::validate;
pub use zone::is_zone;

/// The longest text the kernel reads, in bytes.
pub const MAX_TEXT: usize = 16 * 1024 * 1024;
/// The deepest nesting of headlines the kernel reads.
pub const MAX_NESTING: usize = 1_000;

/// The examples of the guide are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/kernel.md")]
struct Guide;
