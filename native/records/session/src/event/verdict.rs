//! What a check said, as evidence: which check, where, how it ended, and what it printed.

use serde::{Deserialize, Serialize};

use crate::canon::Digest;
use crate::limits;
use crate::text::truncate;
use crate::workflow::Check;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// It succeeded.
    Passed,
    /// It did not, or it could not be run.
    Failed,
}

/// Who ran a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    /// The WASM shell, in the session's own directory.
    #[default]
    Shell,
    /// The application that embeds Workbooks, by a function of its own.
    Application,
}

/// The check as it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskedCheck {
    /// The language of a block; none for a command.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lang: Option<String>,
    /// Its text, or the beginning of it.
    pub text: String,
    /// The digest of the whole text.
    pub sha256: Digest,
}

impl From<&Check> for AskedCheck {
    fn from(check: &Check) -> AskedCheck {
        let (lang, text) = match check {
            Check::Command { command } => (None, command),
            Check::Block { lang, body } => (Some(lang.clone()), body),
        };
        AskedCheck {
            lang,
            text: truncate(text, limits::CHECK_TEXT),
            sha256: Digest::of(text.as_bytes()),
        }
    }
}

/// What was printed: all of it by its digest, the end of it in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Printed {
    /// The digest of all of it.
    pub sha256: Digest,
    /// How long it was.
    pub bytes: u64,
    /// Its end, without what a terminal would take for a command.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub end: String,
}

impl Printed {
    /// What these bytes are recorded as.
    ///
    /// ```
    /// let printed = session::event::Printed::of(b"one\ntwo\x1b[2J\n");
    /// assert_eq!((printed.bytes, printed.end.as_str()), (12, "one\ntwo [2J"));
    /// ```
    pub fn of(bytes: &[u8]) -> Printed {
        let text = String::from_utf8_lossy(bytes);
        let clean = |c: char| if c.is_control() && c != '\n' { ' ' } else { c };
        let text: String = text.trim().chars().map(clean).collect();
        let from = text.ceil_char_boundary(text.len().saturating_sub(limits::PRINTED));
        Printed {
            sha256: Digest::of(bytes),
            bytes: bytes.len() as u64,
            end: text[from..].to_owned(),
        }
    }
}
