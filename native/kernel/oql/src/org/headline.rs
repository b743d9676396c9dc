//! One headline line: stars, keyword, priority, title, tags, each as a place in the text.

use super::{Keywords, Line};
use std::ops::Range;

/// A headline. Ranges are byte offsets into the whole text.
#[derive(Debug, Clone)]
pub(crate) struct Headline {
    /// Number of stars.
    pub level: usize,
    /// Line number, from 1.
    pub line: usize,
    /// Offset of the first star.
    pub start: usize,
    /// Where the keyword stands, or would be put.
    pub keyword: Range<usize>,
    /// The title without keyword, priority and tags.
    pub title: Range<usize>,
    /// The run of tags with its colons; empty when there is none.
    pub tags: Range<usize>,
    /// The headline's own section: from the next line to the next headline.
    pub section: Range<usize>,
    /// Index of the enclosing headline.
    pub parent: Option<usize>,
    /// Index after the last descendant.
    pub end: usize,
    /// `COMMENT` stands before the title: nothing of this subtree is live.
    pub commented: bool,
}

/// The level of a headline line, or nothing: stars at the left margin and a space.
pub(crate) fn level(line: &str) -> Option<usize> {
    let stars = line.bytes().take_while(|b| *b == b'*').count();
    (stars > 0 && line.as_bytes().get(stars) == Some(&b' ')).then_some(stars)
}

impl Headline {
    /// Reads a line that [`level`] accepted.
    pub fn read(line: Line<'_>, level: usize, keywords: &Keywords) -> Headline {
        let text = line.text;
        let mut at = level + 1;
        at += blanks(&text[at..]);

        let word = text[at..].split([' ', '\t']).next().unwrap_or("");
        let keyword = if keywords.contains(word) {
            let range = at..at + word.len();
            at = range.end + blanks(&text[range.end..]);
            range
        } else {
            at..at
        };
        at += priority(&text[at..]);
        let comment = comment(&text[at..]);
        at += comment;

        let end = text.trim_end_matches([' ', '\t']).len().max(at);
        let tags = tags(&text[at..end]).map_or(end..end, |from| at + from..end);
        let title_end = at + text[at..tags.start].trim_end().len();

        let place = |r: Range<usize>| line.start + r.start..line.start + r.end;
        Headline {
            level,
            line: line.number,
            start: line.start,
            keyword: place(keyword),
            title: place(at..title_end),
            tags: place(tags),
            section: line.next..line.next,
            parent: None,
            end: 0,
            commented: comment > 0,
        }
    }
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// Length of `[#A]` and the blanks after it.
fn priority(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("[#") else {
        return 0;
    };
    let mut chars = rest.char_indices();
    match (chars.next(), chars.next()) {
        (Some((_, c)), Some((close, ']'))) if c.is_alphanumeric() => {
            let len = 2 + close + 1;
            len + blanks(&text[len..])
        }
        _ => 0,
    }
}

/// Length of `COMMENT` and the blanks after it.
fn comment(text: &str) -> usize {
    match text.strip_prefix("COMMENT") {
        Some(rest) if rest.is_empty() || rest.starts_with([' ', '\t']) => text.len() - rest.len() + blanks(rest),
        _ => 0,
    }
}

/// Offset of the tags at the end of a title: `:a:b:` after a blank, or alone.
fn tags(title: &str) -> Option<usize> {
    let from = title.rfind([' ', '\t']).map_or(0, |i| i + 1);
    let word = &title[from..];
    let inside = word.strip_prefix(':')?.strip_suffix(':')?;
    let tag = |t: &str| {
        t.chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '%'))
    };
    (!inside.is_empty() && inside.split(':').all(tag)).then_some(from)
}

/// The places of the statistics cookies (`[1/3]`, `[33%]`, `[/]`, `[%]`) in a title.
pub(crate) fn cookies(title: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = title[at..].find('[').map(|i| at + i) {
        let rest = &title[open + 1..];
        let inside = rest
            .bytes()
            .take_while(|b| matches!(b, b'0'..=b'9' | b'/' | b'%'))
            .count();
        at = open + 1 + inside;
        if rest.as_bytes().get(inside) == Some(&b']') && is_cookie(&rest[..inside]) {
            found.push(open..at + 1);
        }
    }
    found
}

