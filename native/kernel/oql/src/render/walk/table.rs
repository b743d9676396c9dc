//! Tables, with a head when a rule follows it.

use super::Page;
use orgize::ast::OrgTable;
use orgize::rowan::ast::AstNode;
use orgize::{SyntaxKind as Kind, SyntaxNode};

impl Page<'_> {
    pub(super) fn table(&mut self, node: &SyntaxNode) {
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
}
