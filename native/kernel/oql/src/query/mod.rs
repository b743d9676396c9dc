//! Queries over headlines: s-expressions in the manner of org-ql.
//!
//! A query is read into a tree of predicates, then each predicate is decided for all the rows at once, from the inside
//! out, so that the cost is the size of the query times the size of the plan, whatever the nesting. What would cost
//! more than the kernel will do for one call is refused before it starts.

mod date;
mod eval;
mod parse;
mod pattern;
mod read;
#[cfg(test)]
mod tests;

use crate::answer::Row;
use crate::error::{Code, Error};

/// The rows that the query selects, in their order. `parents` has the index of each row's enclosing headline, and
/// `done` says whether a keyword is one of the done ones.
pub(crate) fn run(
    query: &str,
    rows: Vec<Row>,
    parents: &[Option<usize>],
    done: &dyn Fn(&str) -> bool,
) -> Result<Vec<Row>, Error> {
    let query = parse::parse(query)?;
    let selected = eval::eval(&query, &rows, parents, done)?;
    Ok(rows
        .into_iter()
        .zip(selected)
        .filter_map(|(row, selected)| selected.then_some(row))
        .collect())
}

/// A query, or a part of one.
enum Query {
    /// Some of the tags; with none named, any tag at all.
    Tags(Vec<String>),
    /// One of the keywords; with none named, any that is not done.
    Todo(Vec<String>),
    Done,
    Level(Vec<usize>),
    Title(Vec<pattern::Pattern>),
    Property {
        key: String,
        value: Option<String>,
    },
    Planned {
        entry: Entry,
        bounds: Vec<(Bound, date::Moment)>,
    },
    Ancestors(Box<Query>),
    Descendants(Box<Query>),
    All(Vec<Query>),
    Any(Vec<Query>),
    Not(Box<Query>),
}

/// Which timestamp of a headline.
#[derive(Clone, Copy)]
enum Entry {
    Scheduled,
    Deadline,
}

/// How a timestamp stands to a date.
#[derive(Clone, Copy)]
enum Bound {
    Before,
    To,
    On,
    From,
    After,
}

/// A query that cannot be read; columns count characters from 1.
fn bad_query(column: usize, message: impl std::fmt::Display, hint: impl Into<String>) -> Error {
    Error::new(Code::BadQuery, format!("column {column}: {message}"), hint)
}
