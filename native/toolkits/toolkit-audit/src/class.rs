//! The three words.

use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// A verdict. The order is the severity, so the worst of several is their maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// It runs in the sandbox as it is.
    Ready,
    /// There is a recipe, and it is work.
    Convertible,
    /// No recipe makes it cross as it is.
    Blocked,
}

impl Class {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Class::Ready => "ready",
            Class::Convertible => "convertible",
            Class::Blocked => "blocked",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// The text is none of the three words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownClass;

impl FromStr for Class {
    type Err = UnknownClass;

    fn from_str(text: &str) -> Result<Self, UnknownClass> {
        [Class::Ready, Class::Convertible, Class::Blocked]
            .into_iter()
            .find(|class| class.word() == text)
            .ok_or(UnknownClass)
    }
}
