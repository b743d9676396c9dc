//! Build lanes: source in, a WebAssembly artifact out, and every compiler on the way is WebAssembly itself.
//!
//! [`Lanes::build`] takes an [`Order`] and gives an [`Artifact`]. A compiler runs in the same sandbox as any other guest:
//! it sees a copy of its input and its own libraries, no environment and no network, and it is stopped when its time is up
//! or it wants too much memory. What it made is checked by its shape before anybody gets it. The same order twice is built
//! once.
//!
//! Which languages there are is in crate `lane-table`; the compilers lie in one directory, made by `make lanes`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod error;
mod fit;
mod kept;
mod lane;
mod lanes;
mod order;
mod project;
mod toolbox;

pub use error::Error;
pub use lane_table::Shape;
pub use lanes::{Lanes, State, Status};
pub use order::{Artifact, Bounds, Format, Order, Source, Tell};
