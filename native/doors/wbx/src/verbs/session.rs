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
    let source = call.source("WORKFLOW")?;
    let mut params = json!({
        "workflow": {"text": source.text, "reference": source.name},
        "observations": workspace::observed(),
    });
    common(call, &mut params)?;
    answered(ask(call, "start", &params)?)
}

pub fn go_on(call: &Call) -> Result<Answer, Failure> {
    let intent = if call.flag("rehydrate") { "rehydrate" } else { "advance" };
    let mut params = json!({"token": token(call)?, "intent": intent});
    if intent == "advance" {
        let artifacts = call.text("artifact").map_or(Ok(json!([])), artifacts)?;
        params["output"] = json!({"notes": call.text("notes"), "artifacts": artifacts});
        params["observations"] = workspace::observed();
        common(call, &mut params)?;
    }
    answered(ask(call, "continue", &params)?)
}

pub fn checkpoint(call: &Call) -> Result<Answer, Failure> {
    let params = json!({"token": token(call)?, "notes": call.text("notes")});
    answered(ask(call, "checkpoint", &params)?)
}

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
    let params = json!({"sessionId": id(call)?, "nodeId": call.text("NODE")});
    answered(ask(call, "rewind", &params)?)
}

pub fn list(call: &Call) -> Result<Answer, Failure> {
    let found = ask(call, "list", &json!({}))?;
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
    let days = match call.text("ttl-days").map(str::parse::<u64>) {
        None => None,
        Some(Ok(days)) => Some(days),
        Some(Err(_)) => return Err(Failure::usage("--ttl-days takes a number", "for example --ttl-days 90")),
    };
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
    let workdir = call.0.try_get_one::<std::ffi::OsString>("workdir").ok().flatten();
    context.workdir = workdir.map(|dir| context.here.join(dir));
    Ok(operations::answer(
        &context,
        &format!("session.{verb}"),
        params.clone(),
    )?)
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
    let found = [&answer[key], &answer["data"][key], &answer]
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
    Ok(Answer::new(answer, exit, |answer| Ok(show::answer(&answer))))
}

fn health(found: &Value) -> Exit {
    if found["health"]["kind"] == "healthy" {
        Exit::Ok
    } else {
        Exit::Verification
    }
}
