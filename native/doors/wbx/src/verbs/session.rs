//! `wbx session`: durable agent sessions at the terminal.

mod show;
mod table;
mod workspace;

pub use table::VERBS;

use crate::{
    answer::Answer,
    call::Call,
    exit::Exit,
    failure::{Code, Failure},
    parts,
    replace::replace,
    root,
    source::Source,
};
use ::engine::Place;
use serde_json::{Map, Value, json};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

pub fn start(call: &Call) -> Result<Answer, Failure> {
    let (workflow, plan) = workflow(call)?;
    let mut params = json!({
        "workflow": workflow,
        "plan": plan,
        "writePlan": call.flag("write-plan"),
        "title": call.text("title"),
        "goal": call.text("goal"),
        "parent": call.text("parent"),
        "workdir": call.path("workdir").map(|dir| dir.to_string_lossy()),
        "observations": workspace::observed(),
        "full": call.flag("full"),
    });
    common(call, &mut params)?;
    answered(ask(call, "start", &params)?)
}

/// The workflow that is meant, and the plan when it is one that lies in a file: what is no file may be an id.
fn workflow(call: &Call) -> Result<(Value, Option<String>), Failure> {
    let word = call.path("WORKFLOW").unwrap_or_default();
    let named = word.to_string_lossy();
    if word != "-" && !Path::new(word).exists() && !named.contains(['/', '\\']) && !named.ends_with(".org") {
        return Ok((json!({"id": named}), None));
    }
    let source = call.source("WORKFLOW")?;
    let plan = (word != "-" && !source.text.trim_start().starts_with('{')).then(|| named.into_owned());
    Ok((json!({"text": source.text, "reference": source.name}), plan))
}

pub fn go_on(call: &Call) -> Result<Answer, Failure> {
    let intent = if call.flag("rehydrate") { "rehydrate" } else { "advance" };
    let mut params = json!({"token": token(call)?, "intent": intent, "full": call.flag("full")});
    if intent == "advance" {
        let artifacts = call.text("artifact").map_or(Ok(json!([])), artifacts)?;
        params["output"] = json!({"notes": call.text("notes"), "artifacts": artifacts});
        params["observations"] = workspace::observed();
        params["resolvesGaps"] = json!(call.texts("closes"));
        common(call, &mut params)?;
    }
    answered(ask(call, "continue", &params)?)
}

pub fn checkpoint(call: &Call) -> Result<Answer, Failure> {
    let params = json!({"token": token(call)?, "notes": call.text("notes"), "full": call.flag("full")});
    answered(ask(call, "checkpoint", &params)?)
}

pub fn workflows(call: &Call) -> Result<Answer, Failure> {
    let found = ask(call, "workflows", &json!({"tag": call.text("tag")}))?;
    Ok(Answer::new(found, Exit::Ok, |found| Ok(show::workflows(&found))))
}

pub fn preview(call: &Call) -> Result<Answer, Failure> {
    let mut params = json!({"workflow": workflow(call)?.0});
    if let Some(context) = call.text("context") {
        params["context"] = Value::Object(object(context)?);
    }
    let found = ask(call, "preview", &params)?;
    Ok(Answer::new(found, Exit::Ok, |found| Ok(show::preview(&found))))
}

pub fn pin(call: &Call) -> Result<Answer, Failure> {
    let dir = call.path("DIR").unwrap_or_default().to_string_lossy().into_owned();
    let charter = ask(call, "pin", &json!({"sessionId": id(call)?, "workdir": dir}))?;
    let said = format!("checks see {}\n", charter["workdir"].as_str().unwrap_or_default());
    Ok(Answer::told(&charter, said))
}

pub fn policy(call: &Call) -> Result<Answer, Failure> {
    let libraries: Vec<String> = call
        .paths("library")
        .map(|dir| dir.to_string_lossy().into_owned())
        .collect();
    let params = json!({
        "mostAutonomy": call.text("most-autonomy"),
        "agentAutonomy": call.text("agent-autonomy"),
        "agentRisk": call.text("agent-risk"),
        "libraries": (!libraries.is_empty()).then_some(libraries),
    });
    let policy = ask(call, "policy", &params)?;
    Ok(Answer::new(policy, Exit::Ok, |policy| Ok(show::policy(&policy))))
}

macro_rules! remedies {
    ($($name:ident)*) => {$(
        pub fn $name(call: &Call) -> Result<Answer, Failure> {
            let done = ask(call, stringify!($name), &json!({"sessionId": id(call)?}))?;
            let said = format!("{}\n", done["done"].as_str().unwrap_or_default());
            Ok(Answer::told(&done, said))
        }
    )*};
}

