//! SHA-256, and how it is written in an index.

use data_encoding::HEXLOWER;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};
use sha2::{Digest as _, Sha256};

pub(super) type Digest = [u8; 32];

pub(super) fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

pub(super) fn hex(digest: &Digest) -> String {
    HEXLOWER.encode(digest)
}

pub(super) fn serialize<S: Serializer>(digest: &Digest, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&hex(digest))
}

pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Digest, D::Error> {
    let text = String::deserialize(from)?;
    let bytes = HEXLOWER.decode(text.as_bytes()).ok();
    let digest = bytes.and_then(|bytes| Digest::try_from(bytes).ok());
    digest.ok_or_else(|| D::Error::custom("not a SHA-256 in hex"))
}
