//! The reference page of the contracts, from their table.

use std::fmt::Write as _;

use super::{CONTRACTS, Contract, GRANT};

/// The page, in Markdown.
///
/// ```
/// let page = session::workflow::reference();
/// assert!(session::workflow::CONTRACTS.iter().all(|contract| page.contains(contract.name)));
/// ```
pub fn reference() -> String {
    let mut page = format!(
        "# Contracts\n\nGenerated from the table in `native/records/session`; do not edit.\n\n\
         A step names a contract with `:CONTRACT:` (Org) or `outputContract` (JSON). It is done when an artifact of the \
         contract's kind was sent that fits: the fields below and no others, unless it says so. There are {} of them.\n",
        CONTRACTS.len()
    );
    for contract in CONTRACTS {
        section(&mut page, contract);
    }
    page.push_str(
        "\n# What no step asks for\n\nAn agent that wants to go further than it was let sends this with `preferences`.\n",
    );
    section(&mut page, &GRANT);
    page
}

fn section(page: &mut String, contract: &Contract) {
    let example = serde_json::to_string(&contract.example()).unwrap_or_default();
    let _ = write!(
        page,
        "\n## {}\n\nKind `{}`: {}.\n\n| field | takes | for |\n|---|---|---|\n",
        contract.name, contract.kind, contract.summary
    );
    for field in contract.fields {
        let optional = if field.required { "" } else { " (optional)" };
        let takes = field.shape.describe().replace('|', "\\|");
        let _ = writeln!(page, "| `{}`{optional} | {takes} | {} |", field.name, field.summary);
    }
    let _ = write!(page, "\n```json\n{example}\n```\n");
}
