//! What a step left behind.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Digest;

/// What an output is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// What happened, in prose.
    Recap,
    /// A typed result.
    Artifact,
}

/// What an output says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    tag = "payloadKind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Payload {
    /// Prose.
    Notes {
        /// At most 4,096 bytes.
        notes_markdown: String,
    },
    /// A typed result, whole.
    Artifact {
        /// Digest of its canonical bytes.
        sha256: Digest,
        /// Always `application/json`.
        content_type: String,
        /// Length of its canonical bytes.
        byte_length: u64,
        /// The artifact.
        artifact: Map<String, Value>,
    },
}
