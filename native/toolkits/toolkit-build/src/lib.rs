//! Builds, registers and runs what toolkits declare.
//!
//! Crate `toolkit` says what a toolkit is and whether it keeps its promises; this one looks at the world for it, makes the
//! artifact, puts it where it is found by name, and runs recipes in the WASM shell. Every door (the command line, the BEAM)
//! asks a [`Foundry`], so that they give one answer.
//!
//! Executing is gated: a stranger's toolkit needs a signature that holds and a recorded grant, recipes need
//! `WB_TOOLKIT_EXEC=1`, native programs the operator's opt-in.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod archive;
mod artifact;
mod build;
mod check;
mod consenting;
mod error;
mod facts;
mod federated;
mod foundry;
mod install;
mod lane;
mod query;
mod reading;
mod run;
mod shelf;

pub use build::Built;
pub use check::{Asked, Checked, Checker};
pub use error::Error;
pub use foundry::Foundry;
pub use install::{Installed, MAX_ARCHIVE, pack};
pub use lane::{LaneError, Lanes, NoLanes};
pub use query::{Answer, select};
pub use reading::{Located, Shown, Verified};
pub use run::Ran;
pub use shelf::{FAULTS, Shelf};
