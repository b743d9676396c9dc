//! `query` selects headlines, in order, or says where the query is wrong.

use oql::{Code, Row};

/// Holds a query and its negation against the headlines of a text.
pub(crate) fn selects_headlines(org: &str, query: &str) {
    let Ok(all) = oql::parse_headlines(org) else {
        return;
    };
    let selected = match oql::query(org, query) {
        Ok(selected) => selected,
        Err(error) => {
            assert!(
                matches!(
                    error.code,
                    Code::BadQuery | Code::TooDeep | Code::TooComplex | Code::TooLarge
                ),
                "{error:?}"
            );
            assert!(
                error.code != Code::BadQuery || error.message.contains("column"),
                "{error:?}"
            );
            return;
        }
    };
    // A negation may be one level too deep.
    if let Ok(others) = oql::query(org, &format!("(not {query})")) {
        let mut both: Vec<Row> = selected.iter().chain(&others).cloned().collect();
        both.sort_by_key(|row| row.line);
        assert_eq!(both, all, "a query and its negation do not add up");
    }
    assert!(selected.is_sorted_by_key(|row| row.line), "rows are out of order");
}
