//! An engine for one order: a BEAM of our own, told what to do on its standard input and heard on its standard output.
//!
//! It is found in `WORKBOOKS_HOME`, or near this program: above `bin/wbx` or `target/release/wbx` in a source tree, and in
//! `lib/workbooks` of the prefix where `make install` put both.

use crate::failure::{Code, Failure};
use host::Registry;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    env,
    io::{self, BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
};

/// How much of what the engine says on standard error is kept for the case that it ends badly.
const LAST_WORDS: usize = 2_000;

/// What is wanted of an engine: which part of it, and what that part has to know.
#[derive(Serialize)]
struct Wanted<'a, T> {
    r#do: &'a str,
    order: &'a T,
}

/// What to run, and how.
#[derive(Serialize)]
pub struct Order {
    pub plan: String,
    pub workdir: Option<String>,
    pub width: Option<u32>,
    pub worker: String,
    pub history: Option<String>,
}

/// What the engine says.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Message<T> {
    Event(Event),
    Result { result: T },
    Error { error: Refusal },
}

/// One event of a run.
#[derive(Deserialize)]
pub struct Event {
    pub event: String,
    pub task: Option<String>,
    pub title: Option<String>,
    pub state: Option<String>,
    pub reason: Option<String>,
    pub text: Option<String>,
    #[serde(default)]
    pub tasks: Vec<Listed>,
}

/// A task as the run finds it.
#[derive(Deserialize)]
pub struct Listed {
    pub id: String,
    pub level: usize,
}

/// How a run ended.
#[derive(Serialize, Deserialize)]
pub struct Outcome {
    pub id: String,
    pub state: String,
    pub tasks: Vec<Ended>,
    pub warnings: Vec<String>,
}

/// How a task ended.
#[derive(Serialize, Deserialize)]
pub struct Ended {
    pub id: String,
    pub idx: u64,
    pub title: String,
    pub state: String,
    pub reason: Option<String>,
    pub output: String,
}

/// Why there was no result.
#[derive(Deserialize)]
pub struct Refusal {
    code: String,
    message: String,
    hint: String,
}

/// A running engine. It ends the run when this is dropped.
pub struct Engine {
    child: Child,
    input: Arc<Mutex<ChildStdin>>,
    output: BufReader<ChildStdout>,
    last_words: Option<JoinHandle<String>>,
}

impl Engine {
    /// Starts an engine, has it carry out one order, and gives its result.
    pub fn ask<T: DeserializeOwned>(part: &str, order: &impl Serialize) -> Result<T, Failure> {
        let mut engine = Engine::start(part, order)?;
        loop {
            match engine.next()?.1 {
                Message::Event(_) => {}
                Message::Result { result } => return Ok(result),
                Message::Error { error } => return Err(error.into()),
            }
        }
    }

