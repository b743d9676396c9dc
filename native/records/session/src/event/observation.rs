//! What was seen of the workspace: enough to find a session again.

use serde::{Deserialize, Serialize};

use crate::Digest;
use crate::error::Error;
use crate::limits;

/// What was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObservedKey {
    /// The name of the branch.
    GitBranch,
    /// The commit.
    GitHeadSha,
    /// A digest of the repository's root path.
    RepoRootHash,
    /// The repository's root path.
    RepoRoot,
}

impl ObservedKey {
    /// The name as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            ObservedKey::GitBranch => "git_branch",
            ObservedKey::GitHeadSha => "git_head_sha",
            ObservedKey::RepoRootHash => "repo_root_hash",
            ObservedKey::RepoRoot => "repo_root",
        }
    }

    /// The value of this key that a text stands for.
    pub fn value(self, text: &str) -> Result<ObservedValue, Error> {
        let refuse = |why: &str| {
            Error::validation(
                format!("the observation {} {why}", self.as_str()),
                "send the value as git prints it",
            )
        };
        match self {
            ObservedKey::GitBranch if text.is_empty() || text.chars().count() > limits::OBSERVATION => {
                Err(refuse("is 1 to 80 characters"))
            }
            ObservedKey::GitBranch => Ok(ObservedValue::ShortString(text.to_owned())),
            ObservedKey::GitHeadSha => {
                let hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
                match text.len() {
                    40 if text.bytes().all(hex) => Ok(ObservedValue::GitSha1(text.to_owned())),
                    _ => Err(refuse("is 40 lower-case hex digits")),
                }
            }
            ObservedKey::RepoRootHash => text
                .parse()
                .map(ObservedValue::Sha256)
                .map_err(|_| refuse("is sha256: and 64 hex digits")),
            ObservedKey::RepoRoot if text.is_empty() || text.len() > limits::OBSERVED_PATH => {
                Err(refuse("is 1 to 512 bytes"))
            }
            ObservedKey::RepoRoot => Ok(ObservedValue::Path(text.to_owned())),
        }
    }
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum ObservedValue {
    /// A short text.
    ShortString(String),
    /// A commit.
    #[serde(rename = "git_sha1")]
    GitSha1(String),
    /// A digest.
    #[serde(rename = "sha256")]
    Sha256(Digest),
    /// A path.
    Path(String),
}

impl ObservedValue {
    /// The value as text.
    pub fn text(&self) -> String {
        match self {
            ObservedValue::ShortString(text) | ObservedValue::GitSha1(text) | ObservedValue::Path(text) => text.clone(),
            ObservedValue::Sha256(digest) => digest.to_string(),
        }
    }
}

/// How sure an observation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// A guess.
    Low,
    /// Likely.
    Med,
    /// Read from the source.
    High,
}
