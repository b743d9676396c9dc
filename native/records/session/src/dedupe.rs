//! The key that makes an event happen once.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::limits;

/// `[a-z0-9_:>-]{1,256}`: made of stable ids only, so that a retry makes the same one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DedupeKey(Box<str>);

/// A string that is not a dedupe key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a dedupe key is 1 to 256 characters of a-z, 0-9, _, :, > and -")]
pub struct BadKey;

impl DedupeKey {
    /// Reads a key.
    pub fn new(text: &str) -> Result<Self, BadKey> {
        let allowed = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b':' | b'>' | b'-');
        if (1..=limits::DEDUPE_KEY).contains(&text.len()) && text.bytes().all(allowed) {
            Ok(DedupeKey(text.into()))
        } else {
            Err(BadKey)
        }
    }

    /// `kind:part:part`, of parts that are ids and closed words.
    pub(crate) fn of(kind: &str, parts: &[&dyn fmt::Display]) -> Self {
        use fmt::Write as _;
        let mut key = kind.to_owned();
        for part in parts {
            write!(key, ":{part}").expect("a string takes it");
        }
        Self::new(&key).expect("ids and closed words fit in a key")
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of the same event in another session.
    pub(crate) fn moved(&self, from: &str, to: &str) -> Result<Self, BadKey> {
        Self::new(&self.0.replace(from, to))
    }
}

impl fmt::Display for DedupeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for DedupeKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for DedupeKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        DedupeKey::new(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_short_lower_case_and_plain() {
        assert!(DedupeKey::new("edge_created:sess_a:node_b->node_c").is_ok());
        assert!(DedupeKey::new(&"a".repeat(256)).is_ok());
        for bad in ["", "A", "a b", "a.b", "\u{e4}", &"a".repeat(257)] {
            assert_eq!(DedupeKey::new(bad), Err(BadKey), "{bad}");
        }
    }
}
