//! The outline as the runner sees it: every headline with its check, its properties and an id of its own.

use crate::answer::{Check, Task, TaskKind};
use crate::error::{Code, Error};
use crate::org::{Outline, code, list};
use std::collections::{BTreeMap, BTreeSet};

/// Titles repeat in every path below them; this is where repeating stops being an answer.
const MAX_PATH_BYTES: usize = 64 * 1024 * 1024;
/// Both spellings are the same property.
pub(crate) const DONE_WHEN: [&str; 2] = ["done-when", "done_when"];
/// Languages of a block that the shell runs.
pub(crate) const SHELLS: [&str; 3] = ["sh", "shell", "bash"];
/// Properties that name what a task waits for.
pub(crate) const WAITS_FOR: [&str; 2] = ["BLOCKER", "DEPENDS"];
/// What is wrong with a task that has two `:done-when:` lines.
pub(crate) const TWO_CHECKS: &str = "the task has two `:done-when:` lines, and only one can decide";

/// Lists every headline as a task.
///
/// ```
/// let plan = "* TODO Gather prices [1/2]\n:done-when: test -s prices.html\n:done-when+: -a -s rates.html\n";
/// let tasks = oql::tasks(plan).unwrap();
/// assert_eq!((tasks[0].id.as_str(), tasks[0].title.as_str()), ("gather-prices", "Gather prices"));
/// assert_eq!(tasks[0].done_when.as_deref(), Some("test -s prices.html -a -s rates.html"));
/// assert_eq!((tasks[0].kind, tasks[0].done), (oql::TaskKind::Leaf, false));
/// ```
pub fn tasks(org: &str) -> Result<Vec<Task>, Error> {
    let outline = Outline::read(org)?;
    let ids = ids(&outline);
    let kinds = Kinds::read(&outline);
    let mut tasks: Vec<Task> = Vec::with_capacity(ids.len());
    let mut path: Vec<String> = Vec::new();
    let mut path_bytes = 0;
    for (i, h) in outline.headlines.iter().enumerate() {
        path.truncate(h.parent.map_or(0, |p| tasks[p].path.len()));
        path.push(outline.name(i));
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
        tasks.push(task(&outline, &ids, &kinds, i, &path));
    }
    resolve(&mut tasks, &kinds);
    Ok(tasks)
}

fn task(outline: &Outline<'_>, ids: &[String], kinds: &Kinds, i: usize, path: &[String]) -> Task {
    let h = &outline.headlines[i];
    let section = outline.section(i);
    let state = outline.state(i);
    let props = section.properties();
    let yes = |v: &String| ["t", "true", "yes"].iter().any(|y| v.eq_ignore_ascii_case(y));
    Task {
        id: ids[i].clone(),
        path: path.to_vec(),
        level: h.level,
        title: path.last().cloned().unwrap_or_default(),
        state: state.map(String::from),
        done: state.is_some_and(|s| outline.keywords.is_done(s)),
        kind: kinds.of(i),
        parent: h.parent.map(|p| ids[p].clone()),
        ordered: props.get("ORDERED").is_some_and(yes),
        blockers: WAITS_FOR
            .iter()
            .filter_map(|key| props.get(*key))
            .flat_map(|names| list(names).map(|(_, name)| name.to_owned()))
            .collect(),
        done_when: section.find(&DONE_WHEN).map(|p| p.value.into_owned()),
        check: section.sources.iter().find(|s| s.has("check")).map(|s| Check {
            lang: s.lang.unwrap_or_default().into(),
            body: code(outline.text, s),
        }),
        check_error: section.second(&DONE_WHEN).map(|_| TWO_CHECKS.to_owned()),
        script: section
            .sources
            .iter()
            .find(|s| !s.has("check") && s.lang.is_some_and(is_shell))
            .map(|s| code(outline.text, s)),
        body: outline.text[section.body.clone()].into(),
        props,
        line: h.line,
    }
}

/// Whether the shell runs blocks of that language.
pub(crate) fn is_shell(lang: &str) -> bool {
    SHELLS.iter().any(|shell| lang.eq_ignore_ascii_case(shell))
}

/// Waiting for what stands inside a leaf is waiting for the leaf; each id counts once.
fn resolve(tasks: &mut [Task], kinds: &Kinds) {
    if tasks.iter().all(|t| t.blockers.is_empty()) {
        return;
    }
    let leaf: BTreeMap<String, String> = (0..tasks.len())
        .filter_map(|i| {
            Some((
                tasks[i].id.clone(),
                tasks[kinds.leaf[i].filter(|l| *l != i)?].id.clone(),
            ))
        })
        .collect();
    for task in tasks.iter_mut() {
        let mut seen = BTreeSet::new();
        let resolved = task.blockers.iter().map(|name| leaf.get(name).unwrap_or(name));
        task.blockers = resolved.filter(|id| seen.insert(*id)).cloned().collect();
    }
}

/// What each headline is, and the leaf that it belongs to.
struct Kinds {
    kinds: Vec<TaskKind>,
    /// For a leaf: itself.
    leaf: Vec<Option<usize>>,
}

impl Kinds {
    fn read(outline: &Outline<'_>) -> Kinds {
        let headlines = &outline.headlines;
        let mut above_a_task = vec![false; headlines.len()];
        for i in (0..headlines.len()).rev() {
            if let Some(parent) = headlines[i].parent {
                above_a_task[parent] |= above_a_task[i] || outline.state(i).is_some();
            }
        }
        let mut leaf: Vec<Option<usize>> = Vec::with_capacity(headlines.len());
        let mut kinds = Vec::with_capacity(headlines.len());
        for (i, h) in headlines.iter().enumerate() {
            let around = h.parent.and_then(|p| leaf[p]);
            let kind = match (around, outline.state(i), above_a_task[i]) {
                (Some(_), _, _) => TaskKind::Part,
                (None, None, _) => TaskKind::Structure,
                (None, Some(_), true) => TaskKind::Composite,
                (None, Some(_), false) => TaskKind::Leaf,
            };
            leaf.push(around.or((kind == TaskKind::Leaf).then_some(i)));
            kinds.push(kind);
        }
        Kinds { kinds, leaf }
    }

    fn of(&self, i: usize) -> TaskKind {
        self.kinds[i]
    }
}

/// One id for each headline: its `:ID:`, else a slug of its name, made unique by a counter. Ids that were given win
/// over ids that are made, so adding an `:ID:` to one task never renames another that has one.
pub(crate) fn ids(outline: &Outline<'_>) -> Vec<String> {
    let given: Vec<_> = (0..outline.headlines.len()).map(|i| outline.own_id(i)).collect();
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

/// Gives out names, each once: the second `a` is `a-2`.
#[derive(Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
    next: BTreeMap<String, usize>,
}

impl Names {
    pub fn claim(&mut self, base: &str) -> String {
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
