//! Who answers what is live to a server of ours: the engine that runs already, or one that is started when it is first
//! needed, and kept: a BEAM of our own that is asked many things at once, in frames that are told apart by their ids.
//!
//! [`engine`](crate::engine) is for one call; this is for a server.

mod attached;

use crate::{engine, root};
use failure::Failure;
use futures_util::future::BoxFuture;
use operations::{Asked, Frame, Live, Message, Reply, code, door};
use serde_json::{Value, json};
use std::{
    collections::{HashMap, HashSet},
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// The engine that is meant. One that is named and does not answer is a failure.
pub fn engine() -> Result<Arc<dyn Live>, crate::failure::Failure> {
    Ok(match engine::attach::find()? {
        Some(client) => Arc::new(attached::Attached(client)),
        None => Arc::new(PrivateEngine::default()),
    })
}

/// The engine, or none yet. One that ended is started again by the next question.
#[derive(Default)]
struct PrivateEngine {
    line: Mutex<Option<Arc<Line>>>,
}

/// A conversation with a BEAM.
struct Line {
    /// The end of this ends the BEAM, and cancels its runs.
    input: Mutex<ChildStdin>,
    waiting: Mutex<HashMap<u64, UnboundedSender<Message>>>,
    /// Questions that nobody waits for any more, and whose run is not known yet.
    abandoned: Mutex<HashSet<u64>>,
    next: AtomicU64,
    /// Whether the BEAM has ended: then nobody can wait.
    over: AtomicBool,
}

impl Live for PrivateEngine {
    fn ask(&self, asked: Asked) -> BoxFuture<'static, Result<Value, Failure>> {
        let line = match self.line(asked.name, &asked.params) {
            Ok(line) => line,
            Err(answer) => return Box::pin(async move { answer }),
        };
        Box::pin(async move { line.ask(asked).await })
    }
}

impl PrivateEngine {
    /// The conversation; or the answer, where there is nobody yet to ask and it is plain.
    fn line(&self, name: &str, params: &Value) -> Result<Arc<Line>, Result<Value, Failure>> {
        let mut line = self
            .line
            .lock()
            .map_err(|_| Err(Failure::internal("the engine is lost")))?;
        if let Some(line) = &*line
            && !line.is_over()
        {
            return Ok(line.clone());
        }
        match name {
            "run.list" => return Err(Ok(json!([]))),
            "run.status" | "run.report" | "run.close" | "run.cancel" => return Err(Err(unknown_run(params))),
            _ => {}
        }
        let started = Line::start().map_err(Err)?;
        *line = Some(started.clone());
        Ok(started)
    }
}

fn unknown_run(params: &Value) -> Failure {
    let run = params["run"].as_str().unwrap_or_default();
    Failure::new(
        code("unknown_run").unwrap_or(failure::codes::NOT_FOUND),
        format!("there is no run `{run}` at work"),
        "start the plan again: it goes on where it stopped",
    )
}

