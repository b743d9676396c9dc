//! From orgize's tree to HTML: a closed list of elements, each written here by hand.

use super::batch::{Heading, State};
use super::{escape, link};
use orgize::ast::{Entity, FixedWidth, Headline, InlineSrc, Link, List, OrgTable, SourceBlock};
use orgize::rowan::ast::AstNode;
use orgize::{Org, SyntaxElement, SyntaxKind as Kind, SyntaxNode};

/// Appends a parsed text to `out`. `headings` are what orgize was not shown of its headlines, in order.
pub(super) fn document(org: &Org, headings: &[Heading], out: &mut String) {
    let headings = headings.iter();
    Page { headings, out }.children(org.document().syntax());
}

struct Page<'a> {
    headings: std::slice::Iter<'a, Heading<'a>>,
    out: &'a mut String,
}

impl Page<'_> {
    fn children(&mut self, node: &SyntaxNode) {
        node.children_with_tokens().for_each(|child| self.element(&child));
    }

    /// Of the tokens only text is shown; the others are the marks that make the structure.
    fn element(&mut self, element: &SyntaxElement) {
        match element {
            SyntaxElement::Node(node) => self.node(node),
            SyntaxElement::Token(token) if token.kind() == Kind::TEXT => self.text(token.text()),
            SyntaxElement::Token(_) => {}
        }
    }

    /// A kind that is not named here leaves no trace: drawers, comments, keywords, and all raw HTML.
    fn node(&mut self, node: &SyntaxNode) {
        match node.kind() {
            Kind::SECTION | Kind::BLOCK_CONTENT | Kind::LIST_ITEM_CONTENT => self.children(node),
            Kind::HEADLINE => self.headline(node),
            Kind::PLANNING | Kind::CLOCK => self.block(r#"<p class="planning">"#, "</p>", |page| {
                page.source(node);
            }),
            Kind::PARAGRAPH => self.block("<p>", "</p>", |page| page.children(node)),

            Kind::QUOTE_BLOCK => self.block("<blockquote>", "</blockquote>", |page| page.children(node)),
            Kind::CENTER_BLOCK => self.block(r#"<div class="center">"#, "</div>", |page| page.children(node)),
            Kind::SPECIAL_BLOCK => self.special_block(node),
            Kind::SOURCE_BLOCK => self.source_block(node),
            Kind::EXAMPLE_BLOCK => self.pre("example", |page| page.verbatim(node)),
            Kind::VERSE_BLOCK => self.pre("verse", |page| page.verbatim(node)),
            Kind::FIXED_WIDTH => self.fixed_width(node),
            Kind::TABLE_EL => self.pre("example", |page| page.source(node)),
            Kind::LATEX_ENVIRONMENT => self.pre("latex", |page| page.source(node)),
            Kind::RULE => self.out.push_str("<hr>\n"),
            Kind::LIST => self.list(node),
            Kind::ORG_TABLE => self.table(node),
            Kind::FN_DEF => self.footnote(node),

            Kind::BOLD => self.inline("<b>", "</b>", node),
            Kind::ITALIC => self.inline("<i>", "</i>", node),
            Kind::UNDERLINE => self.inline("<u>", "</u>", node),
            Kind::STRIKE => self.inline("<s>", "</s>", node),
            Kind::CODE | Kind::VERBATIM => self.inline("<code>", "</code>", node),
            Kind::SUPERSCRIPT => self.inline("<sup>", "</sup>", node),
            Kind::SUBSCRIPT => self.inline("<sub>", "</sub>", node),
            Kind::RADIO_TARGET => self.children(node),
            Kind::TARGET => self.target(node),
            Kind::LINK => self.link(node),
            Kind::FN_REF => self.footnote_mark(node),
            Kind::ENTITY => self.entity(node),
            Kind::LINE_BREAK => self.out.push_str("<br>\n"),
            Kind::COOKIE => self.span("cookie", node),
            Kind::TIMESTAMP_ACTIVE | Kind::TIMESTAMP_INACTIVE | Kind::TIMESTAMP_DIARY => {
                self.span("timestamp", node);
            }
            Kind::LATEX_FRAGMENT => self.span("latex", node),
            Kind::INLINE_SRC => self.inline_source(node),
            Kind::INLINE_CALL | Kind::MACROS => {
                self.out.push_str("<code>");
                self.source(node);
                self.out.push_str("</code>");
            }
            _ => {}
        }
    }

    fn headline(&mut self, node: &SyntaxNode) {
        let Some(&Heading { level, keyword }) = self.headings.next() else {
            return;
        };
        let headline = Headline::cast(node.clone());
        let tag = level.min(6);
        self.out.push_str(&format!("<h{tag}"));
        if level > 6 {
            self.out.push_str(&format!(r#" aria-level="{level}""#));
        }
        let properties = headline.as_ref().and_then(Headline::properties);
        let property = |name: &str| {
            let (_, value) = properties.as_ref()?.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?;
            Some(escape::anchor(&value))
        };
        if let Some(id) = property("ID") {
            self.attribute("id", &id);
        }
        self.out.push('>');
        if let Some(id) = property("CUSTOM_ID") {
            self.place(&id);
        }
        if let Some((keyword, state)) = keyword {
            self.keyword(keyword, state);
        }
        for child in node.children() {
            match child.kind() {
                Kind::HEADLINE_PRIORITY => self.mark("priority", &child.to_string()),
                Kind::HEADLINE_TITLE => self.children(&child),
                _ => {}
            }
        }
        self.trim();
        for tag in headline.iter().flat_map(Headline::tags) {
            self.out.push_str(r#" <span class="tag">"#);
            self.text(&tag);
            self.out.push_str("</span>");
        }
        self.out.push_str(&format!("</h{tag}>\n"));
        node.children()
            .filter(|child| matches!(child.kind(), Kind::PLANNING | Kind::SECTION))
            .for_each(|child| self.node(&child));
    }

    fn keyword(&mut self, keyword: &str, state: State) {
        let state = match state {
            State::Open => "todo",
            State::Done => "done",
        };
        self.mark(format!("{state} {}", escape::class(keyword)).trim_end(), keyword);
    }

    fn mark(&mut self, class: &str, text: &str) {
        self.out.push_str("<span");
        self.attribute("class", class);
        self.out.push('>');
        self.text(text);
        self.out.push_str("</span> ");
    }

    fn special_block(&mut self, node: &SyntaxNode) {
        let name = node
            .first_child()
            .into_iter()
            .flat_map(|begin| begin.children_with_tokens())
            .filter(|part| part.kind() == Kind::TEXT)
            .nth(1)
            .map(|name| escape::class(&name.to_string()))
            .unwrap_or_default();
        self.block(&format!(r#"<div class="block-{name}">"#), "</div>", |page| page.children(node));
    }

    fn source_block(&mut self, node: &SyntaxNode) {
        let language = SourceBlock::cast(node.clone()).and_then(|block| block.language());
        self.out.push_str("<pre>");
        self.code(language.as_deref(), |page| page.verbatim(node));
        self.out.push_str("</pre>\n");
    }

    fn inline_source(&mut self, node: &SyntaxNode) {
        if let Some(source) = InlineSrc::cast(node.clone()) {
            self.code(Some(&source.language()), |page| page.text(&source.value()));
        }
    }

    fn code(&mut self, language: Option<&str>, body: impl FnOnce(&mut Self)) {
        let class = language.map(escape::class).filter(|class| !class.is_empty());
        self.out.push_str("<code");
        if let Some(class) = class {
            self.attribute("class", &format!("language-{class}"));
        }
        self.out.push('>');
        body(self);
        self.out.push_str("</code>");
    }

    /// A block's text as written, with the blank lines that orgize keeps apart from it.
    fn verbatim(&mut self, block: &SyntaxNode) {
        for child in block.children_with_tokens() {
            match child.kind() {
                Kind::BLOCK_END => break,
                Kind::BLANK_LINE => self.text(&child.to_string()),
                Kind::BLOCK_CONTENT => self.element(&child),
                _ => {}
            }
        }
    }

    fn fixed_width(&mut self, node: &SyntaxNode) {
        if let Some(lines) = FixedWidth::cast(node.clone()) {
            self.pre("example", |page| page.text(&lines.value()));
        }
    }

    fn list(&mut self, node: &SyntaxNode) {
        let Some(list) = List::cast(node.clone()) else {
            return;
        };
        let (open, close) = match () {
            () if list.is_ordered() => ("<ol>", "</ol>"),
            () if list.is_descriptive() => ("<dl>", "</dl>"),
            () => ("<ul>", "</ul>"),
        };
        let described = open == "<dl>";
        self.block(open, close, |page| {
            for item in list.items() {
                if described {
                    page.out.push_str("<dt>");
                    item.tag().for_each(|child| page.element(&child));
                    page.trim();
                    page.out.push_str("</dt>");
                }
                let start = item.counter().and_then(|counter| counter.parse::<u32>().ok());
                let (open, close) = match (described, start) {
                    (true, _) => ("<dd>".to_owned(), "</dd>\n"),
                    (false, Some(start)) => (format!(r#"<li value="{start}">"#), "</li>\n"),
                    (false, None) => ("<li>".to_owned(), "</li>\n"),
                };
                page.out.push_str(&open);
                if let Some(state) = item.checkbox() {
                    page.mark("checkbox", &format!("[{}]", &*state));
                }
                if !described && item.tag().next().is_some() {
                    page.out.push_str("<b>");
                    item.tag().for_each(|child| page.element(&child));
                    page.trim();
                    page.out.push_str("</b> ");
                }
                item.syntax()
                    .children()
                    .filter(|child| child.kind() == Kind::LIST_ITEM_CONTENT)
                    .for_each(|content| page.children(&content));
                page.trim();
                page.out.push_str(close);
            }
        });
    }

    fn table(&mut self, node: &SyntaxNode) {
        let mut head = OrgTable::cast(node.clone()).is_some_and(|table| table.has_header());
        let mut seen_row = false;
        self.block("<table>", "</table>", |page| {
            for row in node.children() {
                match row.kind() {
                    Kind::ORG_TABLE_RULE_ROW => head &= !seen_row,
                    Kind::ORG_TABLE_STANDARD_ROW => {
                        seen_row = true;
                        page.row(&row, if head { "th" } else { "td" });
                    }
                    _ => {}
                }
            }
        });
    }

    fn row(&mut self, row: &SyntaxNode, cell: &str) {
        self.out.push_str("<tr>");
        for child in row.children() {
            self.out.push_str(&format!("<{cell}>"));
            self.children(&child);
            self.trim();
            self.out.push_str(&format!("</{cell}>"));
        }
        self.out.push_str("</tr>\n");
    }

    fn link(&mut self, node: &SyntaxNode) {
        let Some(link) = Link::cast(node.clone()) else {
            return;
        };
        let path = link.path();
        let described = link.has_description();
        if let Some(url) = link::image(&path).filter(|_| !described) {
            self.out.push_str("<img");
            self.attribute("src", &url);
            self.attribute("alt", &path);
            self.out.push('>');
            return;
        }
        let anchored = match link::target(&path) {
            link::Target::Page(url) => {
                self.open_link(&url);
                true
            }
            link::Target::Place(anchor) => {
                self.open_link(&format!("#{anchor}"));
                true
            }
            link::Target::Nowhere => false,
        };
        if described {
            self.children(node);
        } else {
            self.text(&path);
        }
        if anchored {
            self.out.push_str("</a>");
        }
    }

    fn open_link(&mut self, url: &str) {
        self.out.push_str("<a");
        self.attribute("href", url);
        if !url.starts_with('#') {
            self.attribute("rel", "noopener noreferrer");
        }
        self.out.push('>');
    }

    fn target(&mut self, node: &SyntaxNode) {
        let name = node.to_string();
        self.place(&escape::anchor(name.trim_matches(['<', '>'])));
    }

    fn place(&mut self, anchor: &str) {
        self.out.push_str("<span");
        self.attribute("id", anchor);
        self.out.push_str("></span>");
    }

    /// `[fn:label]`, `[fn:label:definition]` or `[fn::definition]`.
    fn footnote_mark(&mut self, node: &SyntaxNode) {
        let mut parts = node.children_with_tokens().skip(3);
        let label = parts.next().map(|label| label.to_string()).unwrap_or_default();
        if parts.next().is_some_and(|part| part.kind() == Kind::COLON) {
            self.out.push_str(r#"<span class="footnote">"#);
            parts.for_each(|part| self.element(&part));
            self.out.push_str("</span>");
        } else {
            self.out.push_str("<sup>");
            self.open_link(&format!("#{}", escape::anchor(&format!("fn-{label}"))));
            self.text(&label);
            self.out.push_str("</a></sup>");
        }
    }

    /// `[fn:label] definition`.
    fn footnote(&mut self, node: &SyntaxNode) {
        let mut texts = node
            .children_with_tokens()
            .filter(|child| child.kind() == Kind::TEXT)
            .skip(1)
            .map(|text| text.to_string());
        let label = texts.next().unwrap_or_default();
        self.out.push_str(r#"<p class="footnote""#);
        self.attribute("id", &escape::anchor(&format!("fn-{label}")));
        self.out.push_str("><sup>");
        self.text(&label);
        self.out.push_str("</sup>");
        texts.for_each(|text| self.text(&text));
        self.out.push_str("</p>\n");
    }

    /// orgize's HTML for an entity comes from its fixed table; `\_` and spaces are hard spaces.
    fn entity(&mut self, node: &SyntaxNode) {
        if node.children_with_tokens().any(|child| child.kind() == Kind::UNDERSCORE) {
            self.out.push_str("&nbsp;");
        } else if let Some(entity) = Entity::cast(node.clone()) {
            self.out.push_str(entity.html());
        }
    }

    fn inline(&mut self, open: &str, close: &str, node: &SyntaxNode) {
        self.out.push_str(open);
        self.children(node);
        self.out.push_str(close);
    }

    fn span(&mut self, class: &str, node: &SyntaxNode) {
        self.out.push_str(&format!(r#"<span class="{class}">"#));
        self.source(node);
        self.out.push_str("</span>");
    }

    fn pre(&mut self, class: &str, body: impl FnOnce(&mut Self)) {
        // HTML drops a newline right after the tag, so one goes there that may be dropped.
        self.out.push_str(&format!("<pre class=\"{class}\">\n"));
        body(self);
        self.out.push_str("</pre>\n");
    }

    /// An element that is left out when it turns out to be empty.
    fn block(&mut self, open: &str, close: &str, body: impl FnOnce(&mut Self)) {
        let before = self.out.len();
        self.out.push_str(open);
        let inside = self.out.len();
        body(self);
        let kept = self.out[inside..].trim_end().len();
        if kept == 0 {
            self.out.truncate(before);
        } else {
            self.out.truncate(inside + kept);
            self.out.push_str(close);
            self.out.push('\n');
        }
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.out.push_str(&format!(" {name}=\""));
        self.text(value);
        self.out.push('"');
    }

    /// A node as it was written.
    fn source(&mut self, node: &SyntaxNode) {
        self.text(&node.to_string());
    }

    fn text(&mut self, text: &str) {
        escape::text(text, self.out);
    }

    fn trim(&mut self) {
        self.out.truncate(self.out.trim_end().len());
    }
}
