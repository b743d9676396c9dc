//! `wbx toolkit audit`: a verdict per dependency.

use crate::{
    answer::{Answer, Item, View},
    call::Call,
    exit::Exit,
    failure::{Code, Failure},
};
use ::toolkit_audit::{Lanes, Report, Summary};
use serde::Serialize;
use std::path::Path;

/// What `--json` carries.
#[derive(Serialize)]
struct Told {
    audit: Report,
    fix: Option<Fix>,
}

/// How far `--fix` came.
#[derive(Serialize)]
struct Fix {
    pushed: bool,
    built: bool,
    verified: bool,
}

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let dir = Path::new(call.path("DIR").unwrap_or_default());
    let audit = ::toolkit_import::audit(dir, call.flag("deep"), &Lanes::shipped())?;
    let fix = if call.flag("fix") { Some(fix()?) } else { None };
    Ok(Answer::new(Told { audit, fix }, Exit::Ok, |told| Ok(view(&told.audit))))
}

fn view(report: &Report) -> View {
    let scripts = report.scripts.iter().flat_map(|script| {
        let head = Item {
            text: script.file.clone(),
            aside: format!("{} ({})", script.class, script.interpreter),
            ..Item::default()
        };
        let findings = script.findings.iter().map(|finding| Item {
            depth: 1,
            text: format!("{} {} :: {}", finding.kind, finding.name, finding.class),
            aside: finding.note.clone(),
            ..Item::default()
        });
        std::iter::once(head).chain(findings)
    });
    let Summary {
        ready,
        convertible,
        blocked,
    } = report.summary;
    let summary = match report.scripts.len() {
        0 => "no carried scripts — guidance-only toolkit, nothing to convert".to_owned(),
        _ => format!("{ready} ready, {convertible} convertible, {blocked} blocked; the plan is in manifest.org"),
    };
    View::Outline(scripts.collect(), summary)
}

/// Push, build and verify go over the engine's HTTP surface, which this build does not have.
fn fix() -> Result<Fix, Failure> {
    Err(Failure::new(
        Code::EngineMissing,
        "the audit is written; --fix needs an engine",
        "no engine reachable — start one with wbx deploy local or set WB_ENGINE_URL",
    ))
}
