//! A plan whose states change again and again: where its keywords and cookies are is found once.
//!
//! A change costs the headlines above the task, not the text. The text is put together when it is asked for.

use crate::error::{Code, Error};
use crate::org::{Keywords, Outline, cookies};
use crate::tasks::ids;
use serde::Serialize;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The states of a plan's headlines.
///
/// ```
/// let mut states = oql::States::read("* TODO Ship [0/2]\n** TODO Test\n** TODO Tag\r\n").unwrap();
/// states.set("test", "DONE").unwrap();
/// states.set("tag", "FAILED").unwrap();
/// assert_eq!(states.text(), "* TODO Ship [1/2]\n** DONE Test\n** FAILED Tag\r\n");
/// ```
pub struct States {
    text: String,
    keywords: Keywords,
    ids: HashMap<Arc<str>, usize>,
    nodes: Vec<Node>,
}

/// What a headline says about its state: the part of it that a run changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeadlineState {
    /// Its id.
    pub id: String,
    /// Its keyword, if it has one.
    pub keyword: Option<String>,
    /// Its statistics cookies, as they are written: `[1/3]`, `[33%]`.
    pub cookies: Vec<String>,
}

struct Node {
    id: Arc<str>,
    parent: Option<usize>,
    /// Where the keyword stands in the text as it was read, or would be put.
    keyword: Range<usize>,
    state: String,
    changed: bool,
    counter: Option<Counter>,
}

/// The statistics cookies of one headline, and what they count.
struct Counter {
    cookies: Vec<Range<usize>>,
    counts: Counts,
    done: usize,
    all: usize,
    /// What the cookies say since a state below changed: done and all.
    shown: Option<(usize, usize)>,
}

/// Which headlines below a cookie it is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    Children,
    Descendants,
    /// It is about a list.
    None,
}

impl States {
    /// Finds the headlines of a plan.
    pub fn read(org: &str) -> Result<States, Error> {
        let outline = Outline::read(org)?;
        let names: Vec<Arc<str>> = ids(&outline).into_iter().map(Arc::from).collect();
        let mut nodes: Vec<Node> = Vec::with_capacity(outline.headlines.len());
        for (i, headline) in outline.headlines.iter().enumerate() {
            nodes.push(Node {
                id: names[i].clone(),
                parent: headline.parent,
                keyword: headline.keyword.clone(),
                state: outline.state(i).unwrap_or_default().to_owned(),
                changed: false,
                counter: counter(&outline, i),
            });
        }
        let ids = names.into_iter().enumerate().map(|(i, id)| (id, i)).collect();
        let mut states = States {
            text: org.to_owned(),
            keywords: outline.keywords,
            ids,
            nodes,
        };
        for i in 0..states.nodes.len() {
            let state = states.nodes[i].state.clone();
            states.count(i, &state, true);
        }
        Ok(states)
    }

    /// Changes the keyword of task `id`; an empty `state` takes it away. The cookies above follow.
    pub fn set(&mut self, id: &str, state: &str) -> Result<(), Error> {
        if !state.is_empty() && !self.keywords.contains(state) {
            return Err(Error::new(
                Code::UnknownState,
                format!("`{state}` is not a keyword of this plan"),
                format!("use one of {}", self.keywords.all().join(", ")),
            ));
        }
        let Some(&task) = self.ids.get(id) else {
            return Err(Error::new(
                Code::UnknownTask,
                format!("no task has the id `{id}`"),
                "list the ids with `tasks`",
            ));
        };
        let before = std::mem::replace(&mut self.nodes[task].state, state.to_owned());
        self.nodes[task].changed = true;
        self.count(task, &before, false);
        self.count(task, state, true);
        self.recount(task);
        Ok(())
    }

    /// The state of a task, empty without a keyword; `None` when there is no such task.
    pub fn get(&self, id: &str) -> Option<&str> {
        Some(&self.nodes[*self.ids.get(id)?].state)
    }

    /// A task and everything above it, from the inside out: whatever a change of its state can change. Empty when there is
    /// no such task.
    ///
    /// ```
    /// let mut states = oql::States::read("* Week [0/1]\n** TODO Test\n").unwrap();
    /// states.set("test", "DONE").unwrap();
    /// let changed: Vec<_> = states.line("test").into_iter().map(|h| (h.id, h.keyword, h.cookies)).collect();
    /// assert_eq!(changed, [
    ///     ("test".into(), Some("DONE".into()), vec![]),
    ///     ("week".into(), None, vec!["[1/1]".to_owned()]),
    /// ]);
    /// ```
    pub fn line(&self, id: &str) -> Vec<HeadlineState> {
        let first = self.ids.get(id).copied();
        std::iter::successors(first, |&i| self.nodes[i].parent)
            .map(|i| self.headline(&self.nodes[i]))
            .collect()
    }