remedies!(quarantine repair delete);

pub fn resume(call: &Call) -> Result<Answer, Failure> {
    let query = json!({
        "text": call.text("TEXT"),
        "gitBranch": call.text("branch"),
        "gitHeadSha": call.text("head"),
        "workflowId": call.text("workflow"),
    });
    let found = ask(call, "resume", &query)?;
    Ok(Answer::new(found, Exit::Ok, |found| Ok(show::offers(&found))))
}

pub fn rewind(call: &Call) -> Result<Answer, Failure> {
    let params = json!({"sessionId": id(call)?, "nodeId": call.text("NODE"), "full": call.flag("full")});
    answered(ask(call, "rewind", &params)?)
}

pub fn list(call: &Call) -> Result<Answer, Failure> {
    let params = json!({
        "limit": call.text("limit").map(|text| number("limit", text)).transpose()?,
        "since": call.text("since").map(|text| day("since", text)).transpose()?,
        "before": call.text("before").map(|text| day("before", text)).transpose()?,
        "parent": call.text("parent"),
    });
    let found = ask(call, "list", &params)?;
    Ok(Answer::new(found, Exit::Ok, |found| Ok(show::sessions(&found))))
}

pub fn inspect(call: &Call) -> Result<Answer, Failure> {
    let mut params = json!({"sessionId": id(call)?});
    if let Some(path) = call.path("workflow") {
        params["workflow"] = json!({"text": Source::read(path)?.text});
    }
    let found = ask(call, "inspect", &params)?;
    let exit = health(&found);
    Ok(Answer::new(found, exit, |found| Ok(show::session(&found))))
}

pub fn export(call: &Call) -> Result<Answer, Failure> {
    let bundle = ask(call, "export", &json!({"sessionId": id(call)?}))?;
    let text = format!("{bundle}\n");
    match call.path("output") {
        Some(path) => {
            replace(Path::new(path), &text)?;
            let said = format!("{}\n", Path::new(path).display());
            Ok(Answer::told(&json!({"output": said.trim_end()}), said))
        }
        None => Ok(Answer::told(&bundle, text)),
    }
}

pub fn import(call: &Call) -> Result<Answer, Failure> {
    let source = call.source("BUNDLE")?;
    let bundle: Value = serde_json::from_str(&source.text).map_err(|e| {
        Failure::new(
            Code::Of(failure::Fails::failing(&invalid_bundle())),
            format!("{} is not JSON: {e}", source.name),
            "export it again",
        )
    })?;
    let imported = ask(call, "import", &json!({"bundle": bundle}))?;
    Ok(Answer::new(imported, Exit::Ok, |imported| {
        Ok(show::answer(&imported["answer"]))
    }))
}

fn invalid_bundle() -> session::Error {
    session::Error::new(session::Code::BundleInvalidFormat, "", "")
}

pub fn gc(call: &Call) -> Result<Answer, Failure> {
    for (flag, keep) in [("keep", true), ("unkeep", false)] {
        if let Some(id) = call.text(flag) {
            ask(call, "keep", &json!({"sessionId": id, "keep": keep}))?;
        }
    }
    let days = call.text("ttl-days").map(|text| number("ttl-days", text)).transpose()?;
    let swept = ask(call, "gc", &json!({"ttlDays": days, "dryRun": call.flag("dry-run")}))?;
    let exit = if swept["doubts"] == json!([]) {
        Exit::Ok
    } else {
        Exit::Verification
    };
    Ok(Answer::new(swept, exit, |swept| Ok(show::swept(&swept))))
}

pub fn verify(call: &Call) -> Result<Answer, Failure> {
    let found = ask(call, "verify", &json!({"sessionId": id(call)?}))?;
    let exit = health(&found);
    Ok(Answer::new(found, exit, |found| Ok(show::verified(&found))))
}

pub fn rotate(call: &Call) -> Result<Answer, Failure> {
    ask(call, "rotate_keys", &json!({}))?;
    Ok(Answer::told(&json!({}), "tokens are signed with a fresh key\n".into()))
}

