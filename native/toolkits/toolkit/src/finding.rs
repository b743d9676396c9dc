//! What a verification says: a line for each promise.

use serde::Serialize;
use std::fmt;

/// Kept, broken, or only said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// ✓
    Pass,
    /// ✗
    Fail,
    /// Something to know; it decides nothing.
    Note,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Finding {
    /// What came of it.
    pub mark: Mark,
    /// What was looked at: `manifest`, `drawer`, `skills`, `exec`, `caps`, `trust`, `pre`.
    pub what: &'static str,
    /// The rest of the line.
    pub text: String,
    /// The line of `manifest.org`, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

impl Finding {
    pub(crate) fn pass(what: &'static str, text: impl Into<String>) -> Finding {
        Finding::new(Mark::Pass, what, text)
    }

    pub(crate) fn fail(what: &'static str, text: impl Into<String>) -> Finding {
        Finding::new(Mark::Fail, what, text)
    }

    pub(crate) fn note(what: &'static str, text: impl Into<String>) -> Finding {
        Finding::new(Mark::Note, what, text)
    }

    fn new(mark: Mark, what: &'static str, text: impl Into<String>) -> Finding {
        Finding {
            mark,
            what,
            text: text.into(),
            line: None,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.mark {
            Mark::Pass => '✓',
            Mark::Fail => '✗',
            Mark::Note => '-',
        };
        write!(f, "{mark} {}: {}", self.what, self.text)
    }
}
