//! Changing one task's state: its keyword, the cookies above it, and not one other byte.

use crate::error::{Code, Error};
use crate::org::{Outline, cookies};
use crate::tasks::ids;
use std::ops::Range;

/// Changes the keyword of task `id` and recounts the statistics cookies of its ancestors. An empty `state` takes the
/// keyword away.
///
/// ```
/// let plan = "* TODO Ship [0/1]\n** TODO Test\r\n";
/// assert_eq!(oql::set_state(plan, "test", "DONE").unwrap(), "* TODO Ship [1/1]\n** DONE Test\r\n");
/// ```
pub fn set_state(org: &str, id: &str, state: &str) -> Result<String, Error> {
    let outline = Outline::read(org)?;
    if !state.is_empty() && !outline.keywords.contains(state) {
        return Err(Error::new(
            Code::UnknownState,
            format!("`{state}` is not a keyword of this plan"),
            format!("use one of {}", outline.keywords.all().join(", ")),
        ));
    }
    let Some(task) = ids(&outline).iter().position(|i| i == id) else {
        return Err(Error::new(
            Code::UnknownTask,
            format!("no task has the id `{id}`"),
            "list the ids with `tasks`",
        ));
    };
    let mut edits = vec![keyword_edit(&outline, task, state)];
    let mut above = outline.headlines[task].parent;
    while let Some(i) = above {
        cookie_edits(&outline, i, (task, state), &mut edits);
        above = outline.headlines[i].parent;
    }
    Ok(apply(org, edits))
}

type Edit = (Range<usize>, String);

fn keyword_edit(outline: &Outline<'_>, task: usize, state: &str) -> Edit {
    let mut range = outline.headlines[task].keyword.clone();
    let mut text = state.to_owned();
    let had = !range.is_empty();
    if !had && !state.is_empty() {
        text.push(' ');
    }
    if had && state.is_empty() && outline.text[range.end..].starts_with([' ', '\t']) {
        range.end += 1;
    }
    (range, text)
}

/// Org counts the direct children that carry a keyword; `:COOKIE_DATA: recursive` counts all below, and `checkbox`
/// says that the cookie is about a list. A headline without such children keeps its cookie as it is.
fn cookie_edits(outline: &Outline<'_>, i: usize, change: (usize, &str), edits: &mut Vec<Edit>) {
    let title = outline.headlines[i].title.clone();
    let cookies = cookies(&outline.text[title.clone()]);
    if cookies.is_empty() {
        return;
    }
    let data = outline.section(i).find(&["COOKIE_DATA"]).map_or("", |p| p.value);
    let says = |word: &str| data.split_whitespace().any(|w| w.eq_ignore_ascii_case(word));
    if says("checkbox") {
        return;
    }
    let below: Vec<usize> = if says("recursive") {
        (i + 1..outline.headlines[i].end).collect()
    } else {
        outline.children(i).collect()
    };
    let (mut done, mut all) = (0usize, 0usize);
    for child in below {
        let state = if child == change.0 {
            Some(change.1)
        } else {
            outline.state(child)
        };
        if let Some(state) = state.filter(|s| !s.is_empty()) {
            all += 1;
            done += usize::from(outline.keywords.is_done(state));
        }
    }
    if all == 0 {
        return;
    }
    for cookie in cookies {
        let at = title.start + cookie.start..title.start + cookie.end;
        let text = match outline.text[at.clone()].contains('%') {
            true => format!("[{}%]", done * 100 / all),
            false => format!("[{done}/{all}]"),
        };
        edits.push((at, text));
    }
}

fn apply(org: &str, mut edits: Vec<Edit>) -> String {
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
