//! Canonical JSON (RFC 8785) and the digests over it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// The canonical bytes of a value.
///
/// ```
/// let value = serde_json::json!({"b": 1.0, "a": [null, "\u{20ac}"]});
/// assert_eq!(session::canonical(&value), "{\"a\":[null,\"\u{20ac}\"],\"b\":1}".as_bytes());
/// ```
pub fn canonical(value: &impl Serialize) -> Vec<u8> {
    // What is serialised here is our own types and JSON values: string keys, finite numbers.
    serde_json_canonicalizer::to_vec(value).expect("the value is JSON")
}

/// A sha256 digest, written `sha256:` and 64 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Digest(Sha256::digest(bytes).into())
    }

    /// The digest of a value's canonical bytes.
    ///
    /// ```
    /// let digest = session::Digest::of_value(&serde_json::json!({}));
    /// assert!(digest.to_string().starts_with("sha256:44136fa355b3678a"));
    /// ```
    pub fn of_value(value: &impl Serialize) -> Self {
        Self::of(&canonical(value))
    }

    /// The 64 hex digits.
    pub fn hex(&self) -> String {
        data_encoding::HEXLOWER.encode(&self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

/// A string that is not a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a digest is sha256: and 64 lower-case hex digits")]
pub struct BadDigest;

impl FromStr for Digest {
    type Err = BadDigest;

    fn from_str(text: &str) -> Result<Self, BadDigest> {
        text.strip_prefix("sha256:")
            .and_then(|hex| data_encoding::HEXLOWER.decode(hex.as_bytes()).ok())
            .and_then(|bytes| bytes.try_into().ok())
            .map(Digest)
            .ok_or(BadDigest)
    }
}

impl schemars::JsonSchema for Digest {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Digest".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"})
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

macro_rules! digests {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(transparent)]
        pub struct $name(Digest);

        impl $name {
            /// The name of what has this digest.
            pub const fn new(digest: Digest) -> Self {
                Self(digest)
            }

            /// The digest.
            pub const fn digest(&self) -> Digest {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = BadDigest;

            fn from_str(text: &str) -> Result<Self, BadDigest> {
                text.parse().map(Self)
            }
        }
    )*};
}

digests! {
    /// Names a compiled workflow by its content.
    WorkflowHash;
    /// Names a snapshot by its content.
    SnapshotRef;
}
