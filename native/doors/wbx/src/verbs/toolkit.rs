//! `wbx toolkit`: find, read, verify, sign, build and run toolkits, here or on an engine, and push them to one.

mod audit;
mod audit_table;
mod import;
mod push;
mod show;
mod table;

use crate::{answer::Answer, call::Call, engine::attach, exit::Exit, failure::Failure, parts};
use serde_json::{Value, json};
use std::{
    io::{self, IsTerminal, Read, Write},
    path::PathBuf,
    process,
};
pub use table::VERBS;

/// The most of standard input that a recipe is given.
const STDIN: u64 = 64 << 20;

pub fn list(call: &Call) -> Result<Answer, Failure> {
    let found = ask(call, "list", &json!({}))?;
    Ok(Answer::new(found, Exit::Ok, |found| Ok(show::list(&found))))
}

pub fn show(call: &Call) -> Result<Answer, Failure> {
    if let Some(skill) = call.text("SKILL") {
        let found = ask(call, "skill", &json!({"id": id(call), "skill": skill}))?;
        let text = found["text"].as_str().unwrap_or_default().to_owned();
        return Ok(Answer::told(&found, text));
    }
    let found = ask(call, "show", &json!({"id": id(call)}))?;
    Ok(Answer::new(found, Exit::Ok, |found| Ok(show::toolkit(&found))))
}

pub fn search(call: &Call) -> Result<Answer, Failure> {
    let query = call.texts("QUERY").join(" ");
    let found = ask(call, "search", &json!({"query": query}))?;
    Ok(Answer::new(found, Exit::Ok, |found| Ok(show::hits(&found))))
}

pub fn verify(call: &Call) -> Result<Answer, Failure> {
    let found = ask(call, "verify", &json!({"id": id(call)}))?;
    let exit = match found["ok"] == true {
        true => Exit::Ok,
        false => Exit::Verification,
    };
    let text = found["text"].as_str().unwrap_or_default().to_owned();
    Ok(Answer {
        exit,
        ..Answer::told(&found, text)
    })
}

pub fn sign(call: &Call) -> Result<Answer, Failure> {
    let signed = ask(call, "sign", &json!({"id": id(call)}))?;
    let text = format!("{} files signed by {}\n", signed["files"], text(&signed["did"]));
    Ok(Answer::told(&signed, text))
}

pub fn build(call: &Call) -> Result<Answer, Failure> {
    let toolkit = id(call);
    let mut order = json!({"id": toolkit, "from": path(call, "from"), "grant": grant(call)});
    if let Some(which) = call.text("WHICH") {
        order["which"] = json!(which);
    }
    let built = ask(call, "build", &order)?;
    let line = format!(
        "{} `{}` registered, {} ({})\n",
        text(&built["shape"]),
        text(&built["name"]),
        text(&built["sha256"]),
        text(&built["lane"])
    );
    Ok(Answer::told(&built, line))
}

pub fn push(call: &Call) -> Result<Answer, Failure> {
    let dir = PathBuf::from(call.path("DIR").unwrap_or_default());
    let toolkit = push::Packed::new(&id(call), &dir)?;
    let installed = toolkit.send(&attach::required()?)?;
    let line = format!("pushed {}, {} files\n", text(&installed["id"]), installed["files"]);
    Ok(Answer::told(&installed, line))
}

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let order = json!({
        "id": id(call),
        "task": call.text("TASK"),
        "args": call.texts("ARGS"),
        "stdin": stdin()?,
        "workdir": path(call, "dir"),
        "grant": grant(call),
    });
    let ran = ask(call, "run", &order)?;
    let status = ran["status"].as_u64().unwrap_or(1);
    if !call.flag("json") {
        // Whoever stopped listening does not mind.
        let _ = io::stdout().write_all(text(&ran["stdout"]).as_bytes());
        let _ = io::stderr().write_all(text(&ran["stderr"]).as_bytes());
        // The recipe has said all there is to say; its status is ours.
        process::exit(i32::try_from(status).unwrap_or(1));
    }
    let exit = if status == 0 { Exit::Ok } else { Exit::Other };
    Ok(Answer {
        exit,
        ..Answer::told(&ran, text(&ran["stdout"]).to_owned())
    })
}

fn id(call: &Call) -> String {
    call.text("ID").unwrap_or_default().to_owned()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// An engine stands elsewhere, so a path is told from the root.
fn path(call: &Call, name: &str) -> Option<String> {
    let path = call.path(name)?;
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.into());
    Some(absolute.to_string_lossy().into_owned())
}

fn grant(call: &Call) -> Option<Vec<String>> {
    let caps = call.text("grant")?;
    Some(
        caps.split([' ', ','])
            .filter(|cap| !cap.is_empty())
            .map(str::to_owned)
            .collect(),
    )
}

/// What is piped in. A person at a terminal is not asked.
fn stdin() -> Result<String, Failure> {
    let mut input = String::new();
    if !io::stdin().is_terminal() {
        let read = io::stdin().lock().take(STDIN).read_to_string(&mut input);
        read.map_err(|e| Failure::usage(format!("standard input cannot be read: {e}"), "pipe text into it"))?;
    }
    Ok(input)
}

/// Asks about the toolkits that are meant: those of the engine that the environment names; else those here, and if the
/// one that is asked for is not, those of the engine that runs here.
fn ask(call: &Call, verb: &str, params: &Value) -> Result<Value, Failure> {
    let operation = format!("toolkit.{verb}");
    if let Some(engine) = attach::named()? {
        return engine.ask(&operation, params);
    }
    match operations::answer(&parts::context_of(call), &operation, params.clone()) {
        Err(missing) if missing.code.kind == failure::Kind::NotFound => match attach::find() {
            Ok(Some(engine)) => engine.ask(&operation, params),
            _ => Err(missing.into()),
        },
        answered => Ok(answered?),
    }
}
