//! A portable, signed statement that a DONE was earned: an in-toto Statement in a DSSE envelope, signed with Ed25519 by a
//! did:key. Whoever has it can check it without an engine, a network or the history that it speaks of.
//!
//! ```
//! use certificate::{Certificate, Plan, Statement};
//! use ledger::Signer;
//!
//! let signer = Signer::from_seed(&[7; 32]);
//! let plan = Plan { name: "plan.org".into(), sha256: "ab".repeat(32) };
//! let envelope = Statement::new(plan, signer.did(), 1_700_000_000_000, Vec::new(), Default::default()).sign(&signer);
//!
//! let Certificate { did, statement } = certificate::verify(envelope.to_line().as_bytes())?;
//! assert_eq!((did, statement.subject[0].name.as_str()), (signer.did(), "plan.org"));
//! # Ok::<(), certificate::Error>(())
//! ```
//!
//! Pure: the time and the key come in as arguments.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod envelope;
mod error;
mod statement;

pub use envelope::{Certificate, Envelope, PAYLOAD_TYPE, Signature, verify};
pub use error::Error;
pub use statement::{
    Check, Digest, Earned, LedgerEnd, LedgerPlace, PREDICATE_TYPE, Plan, Predicate, STATEMENT_TYPE, Statement, Subject,
};
