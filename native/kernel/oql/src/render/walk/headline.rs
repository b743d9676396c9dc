//! A headline with its keyword, priority, tags and anchors, and its section.

use super::super::batch::{Heading, State};
use super::super::escape;
use super::Page;
use orgize::ast::Headline;
use orgize::rowan::ast::AstNode;
use orgize::{SyntaxKind as Kind, SyntaxNode};

impl Page<'_> {
    pub(super) fn headline(&mut self, node: &SyntaxNode) {
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
            let (_, value) = properties
                .as_ref()?
                .iter()
                .find(|(key, _)| key.eq_ignore_ascii_case(name))?;
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
}
