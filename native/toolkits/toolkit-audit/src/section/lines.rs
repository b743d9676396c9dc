//! Where in a manifest the audit stands.

use super::plan;
use std::ops::Range;

#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// With its end.
    pub whole: &'a str,
    /// Without.
    pub text: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Audit,
    Plan,
}

pub(super) fn split(text: &str) -> Vec<Line<'_>> {
    let lines = text.split_inclusive('\n').map(|whole| Line {
        whole,
        text: whole.trim_end_matches('\n').trim_end_matches('\r'),
    });
    lines.collect()
}

pub(super) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The level of a headline.
pub(super) fn level(line: &str) -> Option<usize> {
    let stars = line.bytes().take_while(|byte| *byte == b'*').count();
    (stars > 0 && line[stars..].starts_with(' ')).then_some(stars)
}

/// The keyword and the title of a headline, without priority, tags and cookie.
pub(super) fn headline(line: &str) -> (Option<&str>, &str) {
    let text = line.trim_start_matches('*').trim();
    let (keyword, text) = match text.split_once(' ') {
        Some((word, rest)) if is_keyword(word) => (Some(word), rest.trim_start()),
        _ => (None, text),
    };
    let text = match text.strip_prefix("[#").and_then(|rest| rest.split_once("] ")) {
        Some((_, rest)) => rest.trim_start(),
        None => text,
    };
    let text = match text.rsplit_once(' ') {
        Some((rest, tags)) if tags.len() > 2 && tags.starts_with(':') && tags.ends_with(':') => rest.trim_end(),
        _ => text,
    };
    let text = match text.rsplit_once(" [") {
        Some((rest, cookie)) if is_cookie(cookie) => rest.trim_end(),
        _ => text,
    };
    (keyword, text)
}

fn is_keyword(word: &str) -> bool {
    word.len() > 1
        && word
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte == b'-')
}

/// What follows `[` in `[1/3]` or `[33%]`.
fn is_cookie(text: &str) -> bool {
    let inner = text.strip_suffix(']').unwrap_or_default();
    !inner.is_empty() && inner.chars().all(|c| c.is_ascii_digit() || c == '/' || c == '%')
}

/// The lines of a part that are the audit's own: from its headline to the last line that it wrote.
pub(super) fn find(lines: &[Line<'_>], node: Range<usize>, part: Part) -> Option<Range<usize>> {
    let is = |line: &Line<'_>| level(line.text) == Some(2) && part.titles().contains(&headline(line.text).1);
    let start = node.start + lines[node].iter().position(is)?;
    let below = lines[start + 1..]
        .iter()
        .take_while(|line| level(line.text).is_none_or(|level| level > 2));
    let end = start + 1 + below.count();
    let bait = headline(lines[start].text).1 == "dependency audit";
    let below = &lines[start + 1..end];
    let own = match part {
        Part::Audit if bait => below.iter().take_while(|line| line.text.starts_with("   ")).count(),
        Part::Audit => last(below.iter().map(|line| is_finding_line(line.text))),
        Part::Plan => last(plan::own(below).into_iter()),
    };
    Some(start..start + 1 + own)
}

/// How many lines there are up to the last that is ours.
fn last(own: impl Iterator<Item = bool>) -> usize {
    let ours = own.enumerate().filter(|(_, own)| *own);
    ours.last().map_or(0, |(at, _)| at + 1)
}

fn is_finding_line(line: &str) -> bool {
    let class = |text: &str| {
        ["ready", "convertible", "blocked"]
            .iter()
            .any(|class| text.starts_with(class))
    };
    let after = |mark: &str| line.split(mark).skip(1).any(class);
    match level(line) {
        Some(3) => line.ends_with(')') && after(" — "),
        Some(_) => false,
        None => line.starts_with("    - ") && after("= :: ") || line.trim() == super::findings::NO_SCRIPTS,
    }
}

/// The node that a line belongs to, from its headline to the next of its level. Without a line it is the toolkit's, or
/// the whole file: there the audit goes when there was none.
pub(super) fn node(lines: &[Line<'_>], at: Option<usize>) -> Range<usize> {
    let top = |line: &Line<'_>| level(line.text) == Some(1);
    let tagged = |line: &Line<'_>| {
        let tags = line.text.trim_end().rsplit(' ').next().unwrap_or_default();
        top(line) && tags.starts_with(':') && tags.ends_with(':') && tags.contains(":toolkit:")
    };
    let start = match at {
        Some(at) => lines[..at].iter().rposition(top),
        None => lines.iter().position(tagged),
    };
    match (start, at) {
        (None, None) => 0..lines.len(),
        (start, at) => {
            let after = start.map(|start| start + 1).or(at).unwrap_or_default();
            let next = lines[after..].iter().position(top);
            start.unwrap_or_default()..next.map_or(lines.len(), |next| after + next)
        }
    }
}

impl Part {
    fn titles(self) -> &'static [&'static str] {
        match self {
            Part::Audit => &["dependency audit", "dependency audit (static, auto)"],
            Part::Plan => &["fix-up plan"],
        }
    }
}
