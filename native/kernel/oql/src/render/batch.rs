//! The text in pieces of whole sections, with every headline one star deep.
//!
//! orgize recurses with the depth of the outline, and looks through all keywords at every headline; so it gets a flat
//! outline without keywords, and both come back from here. Pieces keep its tree small next to the text.

use super::tidy::is_headline;
use std::collections::BTreeMap;

/// A piece is closed at the first headline after this many bytes.
const SIZE: usize = 64 * 1024;

/// Whether a keyword says that the work is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It does not.
    Open,
    /// It does.
    Done,
}

/// The keywords of a plan.
pub(super) type Keywords = BTreeMap<String, State>;

/// What orgize does not see of a headline.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Heading<'a> {
    /// How many stars it has.
    pub level: usize,
    /// Its keyword.
    pub keyword: Option<(&'a str, State)>,
}

/// Some sections of the text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Batch<'a> {
    /// The sections, with one star and no keyword for each headline.
    pub text: String,
    /// What the headlines had.
    pub headings: Vec<Heading<'a>>,
}

/// Cuts the text at headlines.
pub(super) fn batches<'a>(org: &'a str, keywords: &Keywords) -> impl Iterator<Item = Batch<'a>> {
    let mut lines = org.split_inclusive('\n').peekable();
    std::iter::from_fn(move || {
        lines.peek()?;
        let mut batch = Batch::default();
        while let Some(line) = lines.next_if(|line| batch.text.len() < SIZE || !is_headline(line)) {
            if is_headline(line) {
                batch.headline(line, keywords);
            } else {
                batch.text.push_str(line);
            }
        }
        Some(batch)
    })
}

impl<'a> Batch<'a> {
    fn headline(&mut self, line: &'a str, keywords: &Keywords) {
        let after_stars = line.trim_start_matches('*');
        let title = after_stars.trim_start_matches([' ', '\t']);
        let (word, rest) = title.split_at(title.find(|c: char| c.is_ascii_whitespace()).unwrap_or(title.len()));
        let keyword = keywords.get(word).map(|&state| (word, state));
        self.headings.push(Heading {
            level: line.len() - after_stars.len(),
            keyword,
        });
        self.text.push_str("* ");
        self.text.push_str(match keyword {
            Some(_) => rest.trim_start_matches([' ', '\t']),
            None => title,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keywords() -> Keywords {
        BTreeMap::from([("TODO".into(), State::Open), ("DONE".into(), State::Done)])
    }

    #[test]
    fn a_headline_gets_one_star_and_its_keyword_and_level_are_kept() {
        let heading = |level, keyword| Heading { level, keyword };
        let batch = Batch {
            text: "top\n* A\n*b*\n* C\n* \n* TODOS".into(),
            headings: vec![
                heading(1, None),
                heading(3, Some(("TODO", State::Open))),
                heading(2, Some(("DONE", State::Done))),
                heading(1, None),
            ],
        };
        let org = "top\n* A\n*b*\n*** TODO  C\n** DONE\n* TODOS";
        assert_eq!(batches(org, &keywords()).collect::<Vec<_>>(), [batch]);
    }

    #[test]
    fn a_large_text_is_cut_at_headlines_only() {
        let org = format!("* A\n{}* B\n* C\n", "text\n".repeat(SIZE / 4));
        let found: Vec<_> = batches(&org, &keywords()).map(|batch| batch.headings.len()).collect();
        assert_eq!(found, [1, 2]);
    }

    #[test]
    fn no_text_makes_no_batch() {
        assert_eq!(batches("", &keywords()).count(), 0);
    }
}