    /// Every headline that has a cookie, in the order of the text.
    pub fn with_cookies(&self) -> impl Iterator<Item = HeadlineState> {
        let counting = self.nodes.iter().filter(|node| node.counter.is_some());
        counting.map(|node| self.headline(node))
    }

    fn headline(&self, node: &Node) -> HeadlineState {
        let cookies = node.counter.iter().flat_map(|counter| counter.shown(&self.text));
        HeadlineState {
            id: node.id.to_string(),
            keyword: (!node.state.is_empty()).then(|| node.state.clone()),
            cookies: cookies.collect(),
        }
    }

    /// The text with every change so far. No other byte has moved.
    pub fn text(&self) -> String {
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        for node in &self.nodes {
            if node.changed {
                edits.push(self.keyword_edit(node));
            }
            if let Some(counter) = &node.counter {
                counter.edits(&self.text, &mut edits);
            }
        }
        apply(&self.text, edits)
    }

    /// Adds or takes one state to or from the counters above it.
    fn count(&mut self, task: usize, state: &str, add: bool) {
        if state.is_empty() {
            return;
        }
        let done = self.keywords.is_done(state);
        let mut above = self.nodes[task].parent;
        let mut direct = true;
        while let Some(i) = above {
            let node = &mut self.nodes[i];
            if let Some(counter) = &mut node.counter
                && counter.counts != Counts::None
                && (direct || counter.counts == Counts::Descendants)
            {
                let step = |n: &mut usize| if add { *n += 1 } else { *n -= 1 };
                step(&mut counter.all);
                if done {
                    step(&mut counter.done);
                }
            }
            direct = false;
            above = node.parent;
        }
    }

    /// Lets the cookies above a task say what their counters say. One that counts nothing keeps what it said.
    fn recount(&mut self, task: usize) {
        let mut above = self.nodes[task].parent;
        while let Some(i) = above {
            let node = &mut self.nodes[i];
            if let Some(counter) = &mut node.counter
                && counter.all > 0
            {
                counter.shown = Some((counter.done, counter.all));
            }
            above = node.parent;
        }
    }

    fn keyword_edit(&self, node: &Node) -> (Range<usize>, String) {
        let mut range = node.keyword.clone();
        let mut text = node.state.clone();
        let had = !range.is_empty();
        if !had && !text.is_empty() {
            text.push(' ');
        }
        if had && text.is_empty() && self.text[range.end..].starts_with([' ', '\t']) {
            range.end += 1;
        }
        (range, text)
    }
}

/// Org counts the direct children that carry a keyword; `:COOKIE_DATA: recursive` counts all below, and `checkbox`
/// says that the cookie is about a list.
fn counter(outline: &Outline<'_>, i: usize) -> Option<Counter> {
    let title = outline.headlines[i].title.clone();
    let cookies = cookies(&outline.text[title.clone()]);
    if cookies.is_empty() {
        return None;
    }
    let data = outline.section(i).find(&["COOKIE_DATA"]);
    let data = data.as_ref().map_or("", |p| &*p.value);
    let says = |word: &str| data.split_whitespace().any(|w| w.eq_ignore_ascii_case(word));
    let place = |cookie: Range<usize>| title.start + cookie.start..title.start + cookie.end;
    Some(Counter {
        cookies: cookies.into_iter().map(place).collect(),
        counts: match (says("checkbox"), says("recursive")) {
            (true, _) => Counts::None,
            (false, true) => Counts::Descendants,
            (false, false) => Counts::Children,
        },
        done: 0,
        all: 0,
        shown: None,
    })
}

impl Counter {
    fn edits(&self, text: &str, edits: &mut Vec<(Range<usize>, String)>) {
        if self.shown.is_some() {
            edits.extend(self.cookies.iter().cloned().zip(self.shown(text)));
        }
    }

    /// The cookies as they are to be written; `text` is the one that was read.
    fn shown<'a>(&'a self, text: &'a str) -> impl Iterator<Item = String> + 'a {
        self.cookies.iter().map(move |at| {
            let read = &text[at.clone()];
            match self.shown {
                None => read.to_owned(),
                Some((done, all)) if read.contains('%') => format!("[{}%]", done * 100 / all),
                Some((done, all)) => format!("[{done}/{all}]"),
            }
        })
    }
}

fn apply(org: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(org.len() + 16);
    let mut at = 0;
    for (range, text) in edits {
        out.push_str(&org[at..range.start]);
        out.push_str(&text);
        at = range.end;
    }
    out.push_str(&org[at..]);
    out
}
