//! Links, images, and the places that links lead to.

use super::super::{escape, link};
use super::Page;
use orgize::SyntaxNode;
use orgize::ast::Link;
use orgize::rowan::ast::AstNode;

impl Page<'_> {
    pub(super) fn link(&mut self, node: &SyntaxNode) {
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

    pub(super) fn open_link(&mut self, url: &str) {
        self.out.push_str("<a");
        self.attribute("href", url);
        if !url.starts_with('#') {
            self.attribute("rel", "noopener noreferrer");
        }
        self.out.push('>');
    }

    pub(super) fn target(&mut self, node: &SyntaxNode) {
        let name = node.to_string();
        self.place(&escape::anchor(name.trim_matches(['<', '>'])));
    }

    pub(super) fn place(&mut self, anchor: &str) {
        self.out.push_str("<span");
        self.attribute("id", anchor);
        self.out.push_str("></span>");
    }
}