    /// Starts an engine with an order for a part of it.
    pub fn start(part: &str, order: &impl Serialize) -> Result<Self, Failure> {
        let app = find()?;
        for program in ["erl", "elixir"] {
            require(program)?;
        }
        let mut child = Command::new("elixir")
            .args(["--erl", "+fnu +Bd", "-pa"])
            .arg(app.join("ebin"))
            .args(["-e", "Workbooks.Pipe.main()"])
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| missing(format!("the engine cannot be started: {error}")))?;
        let (Some(mut input), Some(output), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(missing("the engine has no pipes".to_owned()));
        };
        let order = serde_json::to_string(&Wanted { r#do: part, order }).expect("an order is plain data");
        // An engine that is gone already says why on standard error.
        let _ = writeln!(input, "{order}");
        Ok(Engine {
            child,
            input: Arc::new(Mutex::new(input)),
            output: BufReader::new(output),
            last_words: Some(thread::spawn(move || tail(stderr))),
        })
    }

    /// The next thing that the engine says, as it said it and as it is understood.
    pub fn next<T: DeserializeOwned>(&mut self) -> Result<(String, Message<T>), Failure> {
        loop {
            let mut line = String::new();
            match self.output.read_line(&mut line) {
                Ok(0) | Err(_) => return Err(self.gone()),
                // Whatever else is printed in there is no part of the conversation.
                Ok(_) => {
                    if let Ok(message) = serde_json::from_str(&line) {
                        return Ok((line.trim_end().to_owned(), message));
                    }
                }
            }
        }
    }

    /// Hands on what is said on our standard input about tasks that wait.
    pub fn hand_on_reports(&self) {
        let input = self.input.clone();
        thread::spawn(move || {
            for line in io::stdin().lock().lines().map_while(Result::ok) {
                let Some(report) = report(&line) else { continue };
                let Ok(mut input) = input.lock() else { return };
                if writeln!(input, "{report}").is_err() {
                    return;
                }
            }
        });
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

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal.code.as_str() {
            "already_running" => Code::History("already_running"),
            "conflict" => Code::History("conflict"),
            "not_found" => Code::NotFound,
            "bad_option" => Code::Usage,
            "cycle" | "unknown_task" | "not_a_bundle" | "unsafe_entry" | "changed" => Code::VerificationFailed,
            _ => Code::EngineFailed,
        };
        Failure::new(code, refusal.message, refusal.hint)
    }
}

/// `done ID [words]`, `fail ID [words]`, or the report itself as JSON.
fn report(line: &str) -> Option<String> {
    if line.trim_start().starts_with('{') {
        return Some(line.to_owned());
    }
    let (verb, rest) = line.trim().split_once(char::is_whitespace)?;
    let (task, words) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
    let key = match verb {
        "done" => "ok",
        "fail" => "error",
        _ => return None,
    };
    Some(serde_json::json!({"task": task, key: words.trim()}).to_string())
}

/// The commands of the shell: those that came with the engine, and those that this user has registered.
pub fn registry() -> Result<Registry, Failure> {
    let registered = base("XDG_STATE_HOME", ".local/state").join("commands");
    Registry::open(&find()?.join("priv/wasm/commands"), &registered).map_err(|error| missing(error.to_string()))
}

/// Where the built application is, with what came with it.
pub fn app() -> Result<PathBuf, Failure> {
    find()
}

/// This user's directory of a kind, as the freedesktop rules have it.
pub fn base(variable: &str, below_home: &str) -> PathBuf {
    let given = env::var_os(variable).map(PathBuf::from).filter(|dir| dir.is_absolute());
    let home = || PathBuf::from(env::var_os("HOME").unwrap_or("/".into())).join(below_home);
    given.unwrap_or_else(home).join("workbooks")
}

/// The directory of the built application.
fn find() -> Result<PathBuf, Failure> {
    let named = env::var_os("WORKBOOKS_HOME").filter(|home| !home.is_empty());
    let homes: Vec<PathBuf> = match named {
        Some(home) => vec![home.into()],
        None => near(&env::current_exe().unwrap_or_default()),
    };
    let built = |home: &PathBuf| {
        ["_build/prod/lib/workbooks", "_build/dev/lib/workbooks", "lib/workbooks"]
            .map(|place| home.join(place))
            .into_iter()
            .find(|app| app.join("ebin/workbooks.app").is_file())
    };
    homes.iter().find_map(built).ok_or_else(|| {
        let places: Vec<String> = homes.iter().map(|home| home.display().to_string()).collect();
        missing(format!("there is no built engine in {}", places.join(", ")))
    })
}

/// Where an engine may lie that came with this program.
fn near(program: &Path) -> Vec<PathBuf> {
    let program = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    let above = program.ancestors().skip(2).take(2);
    above
        .flat_map(|dir| [dir.to_owned(), dir.join("lib/workbooks")])
        .collect()
}

fn require(program: &str) -> Result<(), Failure> {
    let path = env::var_os("PATH").unwrap_or_default();
    match env::split_paths(&path).any(|dir| dir.join(program).is_file()) {
        true => Ok(()),
        false => Err(Failure::new(
            Code::EngineMissing,
            format!("`{program}` is not on the PATH, and the engine needs the Erlang VM with Elixir"),
            "install them, on Debian with: apt-get install elixir",
        )),
    }
}

fn missing(what: String) -> Failure {
    Failure::new(
        Code::EngineMissing,
        what,
        "run `make build` in the source tree, or set WORKBOOKS_HOME to where the engine is",
    )
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
    fn a_report_is_a_word_a_task_and_what_there_is_to_say() {
        for (line, expected) in [
            ("done a", Some(r#"{"ok":"","task":"a"}"#)),
            (" done  a  three pages ", Some(r#"{"ok":"three pages","task":"a"}"#)),
            ("fail a no \"time\"", Some(r#"{"error":"no \"time\"","task":"a"}"#)),
            (r#"{"task":"a","ok":"x"}"#, Some(r#"{"task":"a","ok":"x"}"#)),
            ("done", None),
            ("what is this", None),
            ("", None),
        ] {
            assert_eq!(report(line).as_deref(), expected, "{line:?}");
        }
    }

    #[test]
    fn an_engine_lies_above_the_program_or_in_the_lib_of_its_prefix() {
        let near = near(Path::new("/no/such/prefix/bin/wbx"));
        assert_eq!(near[0], Path::new("/no/such/prefix"));
        assert_eq!(near[1], Path::new("/no/such/prefix/lib/workbooks"));
        assert_eq!(near[2], Path::new("/no/such"));
    }

    #[test]
    fn the_end_of_a_long_stream_is_kept() {
        let long = "x".repeat(LAST_WORDS * 5) + "end";
        let kept = tail(long.as_bytes());
        assert_eq!(kept.len(), LAST_WORDS);
        assert!(kept.ends_with("xend"));
    }
}
