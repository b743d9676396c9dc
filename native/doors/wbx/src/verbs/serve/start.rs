//! Starts an engine: a BEAM whose work is to answer.

use super::{PAUSE, health, place};
use crate::{
    engine,
    failure::{Code, Failure},
    root,
};
use ::engine::runtime_file::{self, Runtime};
use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long an engine may take to answer. The first start of all compiles its kernel.
const STARTING: Duration = Duration::from_secs(120);

/// As much of a log as is looked at for the reason of a failure.
const LAST: usize = 64 << 10;

/// In the background. It outlives this process; what it says goes to a log beside `runtime.json`.
pub fn background(bind: &str, port: u16) -> Result<(Runtime, PathBuf), Failure> {
    let log = place()?.with_file_name("engine.log");
    if let Some(dir) = log.parent() {
        durable::create_private(dir).map_err(|error| unwritable(&log, &error))?;
    }
    let open = File::options()
        .create(true)
        .write(true)
        .truncate(true)
        .mode(0o600)
        .open(&log);
    let file = open.map_err(|error| unwritable(&log, &error))?;
    let errors = file.try_clone().map_err(|error| unwritable(&log, &error))?;
    let mut child = command("background", bind, port)?
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(errors)
        .spawn()
        .map_err(|error| unstartable(&error.to_string()))?;
    let runtime = wait(&mut child).inspect_err(|_| {
        let _ = child.kill();
        let _ = child.wait();
    });
    match runtime {
        Ok(Some(runtime)) => Ok((runtime, log)),
        Ok(None) => Err(reason(&log)),
        Err(failure) => Err(failure),
    }
}

/// In the foreground, until it ends. When this process ends, its end of the pipe does, and the engine drains and follows.
pub fn foreground(bind: &str, port: u16) -> Result<Runtime, Failure> {
    let mut child = command("foreground", bind, port)?
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|error| unstartable(&error.to_string()))?;
    let Some(runtime) = wait(&mut child)? else {
        return Err(unstartable("it ended at once"));
    };
    // Whoever waits has to know where to ask before there is an answer.
    eprintln!("wbx: listening at {}; ^C stops", runtime.url);
    let _held = child.stdin.take();
    let ended = child.wait().map_err(|error| unstartable(&error.to_string()))?;
    match ended.success() {
        true => Ok(runtime),
        false => Err(Failure::new(
            Code::EngineFailed,
            "the engine ended badly",
            "what it said is above",
        )),
    }
}

/// The VM, in a process group of its own: ^C is for `wbx`.
fn command(mode: &str, bind: &str, port: u16) -> Result<Command, Failure> {
    let app = root::engine().places().application()?;
    for program in engine::PROGRAMS {
        engine::require(program)?;
    }
    let mut command = engine::command(&app, false);
    command
        .args(["-e", "Workbooks.Server.Main.main(System.argv())", mode, bind])
        .arg(port.to_string())
        .process_group(0);
    Ok(command)
}

/// The engine of this child, when it answers. `None` when the child ended instead.
fn wait(child: &mut Child) -> Result<Option<Runtime>, Failure> {
    let (path, end) = (place()?, Instant::now() + STARTING);
    loop {
        if child.try_wait().is_ok_and(|ended| ended.is_some()) {
            return Ok(None);
        }
        if let Ok(Some(runtime)) = runtime_file::read(&path)
            && runtime.pid == child.id()
            && health::answers(&runtime.url)
        {
            return Ok(Some(runtime));
        }
        if Instant::now() > end {
            return Err(unstartable("it does not answer"));
        }
        thread::sleep(PAUSE);
    }
}

/// What the engine said last: a frame with the reason, or a line.
fn reason(log: &Path) -> Failure {
    let bytes = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(LAST)..]);
    let frame = text
        .lines()
        .rev()
        .find(|line| line.starts_with("{\""))
        .map(operations::Reply::read);
    match frame {
        Some(Ok(operations::Reply {
            message: operations::Message::Error(failure),
            ..
        })) => failure.into(),
        _ => unstartable(text.trim().lines().last().unwrap_or("it said nothing")),
    }
}

fn unstartable(why: &str) -> Failure {
    let message = format!("the engine cannot be started: {why}");
    Failure::new(Code::EngineMissing, message, "run `wbx doctor`")
}

fn unwritable(log: &Path, error: &std::io::Error) -> Failure {
    let message = format!("the log `{}` cannot be written: {error}", log.display());
    Failure::new(Code::Unwritable, message, "see that the state directory is yours")
}
