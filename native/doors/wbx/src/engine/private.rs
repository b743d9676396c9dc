//! An engine for one call: a BEAM of our own, asked in frames on its standard input and heard on a descriptor that only
//! frames are written to.

use super::{Message, Report, Reports, event};
use crate::{
    failure::{Code, Failure},
    root,
};
use operations::{Frame, Reply};
use serde_json::Value;
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

/// Starts a program that writes its frames to descriptor 4, which is our pipe. Whatever else it or the VM prints, such as
/// the notice of a VM that cannot start, goes to standard error, so what is no frame is never taken for one.
const FRAMES_APART: &str = r#"exec "$@" 4>&1 1>&2"#;

/// A running engine. It ends the run when this is dropped.
pub struct Private {
    child: Child,
    input: Arc<Mutex<ChildStdin>>,
    output: BufReader<ChildStdout>,
    last_words: Option<JoinHandle<String>>,
}

/// The frame that an engine is started for; those after it are about the same run.
const FIRST: u64 = 1;

/// The frame that says that no more reports come. A run that is over already refuses it, which is as well.
const CLOSE: u64 = u64::MAX;

impl Private {
    /// Starts an engine with a live operation.
    pub fn start(operation: &str, params: Value) -> Result<Self, Failure> {
        let app = root::engine().places().application()?;
        for program in PROGRAMS {
            require(program)?;
        }
        let mut child = conversation(&app, operation.starts_with("run."))
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| unstartable(&error.to_string()))?;
        let (Some(input), Some(output), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(unstartable("it has no pipes"));
        };
        let engine = Private {
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
                Ok(_) => {}
            }
            let Reply { id, message } = Reply::read(&line)?;
            match message {
                operations::Message::Event(said) => return event(said),
                operations::Message::Ok(answer) if id == FIRST => return Ok(Message::Answer(answer)),
                operations::Message::Ok(_) => {}
                operations::Message::Error(_) if id == CLOSE => {}
                // A report that was refused is told as the run's other events are.
                operations::Message::Error(failure) if id > FIRST => {
                    return Ok(Message::Refused {
                        line: id - FIRST,
                        reason: failure.message,
                    });
                }
                operations::Message::Error(failure) => return Err(failure.into()),
            }
        }
    }

    /// Where reports about the tasks of its run go.
    pub fn reports(&self) -> Reports {
        let input = self.input.clone();
        Arc::new(move |report| match report {
            Report::Task { line, params } => say(&input, FIRST + line, "run.report", params),
            Report::Over(params) => say(&input, CLOSE, "run.close", params),
        })
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

impl Drop for Private {
    fn drop(&mut self) {
        // The run is over, or nobody waits for it any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a frame. An engine that is gone says why on standard error.
fn say(input: &Mutex<ChildStdin>, id: u64, op: &str, params: Value) -> bool {
    let frame = Frame {
        id,
        op: op.to_owned(),
        params,
    };
    let frame = serde_json::to_string(&frame).expect("a frame is plain data");
    input.lock().is_ok_and(|mut input| writeln!(input, "{frame}").is_ok())
}

/// The VM that is asked in frames on its standard input, and answers in frames on what is its standard output for us.
pub fn conversation(app: &Path, without_data: bool) -> Command {
    let elixir = command(app, without_data);
    let mut command = Command::new("sh");
    command
        .args(["-c", FRAMES_APART, "sh"])
        .arg(elixir.get_program())
        .args(elixir.get_args())
        .args(["-e", "Workbooks.Operations.Stdio.main()"])
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
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

/// Says what to install where a program is missing.
pub fn require(program: &str) -> Result<(), Failure> {
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
