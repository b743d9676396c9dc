//! Everything that can be asked of Workbooks: one table.
//!
//! A row of it is an [`Operation`]: a name, a sentence, types for what is sent and what is answered, the codes it can
//! fail with, what it does to the world and who may ask. The doors (the BEAM, the terminal, a socket) send a name and
//! parameters; nothing about a row is written down a second time. `docs/reference/operations.md` and an OpenAPI document
//! are made from it ([`reference`](mod@reference), [`openapi`]).
//!
//! A row is answered by Rust, or is *live*: then Elixir owns it, and the question goes through the door's [`Live`].
//!
//! ```
//! let row = operations::find("plan.validate").unwrap();
//! assert_eq!((row.effect.name(), row.scope.name(), row.is_live()), ("reads", "read", false));
//! let refused = row.check(&serde_json::json!({"org": 7})).unwrap_err();
//! assert_eq!((refused.code.name, refused.pointer.as_deref()), ("bad_option", Some("/org")));
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod bundles;
mod call;
mod catalogue;
pub mod certificates;
mod check;
pub mod claims;
mod codes;
mod context;
pub mod door;
pub mod events;
mod frame;
mod ledgers;
mod live;
pub mod openapi;
mod params;
mod parts;
mod plans;
pub mod reference;
mod row;
pub mod runs;
pub mod schedules;
mod scripts;
mod session_plan;
mod sessions;
mod table;
mod tokens;
mod toolkits;
pub mod workbooks;

pub use call::{answer, call};
pub use codes::{code, codes};
pub use context::{Context, Parts, ToolkitPlace};
pub use frame::{Frame, Message, Reply, failure};
pub use live::{Asked, Live, NoEngine};
pub use params::read;
pub use parts::EngineParts;
pub use row::{Effect, Operation, Scope};
pub use table::{all, find};
