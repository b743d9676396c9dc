//! `wbx tasks`: the outline as the runner sees it, and the states that a person sets in it.

use crate::{
    answer::{Answer, Item, View, count},
    call::Call,
    exit::Exit,
    failure::{Code, Failure},
};
use history::Exchanged;
use oql::Task;
use std::path::Path;

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let source = call.source("FILE")?;
    let text = match call.texts("set")[..] {
        [] => source.text,
        ref states => set(call, &source.text, states)?,
    };
    let tasks = oql::tasks(&text)?;
    Ok(Answer::new(tasks, Exit::Ok, |tasks| {
        let summary = count(tasks.len(), "task");
        Ok(View::Outline(tasks.into_iter().map(item).collect(), summary))
    }))
}

/// Sets every state, or none of them. The file is exchanged only if it is still the one that was read.
fn set(call: &Call, old: &str, states: &[&str]) -> Result<String, Failure> {
    let path = call.path("FILE").unwrap_or_default();
    if path == "-" {
        return Err(Failure::usage(
            "--set changes a file, and standard input is none",
            "name the plan",
        ));
    }
    let mut new = old.to_owned();
    for word in states {
        let (task, state) = word
            .rsplit_once('=')
            .ok_or_else(|| Failure::usage(format!("`{word}` sets no state"), "write --set ID=STATE"))?;
        new = oql::set_state(&new, task, state)?;
    }
    match history::exchange(Path::new(path), old.as_bytes(), new.as_bytes())? {
        Exchanged::Swapped => Ok(new),
        Exchanged::Changed(_) => Err(Failure::new(
            Code::Of(failure::codes::CONFLICT),
            format!("somebody else changed `{}` meanwhile", Path::new(path).display()),
            "look at the plan, then set the state again",
        )),
    }
}

fn item(task: Task) -> Item {
    let check = match (&task.done_when, &task.check) {
        _ if task.check_error.is_some() => format!(", {}", task.check_error.unwrap_or_default()),
        (Some(command), _) => format!(", done when `{command}`"),
        (None, Some(check)) => format!(", checked by {}", check.lang),
        (None, None) => String::new(),
    };
    let order = if task.ordered { ", in order" } else { "" };
    Item {
        depth: task.path.len().saturating_sub(1),
        aside: format!("({}{order}{check})", task.id),
        state: task.state,
        text: task.title,
    }
}
