//! Headlines as rows: the plain listing, and the one that a query selects from.

use crate::answer::Row;
use crate::error::Error;
use crate::org::{Outline, planning};

/// Every headline as a row.
///
/// ```
/// let rows = oql::parse_headlines("* TODO Ship :release:\n").unwrap();
/// assert_eq!((rows[0].title.as_str(), rows[0].state.as_deref()), ("Ship", Some("TODO")));
/// ```
pub fn parse_headlines(org: &str) -> Result<Vec<Row>, Error> {
    Ok(rows(&Outline::read(org)?))
}

/// The headlines that an s-expression selects.
///
/// ```
/// let org = "* TODO Ship :release:\n* DONE Rest\n";
/// let rows = oql::query(org, r#"(and (tags "release") (not (done)))"#).unwrap();
/// assert_eq!(rows[0].title, "Ship");
/// ```
pub fn query(org: &str, query: &str) -> Result<Vec<Row>, Error> {
    let outline = Outline::read(org)?;
    let parents: Vec<_> = outline.headlines.iter().map(|h| h.parent).collect();
    crate::query::run(query, rows(&outline), &parents, &|state| {
        outline.keywords.is_done(state)
    })
}

fn rows(outline: &Outline<'_>) -> Vec<Row> {
    (0..outline.headlines.len()).map(|i| row(outline, i)).collect()
}

fn row(outline: &Outline<'_>, i: usize) -> Row {
    let section = outline.section(i);
    let (scheduled, deadline) = section.planning.map_or((None, None), |l| planning(l.text));
    let props = section.drawer_properties();
    Row {
        level: outline.headlines[i].level,
        title: outline.title(i).into(),
        state: outline.state(i).map(String::from),
        id: props.get("ID").cloned(),
        tags: outline.tags(i).map(String::from).collect(),
        props,
        scheduled,
        deadline,
        line: outline.headlines[i].line,
    }
}
