//! Mirroring rows to `:task:` nodes: what a source says, as an outline that people may write into.
//!
//! A node is the mirror of one row when its `:ROW:` is that row's key and its `:SOURCE:` is ours. Its title and the drawer
//! are the source's; its keyword, its tags and its text are the people's and stay as they are. A row that is gone leaves
//! its node with `:GONE: yes`: nobody's notes are thrown away. A second pass over the same rows changes no byte.

use crate::{Error, Rows, Source};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A row and its key.
type Keyed<'a> = (String, &'a Map<String, Value>);

/// Properties that are ours, the plan's, or Org's.
const OURS: [&str; 7] = ["SOURCE", "ROW", "GONE", "ID", "PROPERTIES", "END", "TODO"];

/// The longest value that a property holds, in characters.
const MAX_VALUE: usize = 500;

/// The text with one `:task:` node for each row below `* ENTITY :source:`.
///
/// # Errors
///
/// [`Error::Rows`] when a row has no key or two rows share one.
pub fn mirror(org: &str, source: &Source, rows: &Rows) -> Result<String, Error> {
    let keyed = keyed(source, rows)?;
    let by_key: BTreeMap<&str, &Map<String, Value>> = keyed.iter().map(|(key, row)| (key.as_str(), *row)).collect();
    let headlines = oql::parse_headlines(org).map_err(|error| Error::Org {
        path: source.entity.clone(),
        error,
    })?;
    let lines: Vec<&str> = org.split_inclusive('\n').collect();
    let ours = |row: &oql::Row| row.props.get("SOURCE") == Some(&source.entity) && row.props.contains_key("ROW");
    let mut out = String::with_capacity(org.len());
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let mut at = 0;
    for (n, headline) in headlines.iter().enumerate().filter(|(_, row)| ours(row)) {
        let start = headline.line - 1;
        let end = headlines.get(n + 1).map_or(lines.len(), |next| next.line - 1);
        out.extend(lines[at..start].iter().copied());
        let key = &headline.props["ROW"];
        let row = by_key.get(key.as_str()).copied();
        let people = people(&lines[start + 1..end]);
        let props = match row {
            Some(row) => properties(source, key, row),
            None => gone(headline),
        };
        let title = row.map_or_else(|| headline.title.clone(), |row| title(key, row));
        out.push_str(&head(headline, &title));
        drawer(&mut out, &props);
        out.extend(people);
        at = end;
        done.insert(key.as_str());
    }
    out.extend(lines[at..].iter().copied());
    let fresh: Vec<_> = keyed.iter().filter(|(key, _)| !done.contains(key.as_str())).collect();
    let named = headlines
        .iter()
        .any(|row| row.level == 1 && row.title == source.entity && row.tags.contains(&"source".into()));
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    if !named {
        let _ = writeln!(out, "* {} :source:", source.entity);
    }
    for (key, row) in fresh {
        let _ = writeln!(out, "** TODO {} :task:", title(key, row));
        drawer(&mut out, &properties(source, key, row));
    }
    Ok(out)
}

fn keyed<'a>(source: &Source, rows: &'a Rows) -> Result<Vec<Keyed<'a>>, Error> {
    let mut keyed: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = Vec::with_capacity(rows.len());
    for (n, row) in rows.iter().enumerate() {
        let key = row.get(&source.key).map(plain).filter(|key| !key.is_empty());
        let key = key.ok_or_else(|| Error::Rows(format!("row {n} has no `{}`", source.key)))?;
        if let Some(first) = keyed.insert(key.clone(), n) {
            return Err(Error::Rows(format!("rows {first} and {n} share the key `{key}`")));
        }
        all.push((key, row));
    }
    Ok(all)
}

fn title(key: &str, row: &Map<String, Value>) -> String {
    let named = ["title", "name", "summary", "subject"]
        .iter()
        .find_map(|column| row.get(*column));
    let text = named.map(plain).filter(|text| !text.is_empty());
    // What ends in `:x:` would read as tags.
    text.unwrap_or_else(|| key.to_owned()).trim_end_matches(':').to_owned()
}

fn properties(source: &Source, key: &str, row: &Map<String, Value>) -> Vec<(String, String)> {
    let mut all = vec![
        ("SOURCE".to_owned(), source.entity.clone()),
        ("ROW".to_owned(), key.to_owned()),
    ];
    let columns = row
        .iter()
        .filter(|(column, value)| **column != source.key && !value.is_null());
    for (column, value) in columns {
        let name = property(column);
        if !name.is_empty() && !all.iter().any(|(taken, _)| *taken == name) {
            all.push((name, plain(value)));
        }
    }
    all
}

/// A column as the name of a property. Names that mean something in a drawer are not the source's to give.
fn property(column: &str) -> String {
    let upper = column.chars().flat_map(char::to_uppercase);
    let name: String = upper.map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    match OURS.contains(&name.as_str()) {
        true => format!("ROW_{name}"),
        false => name,
    }
}

fn gone(headline: &oql::Row) -> Vec<(String, String)> {
    let first = ["SOURCE", "ROW"].map(|key| (key.to_owned(), headline.props[key].clone()));
    let rest = headline
        .props
        .iter()
        .filter(|(key, _)| !["SOURCE", "ROW", "GONE"].contains(&key.as_str()));
    let rest = rest.map(|(key, value)| (key.clone(), value.clone()));
    first
        .into_iter()
        .chain(rest)
        .chain([("GONE".to_owned(), "yes".to_owned())])
        .collect()
}

fn head(headline: &oql::Row, title: &str) -> String {
    let stars = "*".repeat(headline.level);
    let state = headline
        .state
        .as_ref()
        .map(|state| format!("{state} "))
        .unwrap_or_default();
    let tags = match &headline.tags[..] {
        [] => String::new(),
        tags => format!(" :{}:", tags.join(":")),
    };
    format!("{stars} {state}{title}{tags}\n")
}

fn drawer(out: &mut String, props: &[(String, String)]) {
    out.push_str(":PROPERTIES:\n");
    for (key, value) in props {
        let _ = writeln!(out, ":{key}: {value}");
    }
    out.push_str(":END:\n");
}

/// What stands below the drawer: the people's own.
fn people<'a>(section: &[&'a str]) -> Vec<&'a str> {
    let is = |line: &&str, word: &str| line.trim().eq_ignore_ascii_case(word);
    let open = section.iter().position(|line| is(line, ":PROPERTIES:"));
    let end = open.and_then(|from| {
        section[from..]
            .iter()
            .position(|line| is(line, ":END:"))
            .map(|n| from + n)
    });
    match (open, end) {
        (Some(open), Some(end)) => [&section[..open], &section[end + 1..]].concat(),
        _ => section.to_vec(),
    }
}

/// A value on one line.
fn plain(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let flat: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words: Vec<&str> = flat.split_whitespace().collect();
    words.join(" ").chars().take(MAX_VALUE).collect()
}
