//! `wbx doctor`: what is here, what is missing, and where wbx looks.

use crate::{
    answer::{Answer, View},
    call::Call,
    exit::Exit,
    facts,
    failure::Failure,
};
use serde::Serialize;
use std::{
    env,
    io::{self, IsTerminal},
    path::PathBuf,
    process::{Command, Stdio},
};

#[derive(Serialize)]
struct Report {
    healthy: bool,
    checks: Vec<Check>,
}

#[derive(Serialize)]
struct Check {
    name: &'static str,
    status: Status,
    detail: String,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    /// Not here, and some verb can do less without it.
    Missing,
    /// Here, and wrong.
    Broken,
}

pub fn run(_: &Call) -> Result<Answer, Failure> {
    let checks = vec![kernel(), limits(), capabilities(), terminal(), git(), engine()];
    let healthy = checks.iter().all(|check| check.status != Status::Broken);
    let report = Report { healthy, checks };
    let exit = if healthy { Exit::Ok } else { Exit::Other };
    Ok(Answer::new(report, exit, |report| Ok(view(report))))
}

fn view(report: Report) -> View {
    let rows = report
        .checks
        .into_iter()
        .map(|check| {
            let status = match check.status {
                Status::Ok => "ok",
                Status::Missing => "missing",
                Status::Broken => "broken",
            };
            vec![check.name.to_owned(), status.to_owned(), check.detail]
        })
        .collect();
    let verdict = if report.healthy { "healthy" } else { "not healthy" };
    View::Table(vec!["CHECK", "STATUS", "DETAIL"], rows, verdict.to_owned())
}

fn check(name: &'static str, status: Status, detail: impl Into<String>) -> Check {
    Check {
        name,
        status,
        detail: detail.into(),
    }
}

/// Asks the kernel a question whose answer is known.
fn kernel() -> Check {
    let found = oql::validate("* Broken :workflow:\n** Orphan :component:\n");
    match found.as_deref() {
        Ok([one]) if one.scope == "Orphan" => {
            let version = env!("CARGO_PKG_VERSION");
            check("kernel", Status::Ok, format!("version {version}, linked in"))
        }
        _ => check("kernel", Status::Broken, "gave a wrong answer to a known question"),
    }
}

fn limits() -> Check {
    let (text, nesting) = (oql::MAX_TEXT >> 20, oql::MAX_NESTING);
    check(
        "limits",
        Status::Ok,
        format!("{text} MiB of text, headlines {nesting} deep"),
    )
}

fn capabilities() -> Check {
    match facts::built_in().capabilities {
        Some(names) => check("capabilities", Status::Ok, names.join(" ")),
        None => check(
            "capabilities",
            Status::Missing,
            "no policy table was built in; `lint --all` does not judge :uses",
        ),
    }
}

fn terminal() -> Check {
    let is = |stream: bool| if stream { "a terminal" } else { "not a terminal" };
    let detail = format!(
        "standard output is {}, standard error is {}",
        is(io::stdout().is_terminal()),
        is(io::stderr().is_terminal())
    );
    check("terminal", Status::Ok, detail)
}

fn git() -> Check {
    let output = Command::new("git").arg("--version").stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => {
            let version = String::from_utf8_lossy(&output.stdout);
            check("git", Status::Ok, version.trim())
        }
        _ => check("git", Status::Missing, "check-upgrade cannot read git:REV:PATH"),
    }
}

/// No verb of this build talks to an engine, so its absence is no illness.
fn engine() -> Check {
    if let Some(url) = env::var_os("WB_ENGINE_URL").filter(|url| !url.is_empty()) {
        let url = url.to_string_lossy();
        return check("engine", Status::Ok, format!("WB_ENGINE_URL is {url}; not contacted"));
    }
    match runtime_file() {
        Some(path) if path.is_file() => {
            let path = path.display();
            check("engine", Status::Ok, format!("found {path}; not contacted"))
        }
        Some(path) => {
            let path = path.display();
            check(
                "engine",
                Status::Missing,
                format!("WB_ENGINE_URL is not set, and there is no {path}"),
            )
        }
        None => check("engine", Status::Missing, "neither WB_ENGINE_URL nor HOME is set"),
    }
}

/// Where a local engine leaves its address.
fn runtime_file() -> Option<PathBuf> {
    let directory = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = directory("XDG_STATE_HOME").or_else(|| Some(directory("HOME")?.join(".local/state")))?;
    Some(state.join("workbooks/runtime.json"))
}
