//! A plan whose states change again and again: where its keywords and cookies are is found once.
//!
//! A change costs the headlines above the task, not the text. The text is put together when it is asked for.

use crate::error::{Code, Error};
use crate::org::{Keywords, Outline, cookies};
use crate::tasks::ids;
use std::collections::HashMap;
use std::ops::Range;

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
    ids: HashMap<String, usize>,
    nodes: Vec<Node>,
}

struct Node {
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
    recursive: bool,
    done: usize,
    all: usize,
    /// What the cookies say since a state below changed: done and all.
    shown: Option<(usize, usize)>,
}

impl States {
    /// Finds the headlines of a plan.
    pub fn read(org: &str) -> Result<States, Error> {
        let outline = Outline::read(org)?;
        let mut nodes: Vec<Node> = Vec::with_capacity(outline.headlines.len());
        for (i, headline) in outline.headlines.iter().enumerate() {
            nodes.push(Node {
                parent: headline.parent,
                keyword: headline.keyword.clone(),
                state: outline.state(i).unwrap_or_default().to_owned(),
                changed: false,
                counter: counter(&outline, i),
            });
        }
        let ids = ids(&outline).into_iter().enumerate().map(|(i, id)| (id, i)).collect();
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
                && (direct || counter.recursive)
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
    (!says("checkbox")).then(|| Counter {
        cookies: cookies.into_iter().map(place).collect(),
        recursive: says("recursive"),
        done: 0,
        all: 0,
        shown: None,
    })
}

impl Counter {
    fn edits(&self, text: &str, edits: &mut Vec<(Range<usize>, String)>) {
        let Some((done, all)) = self.shown else { return };
        for at in &self.cookies {
            let cookie = match text[at.clone()].contains('%') {
                true => format!("[{}%]", done * 100 / all),
                false => format!("[{done}/{all}]"),
            };
            edits.push((at.clone(), cookie));
        }
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
