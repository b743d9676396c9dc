//! Who may ask an engine: tokens with scopes and an end.
//!
//! A token is 32 random bytes. It is shown once, when it is made; the file keeps its SHA-256. (A fast hash is right here:
//! nobody guesses 256 random bits, and a slow one would make every request slow.) Every stored hash is compared, each in
//! constant time, so the time of a refusal says nothing about how close a guess was.
//!
//! The clock comes from the caller, in milliseconds since 1970.
//!
//! ```
//! use access::{Scope, Store};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let path = dir.path().join("tokens.json");
//! let store = Store::at(&path);
//! let made = store.create("the board", &[Scope::Read], Some(2_000), 1_000)?;
//! let bearer = store.bearer(&made.token, 1_500)?.unwrap();
//! assert!(bearer.may(Scope::Read) && !bearer.may(Scope::Run));
//! assert!(store.bearer(&made.token, 2_000)?.is_none(), "its time is up");
//! store.revoke(&made.entry.id)?;
//! assert!(store.bearer(&made.token, 1_500)?.is_none());
//! # Ok::<(), access::Error>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod bearer;
mod error;
mod fault;
mod scope;
mod secret;
mod store;

pub use bearer::{Bearer, Local};
pub use error::Error;
pub use fault::FAULTS;
pub use scope::Scope;
pub use store::{Entry, Loaded, Made, Store};
