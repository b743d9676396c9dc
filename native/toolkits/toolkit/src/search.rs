//! Substring search over toolkits and their skills.

use crate::Toolkit;
use serde::Serialize;

/// The most places that are named for one skill.
const LINES: usize = 3;

/// Where the words were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Hit {
    /// The toolkit.
    pub toolkit: String,
    /// The skill; none for the manifest.
    pub skill: Option<String>,
    /// The line, from 1.
    pub line: usize,
    /// What stands there.
    pub text: String,
}

/// Every place where all the words of `query` stand on one line, whatever their case; toolkits in the order given.
pub fn search(toolkits: &[Toolkit], query: &str) -> Vec<Hit> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let mut hits = Vec::new();
    for toolkit in toolkits {
        find(toolkit, None, toolkit.text(), &words, &mut hits);
        for slug in toolkit.slugs().unwrap_or_default() {
            // A skill that is refused has nothing to say.
            if let Ok(text) = toolkit.skill(&slug) {
                find(toolkit, Some(&slug), &text, &words, &mut hits);
            }
        }
    }
    hits
}

fn find(toolkit: &Toolkit, skill: Option<&str>, text: &str, words: &[String], hits: &mut Vec<Hit>) {
    let holds = |line: &str| {
        let line = line.to_lowercase();
        words.iter().all(|word| line.contains(word))
    };
    let found = text.lines().enumerate().filter(|(_, line)| holds(line)).take(LINES);
    hits.extend(found.map(|(at, line)| Hit {
        toolkit: toolkit.id().to_owned(),
        skill: skill.map(str::to_owned),
        line: at + 1,
        text: line.trim().chars().take(200).collect(),
    }));
}
