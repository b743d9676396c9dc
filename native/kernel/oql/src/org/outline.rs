//! The whole text as a tree of headlines.

use super::header_args::HeaderArgs;
use super::headline::{self, Headline};
use super::{Keywords, Line, Lines, Section};
use crate::error::{Code, Error};
use crate::{MAX_NESTING, MAX_TEXT};
use std::borrow::Cow;
use std::ops::Range;

/// The headlines of a text in document order, each knowing its parent.
pub(crate) struct Outline<'a> {
    /// The whole text.
    pub text: &'a str,
    /// The keywords in force.
    pub keywords: Keywords,
    /// All headlines that are live.
    pub headlines: Vec<Headline>,
    /// What stands above the first headline, live or not.
    pub preamble: Range<usize>,
    /// The `COMMENT` subtrees.
    dead: Vec<Range<usize>>,
    header_args: Option<HeaderArgs<'a>>,
}

impl<'a> Outline<'a> {
    /// Reads the outline, or says which limit the text breaks.
    pub fn read(text: &'a str) -> Result<Outline<'a>, Error> {
        if text.len() > MAX_TEXT {
            return Err(Error::new(
                Code::TooLarge,
                format!("the text has {} bytes, the limit is {MAX_TEXT}", text.len()),
                "split the plan into several files",
            ));
        }
        // A byte order mark is no part of the first line.
        let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut found = Vec::new();
        let mut settings = Vec::new();
        for line in Lines::between(text, start, text.len(), 1) {
            if let Some(level) = headline::level(line.text) {
                found.push((line, level));
            } else if Keywords::setting(line.text).is_some() {
                settings.push((line, found.len()));
            }
        }
        let preamble_end = found.first().map_or(text.len(), |(line, _)| line.start).max(start);
        let section_of = |after: usize| {
            let (start, number) = match after.checked_sub(1) {
                None => (start, 1),
                Some(i) => (found[i].0.next, found[i].0.number + 1),
            };
            let end = match after {
                0 => preamble_end,
                _ => found.get(after).map_or(text.len(), |(line, _)| line.start),
            };
            Section::read(text, start..end, number)
        };
        let keywords = in_force(&settings, section_of);
        let (headlines, dead) = nest(text, &found, &keywords)?;
        let mut outline = Outline {
            text,
            keywords,
            headlines,
            preamble: start..preamble_end,
            dead,
            header_args: None,
        };
        outline.header_args = HeaderArgs::read(&outline);
        Ok(outline)
    }

    /// The text without what is not live.
    pub fn live(&self) -> Cow<'a, str> {
        if self.dead.is_empty() {
            return self.text.into();
        }
        let mut live = String::with_capacity(self.text.len());
        let mut at = 0;
        for dead in &self.dead {
            live.push_str(&self.text[at..dead.start]);
            at = dead.end;
        }
        live.push_str(&self.text[at..]);
        live.into()
    }

    /// The title as written.
    pub fn title(&self, i: usize) -> &'a str {
        &self.text[self.headlines[i].title.clone()]
    }

    /// The title without statistics cookies: what the headline is called.
    pub fn name(&self, i: usize) -> String {
        headline::name(self.title(i))
    }

    /// The keyword, where there is one.
    pub fn state(&self, i: usize) -> Option<&'a str> {
        let word = &self.text[self.headlines[i].keyword.clone()];
        (!word.is_empty()).then_some(word)
    }

    /// The headline's own tags.
    pub fn tags(&self, i: usize) -> impl Iterator<Item = &'a str> {
        let run = &self.text[self.headlines[i].tags.clone()];
        run.split(':').filter(|t| !t.is_empty())
    }

    /// Whether the headline itself carries `tag`.
    pub fn has_tag(&self, i: usize, tag: &str) -> bool {
        self.tags(i).any(|t| t == tag)
    }

    /// The headline's own section, read now.
    pub fn section(&self, i: usize) -> Section<'a> {
        let h = &self.headlines[i];
        self.with_arguments(Some(i), Section::read(self.text, h.section.clone(), h.line + 1))
    }

    /// The `:ID:` of the headline, where it has one.
    pub fn own_id(&self, i: usize) -> Option<Cow<'a, str>> {
        let h = &self.headlines[i];
        let section = Section::read(self.text, h.section.clone(), h.line + 1);
        section.find(&["ID"]).map(|p| p.value).filter(|v| !v.is_empty())
    }

    /// What stands above the first headline, as a section.
    pub fn preamble_section(&self) -> Section<'a> {
        self.with_arguments(None, Section::read(self.text, self.preamble.clone(), 1))
    }

    /// Source blocks inherit header arguments.
    fn with_arguments(&self, i: Option<usize>, mut section: Section<'a>) -> Section<'a> {
        if let Some(inherited) = &self.header_args {
            inherited.apply(self, i, &mut section.sources);
        }
        section
    }

    /// Index of the headline whose line or section holds `offset`.
    pub fn above(&self, offset: usize) -> usize {
        self.headlines.partition_point(|h| h.start <= offset).saturating_sub(1)
    }

    /// Direct children in document order.
    pub fn children(&self, i: usize) -> impl Iterator<Item = usize> {
        let end = self.headlines[i].end;
        let mut next = i + 1;
        std::iter::from_fn(move || {
            let child = next;
            next = self.headlines.get(child)?.end;
            (child < end).then_some(child)
        })
    }
}

