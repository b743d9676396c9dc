//! Which languages the build has a lane for: data and a lookup, and no dependency.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

/// A language whose programs run in the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane {
    /// The language, as `BUILD_LANG` spells it.
    pub lang: &'static str,
    /// What carries it, with its version.
    pub lane: &'static str,
    /// What it can make: `component`, `command`, `kernel`.
    pub shapes: &'static [&'static str],
}

/// Every lane that ships.
pub static LANES: &[Lane] = &[];

/// The lane of a language.
pub fn lane(lang: &str) -> Option<&'static Lane> {
    LANES.iter().find(|lane| lane.lang == lang)
}
