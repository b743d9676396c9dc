//! Puts Workbooks together, once for each process.
//!
//! An [`Engine`] knows where things are ([`Places`]), what may be done (its policy), and makes what is expensive when it
//! is first needed: the sandbox, the commands, the compilers, the user's key. The doors (`nif`, `wbx`) start from it and
//! look nothing up themselves. An [`Owner`] is the right to change a data directory.
//!
//! ```
//! use engine::{Engine, Environment, Place, Places};
//!
//! let environment = Environment::from([("HOME", "/home/ada"), ("XDG_CACHE_HOME", "/var/cache/ada")]);
//! let engine = Engine::new(Places::new(environment));
//! assert_eq!(engine.places().get(Place::History)?.to_str(), Some("/home/ada/.local/state/workbooks/history"));
//! assert_eq!(engine.places().get(Place::Cache)?.to_str(), Some("/var/cache/ada/workbooks"));
//! # Ok::<(), engine::Error>(())
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod application;
mod environment;
mod error;
mod owner;
mod part;
mod parts;
mod place;
mod places;
pub mod runtime_file;

pub use environment::{Environment, VARIABLES};
pub use error::Error;
pub use owner::{Holder, Owner};
pub use parts::{Engine, ToolkitOptions};
pub use place::Place;
pub use places::Places;

pub use policy::{Policy, Profile};