/// Settings inside a block are somebody's example.
fn in_force<'a>(settings: &[(Line<'a>, usize)], section_of: impl Fn(usize) -> Section<'a>) -> Keywords {
    let mut current: Option<(usize, Section<'a>)> = None;
    let mut values = Vec::new();
    for (line, after) in settings {
        if current.as_ref().is_none_or(|(read, _)| read != after) {
            current = Some((*after, section_of(*after)));
        }
        let outside = current.as_ref().is_some_and(|(_, s)| !s.in_block(line.number));
        if outside {
            values.extend(Keywords::setting(line.text));
        }
    }
    Keywords::from_settings(values)
}

/// A `COMMENT` subtree is not live: its headlines are nobody's, and nothing of it is read.
fn nest(
    text: &str,
    found: &[(Line<'_>, usize)],
    keywords: &Keywords,
) -> Result<(Vec<Headline>, Vec<Range<usize>>), Error> {
    let mut headlines: Vec<Headline> = Vec::with_capacity(found.len());
    let mut open: Vec<usize> = Vec::new();
    let mut commented: Option<usize> = None;
    let mut dead: Vec<Range<usize>> = Vec::new();
    for (i, (line, level)) in found.iter().enumerate() {
        let section_end = found.get(i + 1).map_or(text.len(), |(next, _)| next.start);
        if commented.is_some_and(|above| *level > above) {
            if let Some(open) = dead.last_mut() {
                open.end = section_end;
            }
            continue;
        }
        let mut h = Headline::read(*line, *level, keywords);
        commented = h.commented.then_some(*level);
        let next = headlines.len();
        while let Some(&last) = open.last() {
            if headlines[last].level < *level {
                break;
            }
            headlines[last].end = next;
            open.pop();
        }
        if h.commented {
            dead.push(line.start..section_end);
            continue;
        }
        h.section.end = section_end;
        h.parent = open.last().copied();
        if open.len() >= MAX_NESTING {
            return Err(Error::new(
                Code::TooDeep,
                format!("line {}: headlines nest deeper than {MAX_NESTING}", h.line),
                "flatten the outline",
            ));
        }
        open.push(next);
        headlines.push(h);
    }
    for i in open {
        headlines[i].end = headlines.len();
    }
    Ok((headlines, dead))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Vec<(String, Option<usize>, usize)> {
        let o = Outline::read(text).unwrap();
        (0..o.headlines.len())
            .map(|i| (o.title(i).to_owned(), o.headlines[i].parent, o.headlines[i].end))
            .collect()
    }

    #[test]
    fn headlines_nest_by_level_and_levels_may_be_skipped() {
        let want = [
            ("a", None, 4),
            ("b", Some(0), 3),
            ("c", Some(1), 3),
            ("d", Some(0), 4),
            ("e", None, 5),
        ]
        .map(|(t, p, e)| (t.to_owned(), p, e));
        assert_eq!(tree("* a\n*** b\n**** c\n** d\n* e\n"), want);
    }

    #[test]
    fn a_comment_subtree_is_not_there() {
        let org = "* a\n** COMMENT b\n*** c\n** d\n* TODO COMMENT e\n** f\n* g\n";
        let want = [("a", None, 2), ("d", Some(0), 2), ("g", None, 3)].map(|(t, p, e)| (t.to_owned(), p, e));
        assert_eq!(tree(org), want);
        assert_eq!(Outline::read(org).unwrap().live(), "* a\n** d\n* g\n");
    }

    #[test]
    fn children_are_the_direct_ones() {
        let o = Outline::read("* a\n** b\n*** c\n** d\n* e\n").unwrap();
        assert_eq!(o.children(0).collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn a_byte_order_mark_does_not_hide_the_first_headline() {
        assert_eq!(tree("\u{feff}* a\n").len(), 1);
    }

    #[test]
    fn a_todo_line_inside_a_block_is_an_example() {
        let o = Outline::read("* OPEN a\n#+begin_example\n#+TODO: OPEN | SHUT\n#+end_example\n").unwrap();
        assert_eq!(o.state(0), None);
        let o = Outline::read("* OPEN a\n#+TODO: OPEN | SHUT\n").unwrap();
        assert_eq!(o.state(0), Some("OPEN"));
    }

    #[test]
    fn nesting_beyond_the_limit_is_an_error_that_names_the_line() {
        let deep: String = (1..=MAX_NESTING + 1).map(|n| "*".repeat(n) + " x\n").collect();
        let error = Outline::read(&deep).err().unwrap();
        assert_eq!(error.code, Code::TooDeep);
        assert_eq!(error.message, "line 1001: headlines nest deeper than 1000");
    }
}
