//! `wbx run`: works a plan off, and says how each task ended.

use crate::{
    answer::{Answer, Item, View, count},
    call::Call,
    engine::{Engine, Message, refused_line},
    exit::Exit,
    failure::{Code, Failure},
    mode::Mode,
    print::{Live, visible},
    reports,
};
use operations::events::{Event, Listed};
use operations::runs::{Outcome, Start, TaskOutcome, Worker};
use std::{
    ffi::OsStr,
    io::{self, Write},
    path::{Path, PathBuf},
};

pub const WORKERS: &[&str] = &["shell", "wait"];

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let order = order(call)?;
    let mut engine = Engine::start("run.start", &order)?;
    let mut unexplained = order.worker == Worker::Wait;
    let mut live = Live::new(Mode::of_process(), call.flag("follow"));
    let outcome: Outcome = loop {
        match engine.next().map_err(refusal)? {
            Message::Event(said, event) => {
                live.show(&said.to_string(), &event);
                // A run that crashed and goes on starts again, and is not explained again.
                if let (true, Event::RunStarted(started)) = (unexplained, &*event) {
                    unexplained = false;
                    explain(&started.tasks);
                    reports::hand_on(engine.reports(), started.run.clone());
                }
            }
            Message::Refused { line, reason } => {
                live.line(&refused_line(line, &reason));
                reports::refused(Some(line), &reason);
            }
            Message::Answer(outcome) => break operations::read(outcome)?,
        }
    };
    drop(live);
    // There is an answer, and it is not that everything was earned.
    let exit = match outcome.state.as_str() {
        "done" => Exit::Ok,
        _ => Exit::Verification,
    };
    Ok(Answer::new(outcome, exit, |outcome| Ok(view(outcome))))
}

/// Tells whoever is to do the work what there is, and how to report.
fn explain(tasks: &[Listed]) {
    let open = tasks
        .iter()
        .filter(|task| task.kind == "leaf" && ["waiting", "running"].contains(&task.state.as_str()));
    let mut text: String = open
        .map(|task| format!("  {}  {}\n", task.id, visible::line(&task.title)))
        .collect();
    text.insert_str(0, "these tasks wait for you:\n");
    // Nobody has to look.
    let _ = writeln!(io::stderr().lock(), "{text}{}", reports::HOW);
}

/// A plan that cannot be run gives no answer that could fail verification.
fn refusal(failure: Failure) -> Failure {
    let code = failure.code.declared();
    match code.name {
        "cycle" | "unknown_task" => Failure {
            code: Code::Of(failure::Code::other(code.name, code.meaning)),
            ..failure
        },
        _ => failure,
    }
}

fn order(call: &Call) -> Result<Start, Failure> {
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
        Some(Ok(width)) => Some(width),
        Some(Err(_)) => {
            return Err(Failure::usage(
                "--width takes a number of tasks",
                "give 1 or more, such as --width 4",
            ));
        }
    };
    // The table takes no other words.
    let worker = match call.text("worker") {
        Some("wait") => Worker::Wait,
        _ => Worker::Shell,
    };
    Ok(Start {
        plan: text(&absolute(plan)?)?,
        workdir: call.path("workdir").map(|dir| text(&absolute(dir)?)).transpose()?,
        width,
        worker,
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

fn view(outcome: Outcome) -> View {
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
    let amended = match outcome.amendments.len() {
        0 => String::new(),
        n => format!(", {} (see `wbx status`)", count(n, "amendment")),
    };
    let warnings: String = outcome.warnings.iter().map(|warning| format!("; {warning}")).collect();
    let summary = format!("{}: {counts}{amended}{warnings} (run {})", outcome.state, outcome.id);
    let amendments = outcome.amendments.into_iter().map(|amended| Item {
        depth: 0,
        state: Some("AMENDED".to_owned()),
        text: amended.title,
        aside: format!("({})", amended.reason),
    });
    View::Outline(outcome.tasks.into_iter().map(item).chain(amendments).collect(), summary)
}

fn item(task: TaskOutcome) -> Item {
    Item {
        depth: task.level.saturating_sub(1),
        state: Some(task.state.to_uppercase()),
        aside: task.reason.map(|reason| format!("({reason})")).unwrap_or_default(),
        text: task.title,
    }
}
