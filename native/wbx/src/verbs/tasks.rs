//! `wbx tasks`: the outline as the runner sees it.

use crate::{
    answer::{Answer, Item, View, count},
    call::Call,
    exit::Exit,
    failure::Failure,
};
use oql::Task;

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let source = call.source("FILE")?;
    let tasks = oql::tasks(&source.text)?;
    Ok(Answer::new(tasks, Exit::Ok, |tasks| {
        let summary = count(tasks.len(), "task");
        Ok(View::Outline(tasks.into_iter().map(item).collect(), summary))
    }))
}

fn item(task: Task) -> Item {
    let check = match (&task.done_when, &task.check) {
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
