//! Identifiers: 16 bytes in lower-case base32 behind a prefix that says what they name.
//!
//! Each kind is its own type, so a node can never be passed where a run is meant. The alphabet fits in a
//! [`crate::DedupeKey`] without escaping.

use std::fmt;
use std::str::FromStr;

use data_encoding::{Encoding, Specification};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::ports::Random;

/// Lower-case base32 without padding.
pub(crate) fn base32() -> &'static Encoding {
    static BASE32: std::sync::OnceLock<Encoding> = std::sync::OnceLock::new();
    BASE32.get_or_init(|| {
        let mut spec = Specification::new();
        spec.symbols.push_str("abcdefghijklmnopqrstuvwxyz234567");
        spec.encoding().expect("the alphabet is a constant")
    })
}

/// A string that is not the id it was read as.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id of the form {prefix}_ and 26 characters of a-z and 2-7")]
pub struct BadId {
    text: String,
    prefix: &'static str,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name([u8; 16]);

        impl $name {
            const PREFIX: &'static str = $prefix;

            /// A fresh id.
            pub fn random(random: &dyn Random) -> Self {
                let mut bytes = [0; 16];
                random.fill(&mut bytes);
                Self(bytes)
            }

            /// The id that these parts always give.
            pub fn derived(parts: &[&str]) -> Self {
                Self(derive($prefix, parts))
            }

            /// The bytes behind the text.
            pub const fn bytes(&self) -> &[u8; 16] {
                &self.0
            }

            /// The id with these bytes.
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}_{}", Self::PREFIX, base32().encode(&self.0))
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                text.strip_prefix(Self::PREFIX)
                    .and_then(|rest| rest.strip_prefix('_'))
                    .and_then(|code| base32().decode(code.as_bytes()).ok())
                    .and_then(|bytes| bytes.try_into().ok())
                    .map(Self)
                    .ok_or_else(|| BadId { text: crate::text::clip(text, 64), prefix: Self::PREFIX })
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string", "pattern": concat!("^", $prefix, "_[a-z2-7]{26}$")})
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

ids! {
    /// Names a session.
    SessionId "sess";
    /// Names a run of a workflow.
    RunId "run";
    /// Names a node of a run.
    NodeId "node";
    /// Names an event.
    EventId "evt";
    /// Names one attempt to advance from a node.
    AttemptId "att";
    /// Names an output.
    OutputId "out";
    /// Names a gap.
    GapId "gap";
    /// Names a change of preferences.
    ChangeId "chg";
    /// Names an observation of a capability.
    CapObsId "cap";
    /// Names a divergence.
    DivergenceId "div";
    /// Names a decision trace.
    TraceId "trc";
    /// Names a context.
    ContextId "ctx";
    /// Names the verdict of a check.
    VerdictId "vrd";
    /// Names a charter.
    CharterId "chr";
    /// Names a bundle.
    BundleId "bun";
}

impl AttemptId {
    /// The attempt that follows `ordinal` recorded advances on the node: a retry repeats it, a new attempt differs.
    pub fn on(node: NodeId, ordinal: u32) -> Self {
        Self::derived(&[&node.to_string(), &ordinal.to_string()])
    }
}

fn derive(prefix: &str, parts: &[&str]) -> [u8; 16] {
    let mut hash = Sha256::new();
    hash.update(prefix);
    for part in parts {
        // The length keeps ("ab", "c") and ("a", "bc") apart.
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let digest = hash.finalize();
    std::array::from_fn(|i| digest[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_as_written() {
        let id = NodeId::from_bytes(*b"0123456789abcdef");
        assert_eq!(id.to_string(), "node_gaytemzugu3doobzmfrggzdfmy");
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn another_kind_another_length_another_case_is_refused() {
        for text in [
            "run_gaytemzugu3doobzmfrggzdfmy",
            "node_gaytemzugu3doobzmfrggzdfm",
            "node_GAYTEMZUGU3DOOBZMFRGGZDFMY",
            // The last character carries two bits that no byte holds.
            "node_gaytemzugu3doobzmfrggzdfmz",
            "node",
            "",
        ] {
            assert!(text.parse::<NodeId>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_attempt_is_the_same_for_a_retry_and_another_for_the_next_ordinal() {
        let node = NodeId::from_bytes([7; 16]);
        assert_eq!(AttemptId::on(node, 0), AttemptId::on(node, 0));
        assert_ne!(AttemptId::on(node, 0), AttemptId::on(node, 1));
    }
}
