//! Things that open on one line and close on another: blocks, drawers and LaTeX environments.

use super::super::tidy::{Edge, block_edge};
use std::collections::BTreeMap;

/// A line that opens something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Opening {
    /// Where the line starts.
    pub at: usize,
    /// Where the line starts that closes it.
    pub end: Option<usize>,
    /// How many lines orgize reads to find out.
    pub lines: usize,
}

/// Every opening line of a section, the last one first.
pub(super) fn openings(section: &str) -> Vec<Opening> {
    let mut closings: BTreeMap<Mark, (usize, usize)> = BTreeMap::new();
    let mut openings = vec![];
    let mut at = section.len();
    for (below, line) in section.split_inclusive('\n').rev().enumerate() {
        at -= line.len();
        let Some((edge, mark)) = mark(line) else {
            continue;
        };
        // To orgize a stray `:END:` opens a drawer of that name.
        if edge == Edge::Begin || mark == Mark::Drawer {
            let closing = closings.get(&mark);
            openings.push(Opening {
                at,
                end: closing.map(|&(end, _)| end),
                lines: below - closing.map_or(0, |&(_, end_below)| end_below),
            });
        }
        if edge == Edge::End {
            closings.insert(mark, (at, below));
        }
    }
    openings
}

/// What may stand after the mark on its line.
const SPACE: [char; 3] = [' ', '\t', '\n'];

/// What a line opens or closes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mark<'a> {
    Block(&'a str),
    Drawer,
    Environment(&'a str),
}

fn mark(line: &str) -> Option<(Edge, Mark<'_>)> {
    let trimmed = line.trim_start_matches([' ', '\t']);
    match trimmed.as_bytes().first()? {
        b'#' => block_edge(line).map(|(edge, name)| (edge, Mark::Block(name))),
        b':' => drawer_edge(trimmed).map(|edge| (edge, Mark::Drawer)),
        b'\\' => environment_edge(trimmed).map(|(edge, name)| (edge, Mark::Environment(name))),
        _ => None,
    }
}

fn drawer_edge(line: &str) -> Option<Edge> {
    let name = line.trim_end_matches(SPACE).strip_prefix(':')?.strip_suffix(':')?;
    let named = !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_'));
    match name.eq_ignore_ascii_case("end") {
        true => Some(Edge::End),
        false => named.then_some(Edge::Begin),
    }
}

fn environment_edge(line: &str) -> Option<(Edge, &str)> {
    let (edge, rest) = match line.strip_prefix("\\begin{") {
        Some(rest) => (Edge::Begin, rest),
        None => (Edge::End, line.strip_prefix("\\end{")?),
    };
    let (name, after) = rest.split_once('}')?;
    (edge == Edge::Begin || after.trim_end_matches(SPACE).is_empty()).then_some((edge, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(section: &str) -> Vec<(usize, Option<usize>, usize)> {
        let mut found: Vec<_> = openings(section).into_iter().map(|o| (o.at, o.end, o.lines)).collect();
        found.reverse();
        found
    }

    #[test]
    fn an_opening_ends_at_the_first_closing_of_its_name() {
        assert_eq!(
            found("#+begin_a\n#+begin_b\n#+end_a\n#+end_b\n"),
            [(0, Some(20), 2), (10, Some(28), 2)]
        );
        assert_eq!(found(":a:\ntext\n  :end:\n"), [(0, Some(9), 2), (9, None, 0)]);
        assert_eq!(found("\\begin{a}\n\\end{b}\n\\end{a}\n"), [(0, Some(18), 2)]);
    }

    #[test]
    fn an_opening_without_closing_is_read_to_the_end() {
        assert_eq!(found("#+begin_a\nb\n#+end_a c\n"), [(0, None, 2)]);
        assert_eq!(found("#+end_a\n#+begin_a"), [(8, None, 0)]);
    }

    #[test]
    fn properties_keywords_and_text_open_nothing() {
        assert_eq!(found(":ID: x\n#+title: begin_a\n\\alpha\n: a\n::\n\n"), []);
    }
}
