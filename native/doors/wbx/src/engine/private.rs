//! An engine for one call: a BEAM of our own, asked in frames on its standard input and heard on its standard output.

use crate::{
    failure::{Code, Failure},
    root,
};
use operations::runs::Event;
use operations::{Frame, Reply};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    env,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
};

/// How much of what the engine says on standard error is kept for the case that it ends badly.
const LAST_WORDS: usize = 2_000;

/// What the BEAM is started with: names are UTF-8, and ^C ends it.
const FLAGS: &str = "+fnu +Bd";

/// A run needs its plan and its history, and no workbooks. Its engine owns no data directory, so any number of runs may
/// go on beside each other, and beside an engine that does own one.
const WITHOUT_DATA: &str = "+fnu +Bd -workbooks data_dir nil";

/// A running engine. It ends the run when this is dropped.
pub struct Engine {
    child: Child,
    input: Arc<Mutex<ChildStdin>>,
    output: BufReader<ChildStdout>,
    last_words: Option<JoinHandle<String>>,
}

/// What an engine says about the operation that it was started for.
pub enum Message {
    /// How it goes, as the engine said it and as it is understood.
    Event(Value, Box<Event>),
    /// The answer.
    Answer(Value),
}

/// The frame that an engine is started for; those after it are about the same run.
pub const FIRST: u64 = 1;

/// The frame that says that no more reports come. A run that is over already refuses it, which is as well.
pub const CLOSE: u64 = u64::MAX;

impl Engine {
    /// Starts an engine, asks it for one operation, and gives the answer.
    pub fn ask<T: DeserializeOwned>(operation: &str, params: &impl Serialize) -> Result<T, Failure> {
        let mut engine = Engine::start(operation, params)?;
        loop {
            if let Message::Answer(answer) = engine.next()? {
                return Ok(operations::read(answer)?);
            }
        }
    }

    /// Starts an engine with a live operation. What it is asked is checked before anything is started.
    pub fn start(operation: &str, params: &impl Serialize) -> Result<Self, Failure> {
        let params = serde_json::to_value(params).map_err(|e| failure::Failure::internal(e.to_string()))?;
        operations::find(operation)?.check(&params)?;
        let app = root::engine().places().application()?;
        for program in PROGRAMS {
            require(program)?;
        }
        let mut child = command(&app, operation.starts_with("run."))
            .args(["-e", "Workbooks.Operations.Stdio.main()"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| unstartable(&error.to_string()))?;
        let (Some(input), Some(output), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(unstartable("it has no pipes"));
        };
        let engine = Engine {
            child,
            input: Arc::new(Mutex::new(input)),
            output: BufReader::new(output),
            last_words: Some(thread::spawn(move || tail(stderr))),
        };
        say(&engine.input, FIRST, operation, params);
        Ok(engine)
    }

    /// The next thing that the engine says about its operation. What is no frame is a failure that names the field.
    pub fn next(&mut self) -> Result<Message, Failure> {
        loop {
            let mut line = String::new();
            match self.output.read_line(&mut line) {
                Ok(0) | Err(_) => return Err(self.gone()),
                // A VM that cannot start says so in lines of its own, which are no frames.
                Ok(_) if !line.starts_with('{') => continue,
                Ok(_) => {}
            }
            let Reply { id, message } = Reply::read(&line)?;
            match message {
                operations::Message::Event(event) => {
                    let known = operations::read(event.clone())?;
                    return Ok(Message::Event(event, Box::new(known)));
                }
                operations::Message::Ok(answer) if id == FIRST => return Ok(Message::Answer(answer)),
                operations::Message::Ok(_) => {}
                operations::Message::Error(_) if id == CLOSE => {}
                // A report that was refused is told as the run's other events are.
                operations::Message::Error(failure) if id > FIRST => return Ok(refused(id, &failure)),
                operations::Message::Error(failure) => return Err(failure.into()),
            }
        }
    }

    /// Where further frames for the engine go.
    pub fn input(&self) -> Arc<Mutex<ChildStdin>> {
        self.input.clone()
    }

    fn gone(&mut self) -> Failure {
        let _ = self.child.kill();
        let words = self.last_words.take().and_then(|words| words.join().ok());
        let words = words.unwrap_or_default();
        let last = words.trim().lines().last().unwrap_or("it said nothing").to_owned();
        Failure::new(
            Code::EngineFailed,
            format!("the engine ended without an answer: {last}"),
            "run it again: it goes on where it stopped",
        )
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The run is over, or nobody waits for it any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a frame. An engine that is gone says why on standard error.
pub fn say(input: &Mutex<ChildStdin>, id: u64, op: &str, params: Value) -> bool {
    let frame = Frame {
        id,
        op: op.to_owned(),
        params,
    };
    let frame = serde_json::to_string(&frame).expect("a frame is plain data");
    input.lock().is_ok_and(|mut input| writeln!(input, "{frame}").is_ok())
}

fn refused(frame: u64, failure: &failure::Failure) -> Message {
    let event = json!({"event": "refused", "line": frame - FIRST, "reason": failure.message});
    let known = operations::read(event.clone()).expect("it is an event");
    Message::Event(event, Box::new(known))
}

/// The VM with the application's code, owner of a data directory or not. What it is to do comes after.
pub fn command(app: &Path, without_data: bool) -> Command {
    let mut command = Command::new("elixir");
    command
        .args(["--erl", if without_data { WITHOUT_DATA } else { FLAGS }, "-pa"])
        .arg(app.join("ebin"))
        .env("LC_ALL", "C.UTF-8");
    command
}

/// What the engine needs beside itself.
pub const PROGRAMS: [&str; 2] = ["erl", "elixir"];

/// Where a program is.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .map(|dir| dir.join(program))
        .find(|file| file.is_file())
}

fn require(program: &str) -> Result<(), Failure> {
    match on_path(program) {
        Some(_) => Ok(()),
        None => Err(Failure::new(
            Code::EngineMissing,
            format!("`{program}` is not on the PATH, and the engine needs the Erlang VM with Elixir"),
            "install them, on Debian with: apt-get install elixir",
        )),
    }
}

fn unstartable(why: &str) -> Failure {
    let message = format!("the engine cannot be started: {why}");
    Failure::new(Code::EngineMissing, message, "run `wbx doctor`")
}

/// The end of a stream.
fn tail(mut stream: impl Read) -> String {
    let mut kept: Vec<u8> = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(n @ 1..) = stream.read(&mut piece) {
        kept.extend_from_slice(&piece[..n]);
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_stream_is_kept() {
        let long = "x".repeat(LAST_WORDS * 5) + "end";
        let kept = tail(long.as_bytes());
        assert_eq!(kept.len(), LAST_WORDS);
        assert!(kept.ends_with("xend"));
    }
}
