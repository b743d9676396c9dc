//! `wbx deploy`, `wbx rollback` and `wbx history`: which version of a workbook is live.

use crate::{
    answer::{Answer, Note, Remark, View, count},
    call::Call,
    engine::Engine,
    exit::Exit,
    failure::{Code, Failure},
    moment,
    source::Source,
    verdict::tally,
};
use oql::Level;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{env, path::Path};

/// What became of a deploy.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Outcome {
    Refused {
        id: String,
        refused: String,
        diagnostics: Vec<Diagnostic>,
    },
    Live {
        id: String,
        version: u64,
        from: Option<u64>,
        profile: String,
        granted: Vec<String>,
        overridden: Vec<String>,
        diagnostics: Vec<Diagnostic>,
    },
}

#[derive(Serialize, Deserialize)]
struct Diagnostic {
    level: String,
    message: String,
    scope: String,
}

/// What became of a rollback.
#[derive(Serialize, Deserialize)]
struct Back {
    id: String,
    version: u64,
    from: u64,
}

/// A line of the history.
#[derive(Serialize, Deserialize)]
struct Entry {
    n: u64,
    action: String,
    version: u64,
    from: Option<u64>,
    at: i64,
    by: String,
    why: Option<String>,
    forced: bool,
    overridden: Vec<String>,
    granted: Vec<String>,
}

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let outcome: Outcome = Engine::ask("deploy", &order(call)?)?;
    let exit = match outcome {
        Outcome::Refused { .. } => Exit::Verification,
        Outcome::Live { .. } => Exit::Ok,
    };
    Ok(Answer::new(outcome, exit, |outcome| Ok(view(outcome))))
}

pub fn rollback(call: &Call) -> Result<Answer, Failure> {
    let order = json!({"verb": "rollback", "id": call.text("ID"), "by": user()});
    let back: Back = Engine::ask("deploy", &order)?;
    Ok(Answer::new(back, Exit::Ok, |back| {
        let summary = format!(
            "{}: version {} is live again, instead of {}",
            back.id, back.version, back.from
        );
        Ok(View::Notes(vec![], summary))
    }))
}

pub fn history(call: &Call) -> Result<Answer, Failure> {
    let order = json!({"verb": "history", "id": call.text("ID")});
    let entries: Vec<Entry> = Engine::ask("deploy", &order)?;
    Ok(Answer::new(entries, Exit::Ok, |entries| {
        let head = vec!["TIME", "ACTION", "VERSION", "FROM", "BY", "WHY", "OVERRIDDEN"];
        let summary = count(entries.len(), "change");
        Ok(View::Table(head, entries.into_iter().map(cells).collect(), summary))
    }))
}

fn order(call: &Call) -> Result<Value, Failure> {
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
    Ok(json!({
        "verb": "deploy",
        "id": id(call, path)?,
        "source": source,
        "org": org,
        "dir": dir,
        "grant": call.texts("grant"),
        "force": call.flag("force"),
        "why": call.text("why"),
        "by": user(),
    }))
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
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match name.and_then(|name| name.to_str()) {
        Some(name) if (1..=128).contains(&name.len()) && name.chars().all(fine) => Ok(name.to_owned()),
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

fn user() -> String {
    env::var("USER").unwrap_or_else(|_| "unknown".to_owned())
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
            View::Notes(diagnostics.into_iter().map(|d| note(d, &refused)).collect(), summary)
        }
        Outcome::Live {
            id,
            version,
            from,
            profile,
            overridden,
            diagnostics,
            ..
        } => {
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
    diagnostics.iter().map(Diagnostic::level)
}

impl Diagnostic {
    fn level(&self) -> Level {
        if self.level == "error" {
            Level::Error
        } else {
            Level::Warn
        }
    }
}

fn note(diagnostic: Diagnostic, refused: &str) -> Note {
    let remark = match refused {
        "ungranted" => Remark::Help(format!("grant it with --grant {}", diagnostic.scope)),
        _ => Remark::Note(format!("in `{}`", diagnostic.scope)),
    };
    Note {
        level: diagnostic.level(),
        code: None,
        message: diagnostic.message,
        places: vec![],
        remarks: vec![remark],
    }
}

fn cells(entry: Entry) -> Vec<String> {
    vec![
        moment::utc(entry.at),
        if entry.forced {
            format!("{} (forced)", entry.action)
        } else {
            entry.action
        },
        entry.version.to_string(),
        entry.from.map(|n| n.to_string()).unwrap_or_default(),
        entry.by,
        entry.why.unwrap_or_default(),
        entry.overridden.join("; "),
    ]
}
