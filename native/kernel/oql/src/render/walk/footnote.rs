//! Footnotes, and the marks that point to them.

use super::super::escape;
use super::Page;
use orgize::{SyntaxKind as Kind, SyntaxNode};

impl Page<'_> {
    /// `[fn:label]`, `[fn:label:definition]` or `[fn::definition]`.
    pub(super) fn footnote_mark(&mut self, node: &SyntaxNode) {
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
    pub(super) fn footnote(&mut self, node: &SyntaxNode) {
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
}
