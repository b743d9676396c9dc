//! Text that is shown as written: source blocks, examples, code in a line.

use super::super::escape;
use super::Page;
use orgize::ast::{FixedWidth, InlineSrc, SourceBlock};
use orgize::rowan::ast::AstNode;
use orgize::{SyntaxKind as Kind, SyntaxNode};

impl Page<'_> {
    pub(super) fn source_block(&mut self, node: &SyntaxNode) {
        let language = SourceBlock::cast(node.clone()).and_then(|block| block.language());
        self.out.push_str("<pre>");
        self.code(language.as_deref(), |page| page.verbatim(node));
        self.out.push_str("</pre>\n");
    }

    pub(super) fn inline_source(&mut self, node: &SyntaxNode) {
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
    pub(super) fn verbatim(&mut self, block: &SyntaxNode) {
        for child in block.children_with_tokens() {
            match child.kind() {
                Kind::BLOCK_END => break,
                Kind::BLANK_LINE => self.text(&child.to_string()),
                Kind::BLOCK_CONTENT => self.element(&child),
                _ => {}
            }
        }
    }

    pub(super) fn fixed_width(&mut self, node: &SyntaxNode) {
        if let Some(lines) = FixedWidth::cast(node.clone()) {
            self.pre("example", |page| page.text(&lines.value()));
        }
    }
}