fn is_cookie(inside: &str) -> bool {
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    match (inside.strip_suffix('%'), inside.split_once('/')) {
        (Some(percent), _) => digits(percent),
        (None, Some((done, all))) => digits(done) && digits(all),
        (None, None) => false,
    }
}

/// A title without its cookies: what names a thing must not change while its children are worked off.
pub(crate) fn name(title: &str) -> String {
    let mut out = String::with_capacity(title.len());
    let mut at = 0;
    for cookie in cookies(title) {
        out.push_str(title[at..cookie.start].trim_end());
        at = cookie.end;
    }
    out.push_str(&title[at..]);
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, String, String) {
        let line = Line {
            text,
            start: 0,
            next: text.len(),
            number: 1,
        };
        let h = Headline::read(line, level(text).unwrap(), &Keywords::from_settings([]));
        (text[h.keyword].into(), text[h.title].into(), text[h.tags].into())
    }

    #[test]
    fn a_headline_line_falls_into_keyword_title_and_tags() {
        for (line, keyword, title, tags) in [
            ("* Plain", "", "Plain", ""),
            ("** TODO Task", "TODO", "Task", ""),
            ("* TODO", "TODO", "", ""),
            ("* TODOS are many", "", "TODOS are many", ""),
            ("* todo lower case is a title", "", "todo lower case is a title", ""),
            ("*  DONE\tTabs \t:a:b:\t ", "DONE", "Tabs", ":a:b:"),
            ("* TODO [#A] Urgent :x:", "TODO", "Urgent", ":x:"),
            ("* [#A] Urgent", "", "Urgent", ""),
            ("* [#AB] not a priority", "", "[#AB] not a priority", ""),
            ("* :only:tags:", "", "", ":only:tags:"),
            ("* a :x: in the middle", "", "a :x: in the middle", ""),
            ("* glued:x:", "", "glued:x:", ""),
            ("* time 10:30:", "", "time 10:30:", ""),
            ("* a :x: :y:", "", "a :x:", ":y:"),
            ("* a ::", "", "a ::", ""),
            ("* a :b-c:", "", "a :b-c:", ""),
            ("* \u{1F680} launch :\u{4F59}:", "", "\u{1F680} launch", ":\u{4F59}:"),
            ("* COMMENT Draft :x:", "", "Draft", ":x:"),
            ("* TODO [#A] COMMENT Draft", "TODO", "Draft", ""),
            ("* COMMENT", "", "", ""),
            ("* COMMENTARY", "", "COMMENTARY", ""),
            ("* A COMMENT", "", "A COMMENT", ""),
            ("* ", "", "", ""),
        ] {
            let want = (keyword.to_owned(), title.to_owned(), tags.to_owned());
            assert_eq!(read(line), want, "{line:?}");
        }
    }

    #[test]
    fn only_stars_at_the_margin_and_a_space_make_a_headline() {
        for (line, want) in [
            ("* a", Some(1)),
            ("*** a", Some(3)),
            ("*a", None),
            ("*\ta", None),
            ("*", None),
            (" * a", None),
            ("", None),
        ] {
            assert_eq!(level(line), want, "{line:?}");
        }
    }

    #[test]
    fn cookies_are_found_and_a_name_leaves_them_out() {
        for (title, want, bare) in [
            ("Ship [1/3]", vec!["[1/3]"], "Ship"),
            ("Ship [33%] it [/]", vec!["[33%]", "[/]"], "Ship it"),
            ("[%] Ship", vec!["[%]"], "Ship"),
            ("Ship [a/b] [1/2/3] [1] []", vec![], "Ship [a/b] [1/2/3] [1] []"),
            ("[[1/2]]", vec!["[1/2]"], "[]"),
        ] {
            let got: Vec<_> = cookies(title).into_iter().map(|r| &title[r]).collect();
            assert_eq!(got, want, "{title}");
            assert_eq!(name(title), bare, "{title}");
        }
    }
}
