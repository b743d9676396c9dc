//! The headlines of a plan, as they are sealed.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// A headline: a task, or structure on the way to one. What stands inside a leaf task is part of it and has none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Headline {
    /// The task's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The id of the headline above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Its keyword; structure has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyword: Option<String>,
    /// The ids that it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    /// What decides whether it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// It, or a headline above it, is CANCELLED.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
    /// Still to be earned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}

/// A check: its text, in the words that the record of a passed one uses, and the SHA-256 of that text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Check {
    /// `done-when: ..` or `check: ..`.
    pub text: String,
    /// In lower-case hexadecimal digits.
    pub sha256: String,
}

impl Check {
    /// The check with this text.
    ///
    /// ```
    /// assert!(outline::Check::new("done-when: true".into()).sha256.starts_with("b7438b78"));
    /// ```
    pub fn new(text: String) -> Check {
        let sha256 = format!("{:x}", Sha256::digest(text.as_bytes()));
        Check { text, sha256 }
    }
}

/// The headlines of a plan, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    headlines: Vec<Headline>,
    places: HashMap<String, usize>,
}

impl Outline {
    /// An outline of these headlines.
    pub fn new(headlines: Vec<Headline>) -> Outline {
        let places = headlines.iter().enumerate().map(|(i, h)| (h.id.clone(), i)).collect();
        Outline { headlines, places }
    }

    /// All headlines.
    pub fn headlines(&self) -> &[Headline] {
        &self.headlines
    }

    /// The headline with this id.
    pub fn get(&self, id: &str) -> Option<&Headline> {
        self.places.get(id).map(|at| &self.headlines[*at])
    }

    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut Headline> {
        self.places.get(id).map(|at| &mut self.headlines[*at])
    }

    /// Puts a headline where the one with its id stands, or at the end.
    pub(crate) fn put(&mut self, headline: Headline) {
        match self.places.get(&headline.id) {
            Some(at) => self.headlines[*at] = headline,
            None => {
                self.places.insert(headline.id.clone(), self.headlines.len());
                self.headlines.push(headline);
            }
        }
    }

    pub(crate) fn remove(&mut self, id: &str) {
        let kept = std::mem::take(&mut self.headlines);
        *self = Outline::new(kept.into_iter().filter(|h| h.id != id).collect());
    }

    /// The ids of the headlines above one, the nearest first. A parent that leads in a circle, which only a forged log
    /// could have, ends the walk.
    pub fn above<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a Headline> {
        let mut next = self.get(id).and_then(|h| h.parent.as_deref());
        let mut left = self.headlines.len();
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let headline = self.get(next?)?;
            next = headline.parent.as_deref();
            Some(headline)
        })
    }
}
