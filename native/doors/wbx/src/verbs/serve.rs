//! `wbx serve`, and `wbx deploy local | status | stop`: an engine that listens on this machine.

mod health;
mod start;
mod table;

use crate::{
    answer::{Answer, View},
    call::Call,
    exit::Exit,
    failure::{Code, Failure},
    root,
};
use ::engine::Place;
use ::engine::runtime_file::{self, Runtime};
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};
pub use table::{LOCAL, SERVE, STATUS, STOP};

/// How long an engine may take to end: it drains first.
const STOPPING: Duration = Duration::from_secs(60);

const PAUSE: Duration = Duration::from_millis(20);

/// An engine, as programs are told about it. The token stays in its file.
#[derive(Serialize)]
struct Engine {
    url: String,
    pid: u32,
    version: String,
    /// Whether it was running before.
    #[serde(skip_serializing_if = "Option::is_none")]
    already: Option<bool>,
    /// What it says, when it runs in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<String>,
}

impl Engine {
    fn of(runtime: &Runtime) -> Engine {
        Engine {
            url: runtime.url.clone(),
            pid: runtime.pid,
            version: runtime.version.clone(),
            already: None,
            log: None,
        }
    }
}

pub fn serve(call: &Call) -> Result<Answer, Failure> {
    let bind = call.text("bind").unwrap_or("127.0.0.1");
    let port = port(call.text("port"))?;
    match call.flag("detach") {
        true => background(bind, port),
        false => foreground(bind, port),
    }
}

pub fn local(call: &Call) -> Result<Answer, Failure> {
    background("127.0.0.1", port(call.text("port"))?)
}

fn port(text: Option<&str>) -> Result<u16, Failure> {
    let Some(text) = text else { return Ok(0) };
    let refused = |_| {
        Failure::usage(
            format!("`{text}` is no port"),
            "a port is 0 to 65535; 0 takes a free one",
        )
    };
    text.parse().map_err(refused)
}

fn background(bind: &str, port: u16) -> Result<Answer, Failure> {
    if let Some(runtime) = running()? {
        let engine = Engine {
            already: Some(true),
            ..Engine::of(&runtime)
        };
        return Ok(said(engine, "an engine runs already"));
    }
    let (runtime, log) = start::background(bind, port)?;
    let engine = Engine {
        already: Some(false),
        log: Some(log.display().to_string()),
        ..Engine::of(&runtime)
    };
    Ok(said(engine, "the engine runs"))
}

fn foreground(bind: &str, port: u16) -> Result<Answer, Failure> {
    if let Some(runtime) = running()? {
        let message = format!("an engine runs already, at {} in process {}", runtime.url, runtime.pid);
        return Err(Failure::new(
            Code::Of(failure::codes::CONFLICT),
            message,
            "ask it, or stop it with `wbx deploy stop`",
        ));
    }
    let engine = Engine::of(&start::foreground(bind, port)?);
    Ok(said(engine, "the engine has stopped"))
}

fn said(engine: Engine, what: &'static str) -> Answer {
    Answer::new(engine, Exit::Ok, move |engine| {
        let log = engine.log.map(|log| format!("; its log is {log}")).unwrap_or_default();
        Ok(View::Notes(
            vec![],
            format!("{what}: {}, process {}{log}", engine.url, engine.pid),
        ))
    })
}

pub fn status(_call: &Call) -> Result<Answer, Failure> {
    let runtime = running()?.ok_or_else(nobody)?;
    Ok(said(Engine::of(&runtime), "an engine runs"))
}

pub fn stop(_call: &Call) -> Result<Answer, Failure> {
    let runtime = running()?.ok_or_else(nobody)?;
    let pid = i32::try_from(runtime.pid)
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(nobody)?;
    kill_process(pid, Signal::TERM).map_err(|error| {
        let message = format!("process {} cannot be told to stop: {error}", runtime.pid);
        Failure::new(Code::Of(failure::codes::IO), message, "it belongs to another user")
    })?;
    let end = Instant::now() + STOPPING;
    while runtime.is_alive() {
        if Instant::now() > end {
            let message = format!(
                "process {} still runs after {} seconds",
                runtime.pid,
                STOPPING.as_secs()
            );
            return Err(Failure::new(
                Code::EngineFailed,
                message,
                "look into its log, and kill it if you must",
            ));
        }
        thread::sleep(PAUSE);
    }
    runtime_file::remove(&place()?, runtime.pid)?;
    Ok(said(Engine::of(&runtime), "the engine has stopped"))
}

fn place() -> Result<PathBuf, Failure> {
    Ok(root::engine().places().get(Place::Runtime)?)
}

/// The engine that runs and answers. What a dead one left is removed, with a word about it.
fn running() -> Result<Option<Runtime>, Failure> {
    let path = place()?;
    let Some(runtime) = runtime_file::read(&path)? else {
        return Ok(None);
    };
    match runtime.is_alive() {
        true if health::answers(&runtime.url) => Ok(Some(runtime)),
        // The process may be another program by now, or an engine that starts or stops at this moment.
        true => Err(Failure::new(
            Code::EngineMissing,
            format!("process {} is there, and {} does not answer", runtime.pid, runtime.url),
            format!("if that process is no engine, remove {}", path.display()),
        )),
        false => {
            eprintln!(
                "wbx: the engine in process {} is gone without a word; {} is removed",
                runtime.pid,
                path.display()
            );
            runtime_file::remove(&path, runtime.pid)?;
            Ok(None)
        }
    }
}

fn nobody() -> Failure {
    Failure::new(
        Code::EngineMissing,
        "no engine reachable",
        "start one with wbx deploy local or set WB_ENGINE_URL",
    )
}
