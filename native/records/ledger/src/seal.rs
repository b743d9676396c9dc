//! The seal: what `_ledger.json` holds.

use crate::{Error, canonical, signer};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::Signature;
use serde::{Deserialize, Serialize};

/// The version of the format.
pub const VERSION: u64 = 1;

/// The largest integer that every reader of JSON takes as it is: 2^53 - 1.
pub const MAX_INTEGER: u64 = (1 << 53) - 1;

/// A signed statement: this run's log has so many lines and this hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    /// The version of the format.
    pub v: u64,
    /// Who signed.
    pub did: String,
    /// The run whose log this is.
    pub run_id: String,
    /// How many lines the log has.
    pub count: u64,
    /// The hash over them.
    pub head: String,
    /// When it was signed, in milliseconds since 1970.
    pub ts: u64,
    /// The Ed25519 signature over all other fields in canonical JSON (RFC 8785), in base64.
    pub sig: String,
}

/// What is signed: everything but the signature, so that nothing of it can be changed.
#[derive(Serialize)]
struct Statement<'a> {
    v: u64,
    did: &'a str,
    run_id: &'a str,
    count: u64,
    head: &'a str,
    ts: u64,
}

#[derive(Deserialize)]
struct Version {
    v: u64,
}

impl Seal {
    /// Reads `_ledger.json`. Another version is an error, and so is a field too many or too few.
    pub fn from_json(json: &[u8]) -> Result<Seal, Error> {
        let not_a_ledger = |e: serde_json::Error| Error::NotALedger { why: e.to_string() };
        let Version { v } = serde_json::from_slice(json).map_err(not_a_ledger)?;
        if v != VERSION {
            return Err(Error::UnknownVersion { found: v });
        }
        let seal: Seal = serde_json::from_slice(json).map_err(not_a_ledger)?;
        seal.check_numbers()?;
        Ok(seal)
    }

    /// The text of `_ledger.json`: one line.
    pub fn to_json(&self) -> String {
        canonical::text(self) + "\n"
    }

    /// Whether the signature is the one of `did` over the other fields.
    pub fn is_signed(&self) -> bool {
        signer::is_signed_by(&self.did, &self.signed(), &self.sig)
    }

    pub(crate) fn signed(&self) -> Vec<u8> {
        let statement = Statement {
            v: self.v,
            did: &self.did,
            run_id: &self.run_id,
            count: self.count,
            head: &self.head,
            ts: self.ts,
        };
        canonical::text(&statement).into_bytes()
    }

    /// Canonical JSON has only doubles: above this, two numbers could share one signature.
    pub(crate) fn check_numbers(&self) -> Result<(), Error> {
        match [("count", self.count), ("ts", self.ts)]
            .into_iter()
            .find(|(_, number)| *number > MAX_INTEGER)
        {
            Some((field, _)) => Err(Error::TooLarge { field }),
            None => Ok(()),
        }
    }
}

pub(crate) fn encode_signature(signature: &Signature) -> String {
    STANDARD.encode(signature.to_bytes())
}
