//! From orgize's tree to HTML: a closed list of elements, each written here by hand.

mod code;
mod footnote;
mod headline;
mod link;
mod list;
mod table;

use super::batch::Heading;
use super::escape;
use orgize::ast::Entity;
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

    fn special_block(&mut self, node: &SyntaxNode) {
        let name = node
            .children()
            .filter(|child| child.kind() == Kind::BLOCK_BEGIN)
            .flat_map(|begin| begin.children_with_tokens())
            .filter(|part| part.kind() == Kind::TEXT)
            .nth(1)
            .map(|name| escape::class(&name.to_string()))
            .unwrap_or_default();
        self.block(&format!(r#"<div class="block-{name}">"#), "</div>", |page| {
            page.children(node)
        });
    }

    /// orgize's HTML for an entity comes from its fixed table; `\_` and spaces are hard spaces.
    fn entity(&mut self, node: &SyntaxNode) {
        if node
            .children_with_tokens()
            .any(|child| child.kind() == Kind::UNDERSCORE)
        {
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

    fn mark(&mut self, class: &str, text: &str) {
        self.out.push_str("<span");
        self.attribute("class", class);
        self.out.push('>');
        self.text(text);
        self.out.push_str("</span> ");
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
