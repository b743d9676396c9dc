//! A headline's own section: planning line, properties, source blocks.

use super::property::{Joined, Property, bare_property, by_key, property};
use super::{Arg, Line, Lines, args};
use std::collections::BTreeMap;
use std::ops::Range;

/// Blocks whose text is not Org: what stands in them is somebody's data.
const VERBATIM: [&str; 4] = ["src", "example", "export", "comment"];

/// What the kernel reads of a section.
pub(crate) struct Section<'a> {
    /// The line after the headline, when it holds SCHEDULED, DEADLINE or CLOSED.
    pub planning: Option<Line<'a>>,
    /// The property drawer, in order.
    pub drawer: Vec<Property<'a>>,
    /// Bare `:key: value` lines outside verbatim blocks, in order.
    pub bare: Vec<Property<'a>>,
    /// Source blocks that stand in no other block, in order.
    pub sources: Vec<SourceBlock<'a>>,
    /// Where the text after planning and drawer begins.
    pub body: Range<usize>,
    /// Line numbers of the verbatim blocks, in order.
    blocks: Vec<Range<usize>>,
}

/// A source block.
#[derive(Debug, Clone)]
pub(crate) struct SourceBlock<'a> {
    /// The language, where one is named.
    pub lang: Option<&'a str>,
    /// The header arguments in order.
    pub args: Vec<Arg<'a>>,
    /// `-i`: the indentation of its text counts.
    pub keeps_indentation: bool,
    /// The text between the two lines.
    pub body: Range<usize>,
    /// Byte offset of the `#+begin_src` line.
    pub start: usize,
}

impl SourceBlock<'_> {
    /// Whether the block carries the flag `key`: bare, or with a value that does not say no.
    pub fn has(&self, key: &str) -> bool {
        self.args
            .iter()
            .rfind(|a| a.key == key)
            .is_some_and(|a| !says_no(a.value))
    }
}

fn says_no(value: &str) -> bool {
    ["no", "nil", "false", "off"]
        .iter()
        .any(|no| value.eq_ignore_ascii_case(no))
}

impl<'a> Section<'a> {
    /// Reads `text[range]`, whose first line is line `number`.
    pub fn read(text: &'a str, range: Range<usize>, number: usize) -> Section<'a> {
        let lines: Vec<Line<'a>> = Lines::between(text, range.start, range.end, number).collect();
        let mut section = Section {
            planning: None,
            drawer: Vec::new(),
            bare: Vec::new(),
            sources: Vec::new(),
            body: range,
            blocks: Vec::new(),
        };
        let mut at = 0;
        if let Some(line) = lines.first().filter(|l| is_planning(l.text)) {
            section.planning = Some(*line);
            at = 1;
        }
        if let Some(end) = drawer_end(&lines[at..]) {
            section.drawer = lines[at + 1..at + end].iter().filter_map(property).collect();
            at += end + 1;
        }
        if let Some(last) = at.checked_sub(1) {
            section.body.start = lines[last].next;
        }
        section.elements(&lines[at..]);
        section
    }

    /// Whether line `number` stands in a verbatim block.
    pub fn in_block(&self, number: usize) -> bool {
        let after = self.blocks.partition_point(|b| b.start <= number);
        after > 0 && self.blocks[after - 1].contains(&number)
    }

    /// Properties by upper-cased key: the drawer, and below it the bare lines.
    pub fn properties(&self) -> BTreeMap<String, String> {
        by_key(self.lines())
    }

    /// The drawer alone, by upper-cased key.
    pub fn drawer_properties(&self) -> BTreeMap<String, String> {
        by_key(self.drawer.iter().copied())
    }

    /// The value that counts for any of `keys`, which are spellings of one property.
    pub fn find(&self, keys: &[&str]) -> Option<Joined<'a>> {
        Joined::of(self.lines().filter(|p| is_any(p, keys)))
    }

