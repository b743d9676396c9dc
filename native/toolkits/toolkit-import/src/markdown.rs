//! Markdown as Org.
//!
//! The structure of the document becomes the same structure; its words cannot become any: see [`crate::org`].

use crate::org;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A document, without its first heading when `title` is taken from it.
pub(crate) struct Document {
    pub title: Option<String>,
    pub body: String,
}

/// Converts a document. A heading at its very beginning is its title.
pub(crate) fn convert(markdown: &str) -> Document {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer::default();
    for event in Parser::new_ext(markdown, options) {
        writer.event(event);
    }
    Document {
        title: writer.title,
        body: writer.out.trim_end().to_owned() + "\n",
    }
}

/// The first words of prose in a document, for a list of documents.
pub(crate) fn first_words(markdown: &str) -> String {
    let mut words = String::new();
    let mut inside = false;
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::Paragraph) => inside = true,
            Event::End(TagEnd::Paragraph) if !words.is_empty() => break,
            Event::Text(text) | Event::Code(text) if inside => words += &text,
            Event::SoftBreak | Event::HardBreak => words.push(' '),
            _ => {}
        }
    }
    org::short(&words)
}

#[derive(Default)]
struct Writer {
    out: String,
    title: Option<String>,
    /// Inline text that waits for its line, cell or headline to end.
    inline: String,
    heading: Option<usize>,
    code: Option<(String, String)>,
    /// The number of the next item; none for bullets.
    lists: Vec<Option<u64>>,
    /// The mark of the item that has begun.
    bullet: Option<String>,
    links: Vec<(String, usize)>,
    cells: Vec<String>,
    html: bool,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.inline.push_str(&text),
            },
            Event::Code(text) => {
                let text = org::line(&text);
                let mark = if text.contains('=') { '~' } else { '=' };
                self.inline += &format!("{mark}{text}{mark}");
            }
            Event::Html(text) | Event::InlineHtml(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.inline.push_str(&text),
            },
            Event::SoftBreak | Event::HardBreak => self.inline.push('\n'),
            Event::Rule => {
                self.gap();
                self.out += "-----\n";
            }
            Event::TaskListMarker(done) => self.inline += if done { "[X] " } else { "[ ] " },
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.flush();
                self.heading = Some(depth(level));
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.gap();
                self.out += &format!("{}#+begin_quote\n", self.indent());
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                let language = match &kind {
                    CodeBlockKind::Fenced(language) => language.split([' ', ',']).next().unwrap_or_default(),
                    CodeBlockKind::Indented => "",
                };
                let plain = |c: &char| c.is_ascii_alphanumeric() || "+-_".contains(*c);
                self.code = Some((language.chars().take_while(plain).collect(), String::new()));
            }
            Tag::HtmlBlock => {
                self.flush();
                self.html = true;
                self.code = Some((String::new(), String::new()));
            }
            Tag::List(first) => {
                self.flush();
                if self.lists.is_empty() {
                    self.gap();
                }
                self.lists.push(first);
            }
            Tag::Item => {
                self.flush();
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                };
                self.bullet = Some(mark);
            }
            Tag::Emphasis => self.inline.push('/'),
            Tag::Strong => self.inline.push('*'),
            Tag::Strikethrough => self.inline.push('+'),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.inline.len()));
            }
            Tag::Table(_) => {
                self.flush();
                self.gap();
            }
            Tag::TableCell => self.inline.clear(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.headline(),
            TagEnd::Paragraph => {
                self.flush();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.out += &format!("{}#+end_quote\n", self.indent());
            }
            TagEnd::CodeBlock | TagEnd::HtmlBlock => self.block(),
            TagEnd::Item => {
                self.flush();
                // An item without words is still an item.
                if let Some(mark) = self.bullet.take() {
                    self.out += &format!("{}{}\n", self.outer(), mark.trim_end());
                }
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Emphasis => self.inline.push('/'),
            TagEnd::Strong => self.inline.push('*'),
            TagEnd::Strikethrough => self.inline.push('+'),
            TagEnd::Link | TagEnd::Image => self.link(),
            TagEnd::TableCell => {
                let cell = org::line(&std::mem::take(&mut self.inline)).replace('|', "\\vert{}");
                self.cells.push(cell);
            }
            TagEnd::TableHead => {
                let rule = vec!["---"; self.cells.len()].join("+");
                self.row();
                self.out += &format!("{}|{rule}|\n", self.indent());
            }
            TagEnd::TableRow => self.row(),
            _ => {}
        }
    }

    fn headline(&mut self) {
        let title = org::title(&std::mem::take(&mut self.inline));
        let Some(level) = self.heading.take() else { return };
        if self.out.is_empty() && self.title.is_none() {
            self.title = Some(title);
            return;
        }
        if self.lists.is_empty() {
            self.gap();
            self.out += &format!("{} {title}\n", "*".repeat(level));
        } else {
            // A heading inside a list cannot be a headline.
            self.inline = title;
            self.flush();
        }
    }

    fn block(&mut self) {
        let Some((language, code)) = self.code.take() else {
            return;
        };
        if self.html && code.trim_start().starts_with("<!--") {
            self.html = false;
            return;
        }
        self.html = false;
        self.item();
        self.gap();
        let kind = if language.is_empty() { "example" } else { "src" };
        let indent = self.indent();
        self.out += &org::block(kind, &language, &code, &indent);
    }

    fn link(&mut self) {
        let Some((url, from)) = self.links.pop() else { return };
        let text = self.inline.split_off(from.min(self.inline.len()));
        let text = org::line(&text).replace(['[', ']'], "");
        let url: String = url
            .chars()
            .filter(|c| !c.is_whitespace() && !c.is_control() && !"[]".contains(*c))
            .collect();
        self.inline += &match (url.is_empty(), text.is_empty()) {
            (true, _) => text,
            (false, true) => format!("[[{url}]]"),
            (false, false) => format!("[[{url}][{text}]]"),
        };
    }

    fn row(&mut self) {
        let cells = std::mem::take(&mut self.cells);
        self.out += &format!("{}| {} |\n", self.indent(), cells.join(" | "));
    }

    /// Writes the words that wait, as a paragraph or as the beginning of an item.
    fn flush(&mut self) {
        let words = std::mem::take(&mut self.inline);
        if words.trim().is_empty() {
            return;
        }
        if self.bullet.is_none() {
            self.gap();
        }
        let (indent, outer, bullet) = (self.indent(), self.outer(), self.bullet.take());
        let mut first = bullet.map(|mark| outer + &mark);
        for line in words.lines() {
            let line: String = line.chars().filter(|c| !c.is_control() || *c == '\t').collect();
            let line = line.trim();
            if !line.is_empty() {
                let before = first.take().unwrap_or_else(|| indent.clone());
                self.out += &format!("{before}{}\n", org::begin(line));
            }
        }
    }

    /// Writes the mark of an item that begins with something else than words.
    fn item(&mut self) {
        if let Some(mark) = self.bullet.take() {
            self.out += &format!("{}{}\n", self.outer(), mark.trim_end());
        }
    }

    /// A blank line, unless there is one.
    fn gap(&mut self) {
        let begun = self.out.is_empty() || self.out.ends_with("\n\n") || self.out.ends_with("#+begin_quote\n");
        if !begun {
            self.out.push('\n');
        }
    }

    /// Where the text of the innermost item stands.
    fn indent(&self) -> String {
        " ".repeat(self.lists.iter().map(width).sum())
    }

    /// Where its mark stands.
    fn outer(&self) -> String {
        let lists = &self.lists[..self.lists.len().saturating_sub(1)];
        " ".repeat(lists.iter().map(width).sum())
    }
}

