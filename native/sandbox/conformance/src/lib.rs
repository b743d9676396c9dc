//! Rung 3: does a built component fit its slot?
//!
//! Bytes in, findings out. The crate opens no file and runs no guest; it reads the component's own types and holds
//! them against `wit/engine.wit`.
//!
//! - [`engine`] and [`check`] say whether a component may be loaded, against the world `engine` or a wider one;
//! - [`imports`] names what it asks of the Dock;
//! - [`check_upgrade`] says whether a new build keeps the promises of the old one.
//!
//! The bytes may be hostile. See [`Nonconformance`] for what is refused and why that is bounded.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod fit;
mod nesting;
mod nonconformance;
mod read_type;
mod subtype;
mod surface;
mod upgrade;
mod upgrade_finding;
mod version;
mod wit_type;
mod world;

pub use fit::{check, engine, imports};
pub use nonconformance::{MAX_BYTES, Nonconformance};
pub use upgrade::check_upgrade;
pub use upgrade_finding::{Level, UpgradeFinding};
pub use world::World;
