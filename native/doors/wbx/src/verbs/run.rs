//! `wbx run`: works a plan off, and says how each task ended.

use crate::{
    answer::{Answer, Item, View, count},
    call::Call,
    engine::{Engine, Message},
    exit::Exit,
    failure::{Code, Failure},
    mode::Mode,
    print::{Live, visible},
    reports,
};
use operations::runs::{Event, Outcome, Start, TaskOutcome, Worker};
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
                match event.event.as_str() {
                    // A run that crashed and goes on starts again, and is not explained again.
                    "run_started" if unexplained => {
                        unexplained = false;
                        explain(&event);
                        reports::hand_on(engine.input(), event.run.clone().unwrap_or_default());
                    }
                    "refused" => reports::refused(event.line, event.reason.as_deref().unwrap_or_default()),
                    _ => {}
                }
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
fn explain(started: &Event) {
    let open = started
        .tasks
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
    let worker = match call.text("worker").unwrap_or("shell") {
        "shell" => Worker::Shell,
        "wait" => Worker::Wait,
        other => {
            let known = WORKERS.join(" or ");
            return Err(Failure::usage(
                format!("there is no worker `{other}`"),
                format!("use {known}"),
            ));
        }
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
