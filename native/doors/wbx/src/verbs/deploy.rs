//! `wbx deploy`, `wbx rollback` and `wbx history`: which version of a workbook is live.

mod table;
mod workbook;

use crate::{
    answer::{Answer, Note, Remark, View, count},
    call::Call,
    engine::Engine,
    exit::Exit,
    failure::{Code, Failure},
    moment, parts,
    source::Source,
    verdict::tally,
};
use deploy::{Action, Entry, is_id};
use operations::workbooks::{Back, Deploy, Deployed, Diagnostic};
use oql::Level;
use serde::Serialize;
use serde_json::json;
use std::{env, path::Path};
pub use table::{DEPLOY, HISTORY, ROLLBACK};
use workbook::{list, next, run};

/// What became of a deploy.
#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Refused {
        id: String,
        refused: &'static str,
        diagnostics: Vec<Diagnostic>,
    },
    Live(Deployed),
}

pub fn start(call: &Call) -> Result<Answer, Failure> {
    let order = order(call)?;
    let (outcome, exit) = match Engine::ask("workbook.deploy", &order) {
        Ok(live) => (Outcome::Live(live), Exit::Ok),
        Err(failure) => (refused(order.id, failure)?, Exit::Verification),
    };
    Ok(Answer::new(outcome, exit, |outcome| Ok(view(outcome))))
}

pub fn rollback(call: &Call) -> Result<Answer, Failure> {
    let order = json!({"id": call.text("ID"), "by": call.text("by"), "why": call.text("why")});
    let back: Back = Engine::ask("workbook.rollback", &order)?;
    Ok(Answer::new(back, Exit::Ok, |back| {
        let summary = format!(
            "{}: version {} is live again, instead of {}",
            back.id, back.version, back.from
        );
        Ok(View::Notes(vec![], summary))
    }))
}

pub fn history(call: &Call) -> Result<Answer, Failure> {
    let entries: Vec<Entry> = parts::ask(call, "workbook.history", json!({"id": call.text("ID")}))?;
    Ok(Answer::new(entries, Exit::Ok, |entries| {
        let head = vec!["TIME", "ACTION", "VERSION", "FROM", "BY", "WHY", "OVERRIDDEN"];
        let summary = count(entries.len(), "change");
        Ok(View::Table(head, entries.into_iter().map(cells).collect(), summary))
    }))
}

/// A refusal by the gate is an answer, with the diagnostics that it rests on.
fn refused(id: String, failure: Failure) -> Result<Outcome, Failure> {
    let details = failure.facts.as_ref().and_then(|facts| facts.details.as_ref());
    let diagnostics = details.map(|details| details["diagnostics"].clone());
    match diagnostics.map(operations::read::<Vec<Diagnostic>>) {
        Some(Ok(diagnostics)) => Ok(Outcome::Refused {
            id,
            refused: failure.code.name(),
            diagnostics,
        }),
        _ => Err(failure),
    }
}

fn order(call: &Call) -> Result<Deploy, Failure> {
    let plan = call.path("PLAN").unwrap_or_default();
    let path = Path::new(plan);
    let (source, org, dir) = if plan == "-" {
        let dir = text(&env::current_dir().unwrap_or_default())?;
        (None, Some(Source::read(plan)?.text), Some(dir))
    } else {
        let absolute =
            std::path::absolute(path).map_err(|e| Failure::usage(format!("`{}`: {e}", path.display()), ""))?;
        let file = if path.is_dir() {
            path.join("workbook.org")
        } else {
            path.to_owned()
        };
        // The engine stands elsewhere and would say so in its own words. A bundle is no text, and the engine's to open.
        if !(path.extension().is_some_and(|end| end == "wbundle") && path.is_file()) {
            Source::read(file.as_os_str())?;
        }
        (Some(text(&absolute)?), None, None)
    };
    if call.flag("force") && call.text("why").is_none_or(|why| why.trim().is_empty()) {
        return Err(Failure::usage(
            "--force needs a reason",
            "say it with --why; the history keeps it",
        ));
    }
    Ok(Deploy {
        id: id(call, path)?,
        source,
        org,
        dir,
        grant: call.texts("grant").into_iter().map(Into::into).collect(),
        force: call.flag("force"),
        identity: call.flag("identity"),
        structural: call.flag("structural"),
        why: call.text("why").map(Into::into),
        by: call.text("by").map(Into::into),
    })
}

/// The id that was given, or the name of the plan: that of its directory when it is called `workbook.org`.
fn id(call: &Call, path: &Path) -> Result<String, Failure> {
    if let Some(id) = call.text("id") {
        return Ok(id.to_owned());
    }
    let absolute = std::path::absolute(path).unwrap_or_default();
    let stem = absolute
        .file_stem()
        .filter(|stem| *stem != "workbook" && path.as_os_str() != "-");
    let name = stem.or_else(|| absolute.parent()?.file_name().filter(|_| path.as_os_str() != "-"));
    match name.and_then(|name| name.to_str()) {
        Some(name) if is_id(name) => Ok(name.to_owned()),
        _ => Err(Failure::usage(
            "the plan's name cannot be the id of a workbook",
            "give one of letters, digits, - and _ with --id",
        )),
    }
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
    match outcome {
        Outcome::Refused {
            id,
            refused,
            diagnostics,
        } => {
            let summary = format!(
                "{id}: refused ({refused}), nothing changed: {}",
                tally(levels(&diagnostics))
            );
            View::Notes(diagnostics.into_iter().map(|d| note(d, refused)).collect(), summary)
        }
        Outcome::Live(Deployed {
            id,
            version,
            from,
            unchanged,
            profile,
            overridden,
            diagnostics,
            ..
        }) => {
            if unchanged {
                return View::Notes(
                    vec![],
                    format!("{id}: version {version} is live already, nothing changed"),
                );
            }
            let instead = from.map(|from| format!(" instead of {from}")).unwrap_or_default();
            let forced = match overridden.len() {
                0 => String::new(),
                n => format!("; {} overridden", count(n, "objection")),
            };
            let summary = format!("{id}: version {version} is live{instead} (profile {profile}){forced}");
            View::Notes(diagnostics.into_iter().map(|d| note(d, "")).collect(), summary)
        }
    }
}

fn levels(diagnostics: &[Diagnostic]) -> impl Iterator<Item = Level> + Clone {
    diagnostics.iter().map(level)
}

fn level(diagnostic: &Diagnostic) -> Level {
    if diagnostic.level == "error" {
        Level::Error
    } else {
        Level::Warn
    }
}

fn note(diagnostic: Diagnostic, refused: &str) -> Note {
    let remark = match refused {
        "not_granted" => Remark::Help(format!("grant it with --grant {}", diagnostic.scope)),
        _ => Remark::Note(format!("in `{}`", diagnostic.scope)),
    };
    Note {
        level: level(&diagnostic),
        code: None,
        message: diagnostic.message,
        places: vec![],
        remarks: vec![remark],
    }
}

fn cells(entry: Entry) -> Vec<String> {
    vec![
        moment::utc(entry.at),
        match (entry.action, entry.forced) {
            (Action::Deploy, false) => "deploy".to_owned(),
            (Action::Deploy, true) => "deploy (forced)".to_owned(),
            (Action::Rollback, _) => "rollback".to_owned(),
        },
        entry.version.to_string(),
        entry.from.map(|n| n.to_string()).unwrap_or_default(),
        entry.by,
        entry.why.unwrap_or_default(),
        entry.overridden.join("; "),
    ]
}
