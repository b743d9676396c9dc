//! `wbx doctor`: what is here, what is missing, what to do about it, and where wbx looks.

mod engine;
mod machine;
mod places;

use crate::{
    answer::{Answer, View},
    call::Call,
    exit::Exit,
    failure::Failure,
};
use serde::Serialize;

#[derive(Serialize)]
struct Report {
    /// Nothing that is here is wrong.
    healthy: bool,
    /// `wbx run` finds everything that it needs.
    runs: bool,
    checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Serialize)]
struct Check {
    name: &'static str,
    status: Status,
    detail: String,
    /// What to do, unless it is well.
    hint: Option<String>,
    /// Whether `wbx run` needs it.
    #[serde(skip)]
    for_runs: bool,
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

impl Check {
    fn ok(name: &'static str, detail: impl Into<String>) -> Check {
        Check {
            name,
            status: Status::Ok,
            detail: detail.into(),
            hint: None,
            for_runs: false,
        }
    }

    fn missing(name: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Check {
        Check {
            status: Status::Missing,
            hint: Some(hint.into()),
            ..Check::ok(name, detail)
        }
    }

    fn broken(name: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Check {
        Check {
            status: Status::Broken,
            ..Check::missing(name, detail, hint)
        }
    }

    fn needed_by_runs(self) -> Check {
        Check { for_runs: true, ..self }
    }
}

pub fn run(_: &Call) -> Result<Answer, Failure> {
    let checks: Vec<Check> = machine::checks()
        .into_iter()
        .chain(engine::checks())
        .chain(places::checks())
        .collect();
    let healthy = checks.iter().all(|check| check.status != Status::Broken);
    let runs = checks.iter().all(|check| !check.for_runs || check.status == Status::Ok);
    let report = Report { healthy, runs, checks };
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
            let hint = check.hint.unwrap_or_default();
            vec![check.name.to_owned(), status.to_owned(), check.detail, hint]
        })
        .collect();
    let verdict = match (report.healthy, report.runs) {
        (true, true) => "healthy",
        (true, false) => "healthy, but `wbx run` needs what is missing",
        (false, _) => "not healthy",
    };
    View::Table(
        vec!["CHECK", "STATUS", "DETAIL", "WHAT TO DO"],
        rows,
        verdict.to_owned(),
    )
}