impl Line {
    fn start() -> Result<Arc<Line>, Failure> {
        let app = root::engine().places().application()?;
        if let Some(program) = engine::PROGRAMS
            .iter()
            .find(|program| engine::on_path(program).is_none())
        {
            return Err(unstartable(&format!("`{program}` is not on the PATH")));
        }
        let mut child = engine::conversation(&app, true)
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| unstartable(&error.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(unstartable("it has no pipes"));
        };
        let line = Arc::new(Line {
            input: Mutex::new(input),
            waiting: Mutex::default(),
            abandoned: Mutex::default(),
            next: AtomicU64::new(1),
            over: AtomicBool::new(false),
        });
        // The thread must not keep the input open, or the BEAM would never end.
        let heard = Arc::downgrade(&line);
        thread::spawn(move || listen(child, output, &heard));
        Ok(line)
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    fn say(&self, op: &str, params: Value, id: u64) -> bool {
        let op = op.to_owned();
        let frame = serde_json::to_string(&Frame { id, op, params }).unwrap_or_default();
        self.input
            .lock()
            .is_ok_and(|mut input| writeln!(input, "{frame}").is_ok())
    }

    fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::SeqCst)
    }

    async fn ask(self: Arc<Line>, asked: Asked) -> Result<Value, Failure> {
        let id = self.number();
        let (tell, mut told) = unbounded_channel();
        if let Ok(mut waiting) = self.waiting.lock() {
            waiting.insert(id, tell);
        }
        let mut question = Question {
            line: self.clone(),
            id,
            run: None,
            begins_run: matches!(asked.name, "run.start" | "run.resume"),
            answered: false,
        };
        if self.is_over() || !self.say(asked.name, asked.params, id) {
            question.answered = true;
            return Err(ended());
        }
        loop {
            match told.recv().await {
                Some(Message::Event(event)) => {
                    if let Some(run) = event["run"].as_str() {
                        question.run = Some(run.to_owned());
                    }
                    (asked.events)(event);
                }
                Some(Message::Ok(answer)) => {
                    question.answered = true;
                    return Ok(answer);
                }
                Some(Message::Error(failure)) => {
                    question.answered = true;
                    return Err(failure);
                }
                None => {
                    question.answered = true;
                    return Err(ended());
                }
            }
        }
    }

    fn hear(&self, reply: Reply) {
        let Reply { id, message } = reply;
        let abandoned = self.abandoned.lock().is_ok_and(|mut all| match &message {
            Message::Event(_) => all.contains(&id),
            _ => all.remove(&id),
        });
        if abandoned {
            if let Message::Event(event) = &message
                && let Some(run) = event["run"].as_str()
            {
                self.say("run.cancel", json!({"run": run}), self.number());
            }
            return;
        }
        let Ok(mut waiting) = self.waiting.lock() else { return };
        match (id, message) {
            // A BEAM that cannot start says so under no question's id.
            (0, Message::Error(failure)) => {
                for tell in waiting.values() {
                    let _ = tell.send(Message::Error(failure.clone()));
                }
            }
            (id, message @ Message::Event(_)) => {
                if let Some(tell) = waiting.get(&id) {
                    let _ = tell.send(message);
                }
            }
            (id, message) => {
                if let Some(tell) = waiting.remove(&id) {
                    let _ = tell.send(message);
                }
            }
        }
    }
}

fn listen(mut child: Child, output: ChildStdout, line: &std::sync::Weak<Line>) {
    for text in BufReader::new(output).lines() {
        let Ok(text) = text else { break };
        let Some(line) = line.upgrade() else { break };
        match Reply::read(&text) {
            Ok(reply) => line.hear(reply),
            Err(failure) => line.hear(Reply {
                id: 0,
                message: Message::Error(failure),
            }),
        }
    }
    if let Some(line) = line.upgrade() {
        line.over.store(true, Ordering::SeqCst);
        if let Ok(mut waiting) = line.waiting.lock() {
            waiting.clear();
        }
    }
    let _ = child.wait();
}

/// A question under way. Whoever stops waiting for a run ends it; it can be resumed.
struct Question {
    line: Arc<Line>,
    id: u64,
    run: Option<String>,
    begins_run: bool,
    answered: bool,
}

impl Drop for Question {
    fn drop(&mut self) {
        if let Ok(mut waiting) = self.line.waiting.lock() {
            waiting.remove(&self.id);
        }
        if self.answered || !self.begins_run {
            return;
        }
        match &self.run {
            Some(run) => drop(self.line.say("run.cancel", json!({"run": run}), self.line.number())),
            None => {
                if let Ok(mut abandoned) = self.line.abandoned.lock() {
                    abandoned.insert(self.id);
                }
            }
        }
    }
}

fn ended() -> Failure {
    Failure::new(
        door::ENGINE_FAILED,
        "the engine ended without an answer",
        "ask again: a run goes on where it stopped",
    )
}

fn unstartable(why: &str) -> Failure {
    let message = format!("the engine cannot be started: {why}");
    Failure::new(failure::codes::ENGINE_MISSING, message, "run `wbx doctor`")
}
