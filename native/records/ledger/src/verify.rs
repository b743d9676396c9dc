//! Holding a log against its seal.

use crate::locate::Lines;
use crate::{Error, Seal};
use serde::{Deserialize, Serialize};

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Verification {
    /// The log is, to the last byte, the one that the seal speaks of.
    pub tamper_evident: bool,
    /// The seal is signed by `did`.
    pub attributable: bool,
    /// Who claims to have sealed it.
    pub did: String,
    /// How many lines the log has.
    pub count: u64,
    /// The hash over them.
    pub head: String,
    /// The first line that is not what it was, counted from 1. A line that is missing is named by the place where it
    /// should stand. It is `None` when the log is sound, and when only the seal was changed.
    pub first_bad_line: Option<u64>,
}

impl Verification {
    /// Whether the log is what it was and somebody stands for it.
    pub fn is_sound(&self) -> bool {
        self.tamper_evident && self.attributable
    }
}

/// Holds the bytes of `_steps.jsonl` against `_ledger.json`.
///
/// Any bytes have an answer. Only a seal that cannot be read, or has another version, is an error.
pub fn verify(steps: &[u8], ledger_json: &[u8]) -> Result<Verification, Error> {
    let seal = Seal::from_json(ledger_json)?;
    let lines = Lines::of(steps);
    let chain = lines.chain();
    let tamper_evident = lines.are(&chain, seal.count, &seal.head);
    let attributable = seal.is_signed();
    // A seal that nobody signed may say anything about the end.
    let odd_end = || attributable.then(|| lines.odd_end(seal.count, &seal.head));
    Ok(Verification {
        tamper_evident,
        attributable,
        first_bad_line: match tamper_evident {
            true => None,
            false => lines.contradiction(&seal.head).or_else(odd_end),
        },
        count: chain.count(),
        head: chain.head().to_owned(),
        did: seal.did,
    })
}
