//! Lists with bullets, numbers or terms.

use super::Page;
use orgize::ast::{List, ListItem};
use orgize::rowan::ast::AstNode;
use orgize::{SyntaxKind as Kind, SyntaxNode};

impl Page<'_> {
    pub(super) fn list(&mut self, node: &SyntaxNode) {
        let Some(list) = List::cast(node.clone()) else {
            return;
        };
        if list.is_ordered() {
            self.block("<ol>", "</ol>", |page| list.items().for_each(|item| page.item(&item)));
        } else if list.is_descriptive() {
            self.block("<dl>", "</dl>", |page| list.items().for_each(|item| page.term(&item)));
        } else {
            self.block("<ul>", "</ul>", |page| list.items().for_each(|item| page.item(&item)));
        }
    }

    fn item(&mut self, item: &ListItem) {
        self.out.push_str("<li");
        if let Some(number) = item.counter().and_then(|counter| counter.parse::<u32>().ok()) {
            self.attribute("value", &number.to_string());
        }
        self.out.push('>');
        // In a list that does not begin with a term, a term is the beginning of its item.
        if item.tag().next().is_some() {
            self.out.push_str("<b>");
            self.tag(item);
            self.out.push_str("</b> ");
        }
        self.content(item);
        self.out.push_str("</li>\n");
    }

    fn term(&mut self, item: &ListItem) {
        self.out.push_str("<dt>");
        self.tag(item);
        self.out.push_str("</dt><dd>");
        self.content(item);
        self.out.push_str("</dd>\n");
    }

    fn tag(&mut self, item: &ListItem) {
        item.tag().for_each(|child| self.element(&child));
        self.trim();
    }

    fn content(&mut self, item: &ListItem) {
        if let Some(state) = item.checkbox() {
            self.mark("checkbox", &format!("[{}]", &*state));
        }
        item.syntax()
            .children()
            .filter(|child| child.kind() == Kind::LIST_ITEM_CONTENT)
            .for_each(|content| self.children(&content));
        self.trim();
    }
}
