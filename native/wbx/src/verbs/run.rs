//! `wbx run`: works a plan off, and says how each task ended.

use crate::{
    answer::{Answer, Item, View},
    call::Call,
    engine::{Ended, Engine, Message, Order, Outcome},
    exit::Exit,
    failure::{Code, Failure},
    mode::Mode,
    print::Live,
};
use std::{
    collections::HashMap,
    ffi::OsStr,
    path::{Path, PathBuf},
};

pub const WORKERS: &[&str] = &["shell", "wait"];

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let order = order(call)?;
    let mut engine = Engine::start("run", &order)?;
    if order.worker == "wait" {
        engine.hand_on_reports();
    }
    let mut live = Live::new(Mode::of_process(), call.flag("follow"));
    let mut depths = HashMap::new();
    let outcome: Outcome = loop {
        let (line, message) = engine.next()?;
        match message {
            Message::Event(event) => {
                depths.extend(event.tasks.iter().map(|task| (task.id.clone(), task.level)));
                live.show(&line, &event);
            }
            Message::Result { result } => break result,
            Message::Error { error } => return Err(error.into()),
        }
    };
    drop(live);
    let exit = match outcome.state.as_str() {
        "done" => Exit::Ok,
        _ => Exit::Other,
    };
    Ok(Answer::new(outcome, exit, move |outcome| Ok(view(outcome, &depths))))
}

fn order(call: &Call) -> Result<Order, Failure> {
    let plan = call.path("PLAN").unwrap_or_default();
    if plan == "-" {
        return Err(Failure::usage(
            "a run writes into its plan, so the plan must be a file",
            "save it, and name the file",
        ));
    }
    // The engine stands elsewhere and would say so in its own words.
    call.source("PLAN")?;
    let width = match call.text("width").map(str::parse) {
        None => None,
        Some(Ok(width @ 1..)) => Some(width),
        Some(_) => {
            return Err(Failure::usage(
                "--width takes a number of tasks",
                "give 1 or more, such as --width 4",
            ));
        }
    };
    let worker = call.text("worker").unwrap_or("shell");
    if !WORKERS.contains(&worker) {
        let known = WORKERS.join(" or ");
        return Err(Failure::usage(
            format!("there is no worker `{worker}`"),
            format!("use {known}"),
        ));
    }
    Ok(Order {
        plan: text(&absolute(plan)?)?,
        workdir: call.path("workdir").map(|dir| text(&absolute(dir)?)).transpose()?,
        width,
        worker: worker.to_owned(),
        history: call.path("history").map(|dir| text(&absolute(dir)?)).transpose()?,
    })
}

fn absolute(path: &OsStr) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::usage(format!("`{}`: {error}", path.display()), ""))
}

fn text(path: &Path) -> Result<String, Failure> {
    let unreadable = || {
        Failure::new(
            Code::Unreadable,
            format!("`{}` is not UTF-8", path.display()),
            "rename it",
        )
    };
    path.to_str().map(str::to_owned).ok_or_else(unreadable)
}

fn view(outcome: Outcome, depths: &HashMap<String, usize>) -> View {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for task in &outcome.tasks {
        match counts.iter_mut().find(|(state, _)| *state == task.state) {
            Some((_, n)) => *n += 1,
            None => counts.push((task.state.clone(), 1)),
        }
    }
    let counts: Vec<String> = counts.iter().map(|(state, n)| format!("{n} {state}")).collect();
    let counts = if counts.is_empty() {
        "no tasks".to_owned()
    } else {
        counts.join(", ")
    };
    let warnings: String = outcome.warnings.iter().map(|warning| format!("; {warning}")).collect();
    let summary = format!("{}: {counts}{warnings} (run {})", outcome.state, outcome.id);
    View::Outline(
        outcome.tasks.into_iter().map(|task| item(task, depths)).collect(),
        summary,
    )
}

fn item(task: Ended, depths: &HashMap<String, usize>) -> Item {
    Item {
        depth: depths.get(&task.id).map_or(0, |level| level - 1),
        state: Some(task.state.to_uppercase()),
        aside: task.reason.map(|reason| format!("({reason})")).unwrap_or_default(),
        text: task.title,
    }
}