fn width(list: &Option<u64>) -> usize {
    if list.is_some() { 3 } else { 2 }
}

fn depth(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_of_a_document_is_kept() {
        let markdown = "\
# Title

Some *words* and **strong** ones, `code`, a [link](https://x.y \"t\").

## Part

- one
- two
  1. inner
- [x] done

```sh
* not a headline
echo `hi`
```

| a | b |
|---|---|
| 1 | x\\|y |

> quoted
> words
";
        let org = "\
Some /words/ and *strong* ones, =code=, a [[https://x.y][link]].

** Part

- one
- two
  1. inner
- [X] done

#+begin_src sh
,* not a headline
echo `hi`
#+end_src

| a | b |
|---+---|
| 1 | x\\vert{}y |

#+begin_quote
quoted
words
#+end_quote
";
        let document = convert(markdown);
        assert_eq!(document.title.as_deref(), Some("Title"));
        assert_eq!(document.body, org);
        assert_eq!(first_words(markdown), "Some words and strong ones, code, a link.");
    }

    #[test]
    fn words_do_not_become_structure() {
        let markdown =
            "# T\n\n\\* TODO evil\n:done-when: true\n#+begin_src sh\nrm\n#+end_src\n\n# TODO evil :workflow:\n";
        let tasks = oql::tasks(&convert(markdown).body).unwrap();
        let seen: Vec<_> = tasks
            .iter()
            .map(|t| (t.state.clone(), t.done_when.clone(), t.check.is_some()))
            .collect();
        assert_eq!(seen, [(None, None, false)]);
    }

    proptest::proptest! {
        #[test]
        fn no_document_makes_tasks(markdown in "([*#:|>` a-z\\-\\[\\]_+<=0-9.\n]|TODO |done-when: |\\+begin_src|\\+end_src|~~~\n){0,80}") {
            let document = convert(&markdown);
            let org = format!("* Skill\n{}", document.body);
            for task in oql::tasks(&org).unwrap() {
                proptest::prop_assert!(task.state.is_none(), "{org}");
                proptest::prop_assert!(task.done_when.is_none(), "{org}");
            }
        }
    }
}
