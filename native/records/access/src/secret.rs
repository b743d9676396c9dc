//! The random part of a token, and what is kept of it.

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use sha2::{Digest, Sha256};
use std::io;
use subtle::{Choice, ConstantTimeEq};

/// How a token begins, so that people and scanners of repositories know one when they see it.
const PREFIX: &str = "wbt_";

const BYTES: usize = 32;

/// More than this is no token, and is not hashed.
const LONGEST: usize = 256;

/// A token that nobody has yet.
pub(crate) fn new_token() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(format!("{PREFIX}{}", BASE64URL_NOPAD.encode(&bytes)))
}

/// A name for an entry.
pub(crate) fn new_id() -> io::Result<String> {
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(HEXLOWER.encode(&bytes))
}

/// What is kept of a token.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Hash([u8; 32]);

impl Hash {
    pub fn of(token: &str) -> Option<Hash> {
        (token.len() <= LONGEST).then(|| Hash(Sha256::digest(token).into()))
    }

    pub fn read(text: &str) -> Option<Hash> {
        Some(Hash(HEXLOWER.decode(text.as_bytes()).ok()?.try_into().ok()?))
    }

    pub fn text(&self) -> String {
        HEXLOWER.encode(&self.0)
    }

    /// Whether they are the same, in a time that does not depend on where they differ.
    pub fn is(&self, other: &Hash) -> Choice {
        self.0.ct_eq(&other.0)
    }
}
