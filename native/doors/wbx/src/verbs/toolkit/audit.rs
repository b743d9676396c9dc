//! `wbx toolkit audit`: a verdict per dependency.

use super::push::Packed;
use crate::{
    answer::{Answer, Item, View},
    call::Call,
    engine::attach,
    exit::Exit,
    failure::Failure,
};
use ::toolkit_audit::{Lanes, Report, Summary};
use serde::Serialize;
use serde_json::json;
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
    #[serde(skip)]
    id: String,
    /// What the engine says of it: the lines of its verification, or why it was not built.
    #[serde(skip)]
    lines: Vec<String>,
}

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let dir = Path::new(call.path("DIR").unwrap_or_default());
    let audit = ::toolkit_import::audit(dir, call.flag("deep"), &Lanes::shipped())?;
    let fix = if call.flag("fix") { Some(fix(dir)?) } else { None };
    let exit = match &fix {
        Some(fix) if !fix.verified => Exit::Verification,
        _ => Exit::Ok,
    };
    Ok(Answer::new(Told { audit, fix }, exit, |told| Ok(view(&told))))
}

fn view(told: &Told) -> View {
    let report = &told.audit;
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
    View::Outline(scripts.chain(told.fix.iter().flat_map(steps)).collect(), summary)
}

/// `fix: pushed demo → built → verified`, and what the engine says.
fn steps(fix: &Fix) -> Vec<Item> {
    let item = |depth, text: String| Item {
        depth,
        text,
        ..Item::default()
    };
    let steps = [(fix.built, "built"), (fix.verified, "verified")];
    let steps = steps.iter().map(|(done, step)| match done {
        true => format!(" → {step}"),
        false => format!(" → not {step}"),
    });
    let first = item(0, format!("fix: pushed {}{}", fix.id, steps.collect::<String>()));
    let lines = fix.lines.iter().map(|line| item(1, line.clone()));
    std::iter::once(first).chain(lines).collect()
}

/// Pushes the toolkit to the engine, and lets it build and verify it there.
fn fix(dir: &Path) -> Result<Fix, Failure> {
    let engine = attach::required().map_err(|failure| Failure {
        message: format!("the audit is written; --fix needs an engine: {}", failure.message),
        ..failure
    })?;
    let id = std::path::absolute(dir)
        .ok()
        .and_then(|dir| Some(dir.file_name()?.to_string_lossy().into_owned()))
        .unwrap_or_default();
    Packed::new(&id, dir)?.send(&engine)?;
    let mut fix = Fix {
        pushed: true,
        built: true,
        verified: false,
        lines: Vec::new(),
        id,
    };
    match engine.ask("toolkit.build", &json!({"id": fix.id})) {
        // A toolkit of manuals and scripts has no artifact, and is built as it is.
        Err(failure) if failure.code.name() == "nothing_to_build" => {}
        Err(failure) if failure.code.exit() == Exit::Unreachable => return Err(failure),
        Err(failure) => {
            fix.built = false;
            fix.lines.push(failure.message);
            return Ok(fix);
        }
        Ok(_) => {}
    }
    let verified = engine.ask("toolkit.verify", &json!({"id": fix.id}))?;
    fix.verified = verified["ok"] == true;
    let text = verified["text"].as_str().unwrap_or_default();
    fix.lines.extend(text.lines().map(str::to_owned));
    Ok(fix)
}