/// Asks the sessions in the directory that is meant.
fn ask(call: &Call, verb: &str, params: &Value) -> Result<Value, Failure> {
    let mut context = parts::context();
    context.sessions = Some(Arc::new(session_store::engine(directory(call)?)?));
    let libraries = call.0.try_get_many::<std::ffi::OsString>("library").ok().flatten();
    if verb != "policy" {
        context.libraries = libraries
            .into_iter()
            .flatten()
            .map(|dir| context.here.join(dir))
            .collect();
    }
    Ok(operations::answer(
        &context,
        &format!("session.{verb}"),
        params.clone(),
    )?)
}

fn number(flag: &str, text: &str) -> Result<u64, Failure> {
    text.parse()
        .map_err(|_| Failure::usage(format!("--{flag} takes a number"), format!("for example --{flag} 90")))
}

/// The first millisecond of a day.
fn day(flag: &str, text: &str) -> Result<i64, Failure> {
    let date = text.parse::<jiff::civil::Date>();
    let start = date.and_then(|date| date.to_zoned(jiff::tz::TimeZone::UTC));
    start
        .map(|start| start.timestamp().as_millisecond().max(0))
        .map_err(|_| {
            Failure::usage(
                format!("--{flag} takes a day"),
                format!("for example --{flag} 2026-06-11"),
            )
        })
}

fn directory(call: &Call) -> Result<PathBuf, Failure> {
    match call.path("dir") {
        Some(dir) => Ok(PathBuf::from(dir)),
        None => Ok(root::engine().places().get(Place::Sessions)?),
    }
}

fn common(call: &Call, params: &mut Value) -> Result<(), Failure> {
    if let Some(context) = call.text("context") {
        params["context"] = Value::Object(object(context)?);
    }
    params["preferences"] = json!({"autonomy": call.text("autonomy"), "riskPolicy": call.text("risk")});
    Ok(())
}

fn object(text: &str) -> Result<Map<String, Value>, Failure> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(Failure::usage(
            format!("`{text}` is not a JSON object"),
            "quote it for the shell: '{\"key\": 1}'",
        )),
    }
}

/// One artifact, or a list of them.
fn artifacts(text: &str) -> Result<Value, Failure> {
    match serde_json::from_str(text) {
        Ok(Value::Array(list)) => Ok(Value::Array(list)),
        _ => object(text).map(|one| json!([one])),
    }
}

/// A token, or `-` for an answer on standard input, whose token is meant.
fn token(call: &Call) -> Result<String, Failure> {
    given(call.text("TOKEN").unwrap_or_default(), "token")
}

/// A session, or `-` for an answer on standard input, whose session is meant.
fn id(call: &Call) -> Result<String, Failure> {
    given(call.text("SESSION").unwrap_or_default(), "sessionId")
}

fn given(word: &str, key: &str) -> Result<String, Failure> {
    if word != "-" {
        return Ok(word.to_owned());
    }
    let source = Source::read("-".as_ref())?;
    let answer: Value = serde_json::from_str(&source.text).unwrap_or_else(|_| json!(source.text.trim()));
    // A session is named by any token of it.
    let found = [
        &answer[key],
        &answer["data"][key],
        &answer["token"],
        &answer["data"]["token"],
        &answer,
    ]
    .into_iter()
    .find_map(Value::as_str)
    .map(str::to_owned);
    found.ok_or_else(|| {
        Failure::usage(
            format!("standard input has no {key}"),
            "pipe the answer of `wbx session start` into it",
        )
    })
}

/// An answer about a run. One that was refused is an answer that does not hold.
fn answered(answer: Value) -> Result<Answer, Failure> {
    let exit = if answer["blockers"].is_null() {
        Exit::Ok
    } else {
        Exit::Verification
    };
    let data = step_first(&answer);
    Ok(Answer {
        data,
        ..Answer::new(answer, exit, |answer| Ok(show::answer(&answer)))
    })
}

/// The answer as JSON, with what an agent acts on in front.
fn step_first(answer: &Value) -> String {
    const FIRST: [&str; 5] = ["pending", "token", "nextIntent", "status", "workflow"];
    let Some(all) = answer.as_object() else {
        return answer.to_string();
    };
    let first = FIRST.iter().filter_map(|key| all.get_key_value(*key));
    let rest = all.iter().filter(|(key, _)| !FIRST.contains(&key.as_str()));
    let field = |(key, value): (&String, &Value)| format!("{}:{value}", Value::from(key.as_str()));
    let fields: Vec<String> = first.chain(rest).map(field).collect();
    format!("{{{}}}", fields.join(","))
}

fn health(found: &Value) -> Exit {
    if found["health"]["kind"] == "healthy" {
        Exit::Ok
    } else {
        Exit::Verification
    }
}
