//! A task that is not what was sealed.

use crate::Headline;
use serde::{Deserialize, Serialize};

/// What became of a task that was still to be earned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is not in the plan any more.
    Gone,
    /// It is a headline without a keyword.
    Keyword,
    /// It, or a headline above it, is CANCELLED.
    Cancelled,
    /// It has another title.
    Title,
    /// It stands below another headline.
    Moved,
    /// Another check decides.
    Check,
}

/// A task that is not what was sealed, and that nobody has accepted yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Amendment {
    /// The task's id.
    pub id: String,
    /// Its title when it was sealed.
    pub title: String,
    /// What is different.
    pub changes: Vec<Change>,
    /// The same in words.
    pub reason: String,
    /// The ids of everything above it, where it was and where it is: none of them is DONE until it is accepted.
    pub above: Vec<String>,
    /// The headline as it was sealed.
    pub was: Headline,
    /// The headline as it is; `None` when it is gone.
    pub now: Option<Headline>,
}

impl Amendment {
    pub(crate) fn new(was: &Headline, now: Option<&Headline>, changes: Vec<Change>, above: Vec<String>) -> Amendment {
        let words: Vec<String> = changes.iter().map(|change| change.words(was, now)).collect();
        Amendment {
            id: was.id.clone(),
            title: was.title.clone(),
            reason: words.join(", and "),
            changes,
            above,
            was: was.clone(),
            now: now.cloned(),
        }
    }
}

impl Change {
    fn words(self, was: &Headline, now: Option<&Headline>) -> String {
        let title = |h: Option<&Headline>| h.map_or(String::new(), |h| h.title.clone());
        let check = |h: Option<&Headline>| match h.and_then(|h| h.check.as_ref()) {
            Some(check) => format!("`{}`", check.text),
            None => "none".to_owned(),
        };
        let below = |h: Option<&Headline>| match h.and_then(|h| h.parent.as_ref()) {
            Some(parent) => format!("below `{parent}`"),
            None => "at the top".to_owned(),
        };
        match self {
            Change::Gone => "it is gone from the plan".to_owned(),
            Change::Keyword => format!("it lost its keyword {}", was.keyword.as_deref().unwrap_or_default()),
            Change::Cancelled => "it is cancelled".to_owned(),
            Change::Title => format!("its title was `{}` and is `{}`", was.title, title(now)),
            Change::Moved => format!("it stood {} and stands {}", below(Some(was)), below(now)),
            Change::Check => format!("its check was {} and is {}", check(Some(was)), check(now)),
        }
    }
}
