//! The one shape of an error.
//!
//! A crate has one `thiserror` enum. Beside it, [`fails!`] gives each variant its [`Code`] and its hint; the codes
//! that a crate can give are read off those rows ([`Fails::codes`]), so no list of codes is kept by hand. Where an
//! error leaves Rust (the BEAM, the terminal, a socket) it is a [`Failure`], and `?` makes one of it.
//!
//! ```
//! use failure::{Code, Failure, Fails, codes::IO, fails};
//!
//! #[derive(Debug, thiserror::Error)]
//! enum Error {
//!     #[error("there is no toolkit `{0}`")]
//!     Unknown(String),
//!     #[error("cannot read: {0}")]
//!     Io(std::io::Error),
//! }
//!
//! fails! {
//!     Error {
//!         Error::Unknown(_) => Code::not_found("unknown_toolkit", "no toolkit has that name"), "list them";
//!         Error::Io(_) => IO, "check the path";
//!     }
//! }
//!
//! let failure = Failure::from(Error::Unknown("x".into()));
//! assert_eq!((failure.code.name, &*failure.hint), ("unknown_toolkit", "list them"));
//! assert_eq!(Error::codes().len(), 2);
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod code;
pub mod codes;
mod fails;
mod shape;

pub use code::{Code, Kind};
pub use fails::Fails;
pub use shape::Failure;

#[doc(hidden)]
pub use serde_json as json;