    /// The second line that sets one of `keys`, which are spellings of one property, where there is one.
    pub fn second(&self, keys: &[&str]) -> Option<Property<'a>> {
        self.lines().filter(|p| !p.adds && is_any(p, keys)).nth(1)
    }

    /// In the order in which they count.
    fn lines(&self) -> impl Iterator<Item = Property<'a>> + Clone + '_ {
        self.drawer.iter().chain(&self.bare).copied()
    }

    fn elements(&mut self, lines: &[Line<'a>]) {
        // A block is one only if its end follows; looking that up keeps the pass linear.
        let mut last_end: BTreeMap<String, usize> = BTreeMap::new();
        for (i, line) in lines.iter().enumerate() {
            if let Some(("end", name, _)) = block_line(line.text) {
                last_end.insert(name.to_ascii_lowercase(), i);
            }
        }
        let mut open: Vec<String> = Vec::new();
        // `#+HEADER:` lines that stand right above what comes next.
        let mut headers: Vec<Line<'a>> = Vec::new();
        let mut i = 0;
        while i < lines.len() {
            let line = &lines[i];
            if let Some(name) = affiliated(line.text) {
                if is_header(name) {
                    headers.push(*line);
                }
                i += 1;
                continue;
            }
            match block_line(line.text) {
                Some(("begin", name, rest)) => {
                    let name = name.to_ascii_lowercase();
                    if last_end.get(&name).is_some_and(|end| *end > i) {
                        if VERBATIM.contains(&name.as_str()) {
                            let end = i + 1 + end_of(&lines[i + 1..], &name);
                            self.blocks.push(line.number..lines[end].number + 1);
                            if name == "src" && open.is_empty() {
                                self.sources.push(source(lines, i, end, rest, &headers));
                            }
                            i = end;
                        } else {
                            open.push(name);
                        }
                    }
                }
                Some((_, name, _)) => {
                    open.pop_if(|o| o.eq_ignore_ascii_case(name));
                }
                None => self.bare.extend(bare_property(line)),
            }
            headers.clear();
            i += 1;
        }
    }
}

fn is_any(property: &Property<'_>, keys: &[&str]) -> bool {
    keys.iter().any(|k| property.key.eq_ignore_ascii_case(k))
}

fn is_planning(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t']);
    ["SCHEDULED:", "DEADLINE:", "CLOSED:"]
        .iter()
        .any(|k| line.starts_with(k))
}

