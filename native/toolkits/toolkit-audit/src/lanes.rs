//! Which lanes the build ships.

use std::collections::BTreeMap;

/// Languages that run in the sandbox, each with the name of its lane.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lanes(BTreeMap<String, String>);

impl Lanes {
    /// A build without a single lane.
    pub fn none() -> Self {
        Lanes::default()
    }

    /// The lanes of this build.
    ///
    /// ```
    /// assert_eq!(toolkit_audit::Lanes::shipped().lane("js").is_some(), lane_table::lane("js").is_some());
    /// ```
    pub fn shipped() -> Self {
        lane_table::LANES
            .iter()
            .map(|lane| (lane.lang, lane.compiler))
            .collect()
    }

    /// The lane of a language, if there is one.
    pub fn lane(&self, language: &str) -> Option<&str> {
        self.0.get(language).map(String::as_str)
    }
}

impl<L: Into<String>, N: Into<String>> FromIterator<(L, N)> for Lanes {
    fn from_iter<I: IntoIterator<Item = (L, N)>>(pairs: I) -> Self {
        Lanes(pairs.into_iter().map(|(l, n)| (l.into(), n.into())).collect())
    }
}
