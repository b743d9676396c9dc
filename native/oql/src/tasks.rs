//! The outline as the runner sees it: every headline with its check, its properties and an id of its own.

use crate::answer::{Check, Task};
use crate::error::{Code, Error};
use crate::org::Outline;
use crate::tangle::body;
use std::collections::{BTreeMap, BTreeSet};

/// Titles repeat in every path below them; this is where repeating stops being an answer.
const MAX_PATH_BYTES: usize = 64 * 1024 * 1024;
/// Both spellings are the same property.
pub(crate) const DONE_WHEN: [&str; 2] = ["done-when", "done_when"];

/// Lists every headline as a task.
///
/// ```
/// let plan = "* TODO Gather prices\n:done-when: test -s prices.html\n";
/// let tasks = oql::tasks(plan).unwrap();
/// assert_eq!(tasks[0].id, "gather-prices");
/// assert_eq!(tasks[0].done_when.as_deref(), Some("test -s prices.html"));
/// ```
pub fn tasks(org: &str) -> Result<Vec<Task>, Error> {
    let outline = Outline::read(org)?;
    let ids = ids(&outline);
    let mut path_bytes = 0;
    let mut tasks: Vec<Task> = Vec::with_capacity(outline.headlines.len());
    let mut path: Vec<&str> = Vec::new();
    for (i, h) in outline.headlines.iter().enumerate() {
        path.truncate(h.parent.map_or(0, |p| tasks[p].path.len()));
        path.push(outline.title(i));
        path_bytes += path.iter().map(|t| t.len() + 8).sum::<usize>();
        if path_bytes > MAX_PATH_BYTES {
            return Err(Error::new(
                Code::TooComplex,
                format!(
                    "line {}: the titles above the tasks add up to more than {MAX_PATH_BYTES} bytes",
                    h.line
                ),
                "flatten the outline or shorten its titles",
            ));
        }
        tasks.push(task(&outline, &ids, i, &path));
    }
    Ok(tasks)
}

fn task(outline: &Outline<'_>, ids: &[String], i: usize, path: &[&str]) -> Task {
    let h = &outline.headlines[i];
    let section = outline.section(i);
    let props = section.properties();
    let yes = |v: &String| ["t", "true", "yes"].iter().any(|y| v.eq_ignore_ascii_case(y));
    Task {
        id: ids[i].clone(),
        path: path.iter().map(|t| (*t).to_owned()).collect(),
        level: h.level,
        title: outline.title(i).into(),
        state: outline.state(i).map(String::from),
        parent: h.parent.map(|p| ids[p].clone()),
        ordered: props.get("ORDERED").is_some_and(yes),
        done_when: section.find(&DONE_WHEN).map(|p| p.value.into()),
        check: section.sources.iter().find(|s| s.has("check")).map(|s| Check {
            lang: s.lang.unwrap_or_default().into(),
            body: body(outline.text, s),
        }),
        body: outline.text[section.body.clone()].into(),
        props,
        line: h.line,
    }
}

/// One id for each headline: its `:ID:`, else a slug of its name, made unique by a counter. Ids that were given win
/// over ids that are made, so adding an `:ID:` to one task never renames another that has one.
pub(crate) fn ids(outline: &Outline<'_>) -> Vec<String> {
    let given: Vec<Option<&str>> = (0..outline.headlines.len())
        .map(|i| outline.section(i).find(&["ID"]).map(|p| p.value))
        .map(|id| id.filter(|v| !v.is_empty()))
        .collect();
    let mut names = Names::default();
    let mut ids = vec![String::new(); given.len()];
    for (i, id) in given.iter().enumerate() {
        if let Some(id) = id {
            ids[i] = names.claim(id);
        }
    }
    for (i, id) in ids.iter_mut().enumerate() {
        if given[i].is_none() {
            *id = names.claim(&slug(&outline.name(i)));
        }
    }
    ids
}

#[derive(Default)]
struct Names {
    taken: BTreeSet<String>,
    next: BTreeMap<String, usize>,
}

impl Names {
    fn claim(&mut self, base: &str) -> String {
        let mut name = base.to_owned();
        while !self.taken.insert(name.clone()) {
            let n = self.next.entry(base.to_owned()).or_insert(1);
            *n += 1;
            name = format!("{base}-{n}");
        }
        name
    }
}

fn slug(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let slug = out.trim_end_matches('-');
    if slug.is_empty() { "task".into() } else { slug.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_lower_case_words_joined_by_dashes() {
        for (name, want) in [
            ("Gather E2B Pricing", "gather-e2b-pricing"),
            ("  --a--b--  ", "a-b"),
            ("Prüfung", "prüfung"),
            ("\u{1F680}\u{1F680}", "task"),
            ("", "task"),
        ] {
            assert_eq!(slug(name), want, "{name:?}");
        }
    }

    #[test]
    fn ids_are_unique_and_given_ones_win() {
        let org = "* a\n* a\n* a\n:PROPERTIES:\n:ID: a-2\n:END:\n* b\n:ID: a-2\n";
        let outline = Outline::read(org).unwrap();
        assert_eq!(ids(&outline), ["a", "a-3", "a-2", "a-2-2"]);
    }
}