/// Index of the `:END:` that closes the property drawer opened by the first line.
fn drawer_end(lines: &[Line<'_>]) -> Option<usize> {
    let is = |line: &Line<'_>, name: &str| line.text.trim_matches([' ', '\t']).eq_ignore_ascii_case(name);
    let (first, rest) = lines.split_first()?;
    if !is(first, ":PROPERTIES:") {
        return None;
    }
    for (i, line) in rest.iter().enumerate() {
        if is(line, ":END:") {
            return Some(i + 1);
        }
        if property(line).is_none() && !line.text.trim().is_empty() {
            return None;
        }
    }
    None
}

/// `#+begin_NAME rest` or `#+end_NAME`: which, name, rest.
fn block_line(line: &str) -> Option<(&'static str, &str, &str)> {
    let rest = line.trim_start_matches([' ', '\t']).strip_prefix("#+")?;
    let (which, rest) = match rest.get(..6) {
        Some(begin) if begin.eq_ignore_ascii_case("begin_") => ("begin", &rest[6..]),
        _ if rest.get(..4).is_some_and(|end| end.eq_ignore_ascii_case("end_")) => ("end", &rest[4..]),
        _ => return None,
    };
    let name = rest.split([' ', '\t']).next().filter(|n| !n.is_empty())?;
    let rest = &rest[name.len()..];
    (which == "begin" || rest.trim().is_empty()).then_some((which, name, rest))
}

fn end_of(lines: &[Line<'_>], name: &str) -> usize {
    let is_end = |l: &Line<'_>| matches!(block_line(l.text), Some(("end", n, _)) if n.eq_ignore_ascii_case(name));
    lines.iter().position(is_end).unwrap_or(lines.len())
}

/// Keywords that belong to the element below them.
const AFFILIATED: [&str; 13] = [
    "CAPTION", "DATA", "HEADER", "HEADERS", "LABEL", "NAME", "PLOT", "RESNAME", "RESULT", "RESULTS", "SOURCE",
    "SRCNAME", "TBLNAME",
];

/// The name in `#+NAME: value` when that belongs to what stands below it.
fn affiliated(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches([' ', '\t']).strip_prefix("#+")?;
    let (name, _) = rest.split_once(':')?;
    let word = name.split_once('[').map_or(name, |(word, _)| word);
    let attribute = name.get(..5).is_some_and(|a| a.eq_ignore_ascii_case("ATTR_"));
    (attribute || AFFILIATED.iter().any(|k| word.eq_ignore_ascii_case(k))).then_some(word)
}

fn is_header(name: &str) -> bool {
    name.eq_ignore_ascii_case("HEADER") || name.eq_ignore_ascii_case("HEADERS")
}

/// `headers` come behind the line of the block itself, the first of them last: of several that set one argument Org takes
/// the first `#+HEADER:`, and takes it before the line.
fn source<'a>(lines: &[Line<'a>], begin: usize, end: usize, rest: &'a str, headers: &[Line<'a>]) -> SourceBlock<'a> {
    let line = &lines[begin];
    let rest_at = line.start + line.text.len() - rest.len();
    let mut header = args::header(rest, rest_at);
    for line in headers.iter().rev() {
        let rest = line.text.split_once(':').map_or("", |(_, rest)| rest);
        let at = line.start + line.text.len() - rest.len();
        header.args.extend(args::header(rest, at).args);
    }
    SourceBlock {
        lang: header.lang,
        args: header.args,
        keeps_indentation: header.keeps_indentation,
        body: line.next..lines[end].start,
        start: line.start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Section<'_> {
        Section::read(text, 0..text.len(), 1)
    }

    fn sources(text: &str) -> Vec<(Option<&str>, &str)> {
        read(text)
            .sources
            .iter()
            .map(|s| (s.lang, &text[s.body.clone()]))
            .collect()
    }

    #[test]
    fn source_blocks_are_found_in_any_case_and_indentation() {
        for (text, want) in [
            ("#+begin_src js\nx\n#+end_src\n", vec![(Some("js"), "x\n")]),
            ("#+BEGIN_SRC js :in a:b\nx\n#+end_src", vec![(Some("js"), "x\n")]),
            ("  #+begin_src sh\n  x\n  #+end_src\n", vec![(Some("sh"), "  x\n")]),
            ("#+begin_src\n#+end_src\n", vec![(None, "")]),
            ("#+begin_src :out a:b\n#+end_src\n", vec![(None, "")]),
            ("#+begin_src js\nnever closed\n", vec![]),
            ("#+begin_example\n#+begin_src js\n#+end_src\n#+end_example\n", vec![]),
            ("#+begin_quote\n#+begin_src js\n#+end_src\n#+end_quote\n", vec![]),
            (
                "#+begin_quote\n#+begin_src js\ny\n#+end_src\n",
                vec![(Some("js"), "y\n")],
            ),
            ("#+begin_src js\r\nx\r\n#+end_src\r\n", vec![(Some("js"), "x\r\n")]),
        ] {
            assert_eq!(sources(text), want, "{text:?}");
        }
    }

    #[test]
    fn properties_come_from_the_drawer_and_below_it_from_bare_lines() {
        let text = ":PROPERTIES:\n:ID: x\n:empty:\n:Path+: b\n:END:\n- text\n  :done-when: test -s a\n  :done-when+: && b\n:ID: y\n:Path+: c\n#+begin_src sh\n:no: no\n#+end_src\n";
        let all = read(text).properties();
        let want = [
            ("DONE-WHEN", "test -s a && b"),
            ("EMPTY", ""),
            ("ID", "x"),
            ("PATH", "b c"),
        ];
        assert_eq!(all, want.map(|(k, v)| (k.to_owned(), v.to_owned())).into());
    }

    #[test]
    fn a_drawer_without_an_end_is_text() {
        let section = read(":PROPERTIES:\n:ID: x\n");
        assert!(section.drawer.is_empty());
        assert_eq!(section.properties()["ID"], "x");
    }

    #[test]
    fn an_empty_done_when_is_kept_and_other_empty_lines_are_not() {
        let all = read(":LOGBOOK:\n:END:\n:done-when:\n").properties();
        assert_eq!(all, [("DONE-WHEN".to_owned(), String::new())].into());
    }

    #[test]
    fn the_body_begins_after_planning_and_drawer() {
        let text = "SCHEDULED: <2026-06-11 Thu>\n:PROPERTIES:\n:ID: x\n:END:\nbody\n";
        let section = read(text);
        assert_eq!(&text[section.body.clone()], "body\n");
        assert!(section.planning.is_some());
    }

    #[test]
    fn a_property_knows_where_its_value_stands() {
        let text = "  :done-when:   test -s a\n";
        let p = read(text).find(&["done-when"]).unwrap();
        assert_eq!(&text[p.offset()..], "test -s a\n");
    }
}
