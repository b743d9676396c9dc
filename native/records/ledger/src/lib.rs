//! A log that cannot be touched unseen: a hash chain over its lines, sealed by an Ed25519 signature.
//!
//! A [`Chain`] hashes the lines of `_steps.jsonl` one by one: h(0) is the SHA-256 of `workbooks-ledger-v1`, and h(i) is
//! the SHA-256 of h(i-1), as lower-case hexadecimal text, followed by line i without its newline. A [`Signer`] makes a
//! [`Seal`] of it, which is `_ledger.json`. [`verify`] holds the two against each other.
//!
//! The head alone says that a log was changed, not where. So [`Chain::link`] puts two fields at the front of each line:
//! `n`, its number, and `prev`, the hash before it. They are hashed like the rest of the line.
//!
//! ```
//! use ledger::{Chain, Signer, verify};
//!
//! let mut chain = Chain::new();
//! let one = chain.link(r#"{"tool":"sh"}"#).unwrap();
//! let two = chain.link(r#"{"tool":"cat"}"#).unwrap();
//! let seal = Signer::from_seed(&[7; 32]).seal(&chain, "run-1", 1_700_000_000_000).unwrap().to_json();
//!
//! let sound = verify(format!("{one}\n{two}\n").as_bytes(), seal.as_bytes()).unwrap();
//! assert!(sound.tamper_evident && sound.attributable);
//!
//! let forged = verify(format!("{}\n{two}\n", one.replace("sh", "rm")).as_bytes(), seal.as_bytes()).unwrap();
//! assert!(!forged.tamper_evident);
//! assert_eq!(forged.first_bad_line, Some(1));
//! ```
//!
//! No I/O, no clock, no randomness: seeds and times come in as arguments.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod canonical;
mod chain;
mod did;
mod error;
mod locate;
mod seal;
mod signer;
mod verify;
mod witness;

pub use canonical::text as canonical;
pub use chain::{Chain, head_after};
pub use did::is_did;
pub use error::Error;
pub use locate::first_bad_line;
pub use seal::{MAX_INTEGER, Seal, VERSION};
pub use signer::{Signer, is_signed_by};
pub use verify::{Verification, verify};
