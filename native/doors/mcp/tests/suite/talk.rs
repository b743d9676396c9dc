//! A client at the other end of a pipe.

use engine::{Engine, Environment, Place, Places};
use mcp::{Directories, Grant, Scopes, Server};
use operations::{Context, EngineParts, NoEngine};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write, pipe};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use tempfile::TempDir;

pub const OLD: &str = "2025-11-25";
pub const NEW: &str = "2026-07-28";

/// Directories of a server's own: where it works, and what it keeps.
pub struct Bench {
    pub work: TempDir,
    pub state: TempDir,
    pub scopes: &'static str,
}

impl Bench {
    pub fn new(scopes: &'static str, files: &[(&str, &str)]) -> Bench {
        let work = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = work.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Bench {
            work,
            state: tempfile::tempdir().unwrap(),
            scopes,
        }
    }

    pub fn path(&self) -> PathBuf {
        self.work.path().canonicalize().unwrap()
    }

    pub fn history(&self) -> history::Home {
        history::Home::open(&self.state.path().join("history")).unwrap()
    }

    pub fn server(&self) -> Server {
        let listed: Vec<PathBuf> = match self.scopes {
            "read" => Vec::new(),
            _ => vec![self.work.path().to_owned()],
        };
        let directories = Directories::new(&listed, self.work.path()).unwrap();
        let grant = Grant::new(Scopes::read(self.scopes).unwrap(), directories);
        Server::new(contexts(self.work.path(), self.state.path()), grant)
    }

    /// A client that shook hands.
    pub fn talk(&self) -> Talk {
        let mut talk = Talk::new(self.server());
        talk.shake_hands(json!({}));
        talk
    }
}

fn contexts(here: &Path, state: &Path) -> mcp::Contexts {
    let built = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
    let home = std::env::var_os("WORKBOOKS_HOME").map_or_else(|| built.into(), PathBuf::from);
    // Compiled code is kept where every test finds it; what a server writes is its own.
    let named = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let environment: Environment = named.chain([("WORKBOOKS_HOME".to_owned(), home.into())]).collect();
    let places = Places::new(environment)
        .give(Place::History, state.join("history"))
        .give(Place::Sessions, state.join("sessions"));
    let engine = Arc::new(Engine::new(places));
    let here = here.to_owned();
    Arc::new(move || {
        let parts = EngineParts {
            engine: engine.clone(),
            toolkits_root: None,
            toolkits_dir: None,
            execute: false,
            posix: false,
        };
        Context::new(Arc::new(parts), Arc::new(NoEngine), here.clone())
    })
}

/// A conversation.
pub struct Talk {
    input: Option<PipeWriter>,
    output: BufReader<PipeReader>,
    server: Option<JoinHandle<()>>,
    next: u64,
}

impl Talk {
    pub fn new(server: Server) -> Talk {
        let (theirs, input) = pipe().unwrap();
        let (output, ours) = pipe().unwrap();
        let server = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build();
            runtime.unwrap().block_on(mcp::serve(server, theirs, ours)).unwrap();
        });
        Talk {
            input: Some(input),
            output: BufReader::new(output),
            server: Some(server),
            next: 1,
        }
    }

    pub fn shake_hands(&mut self, capabilities: Value) -> Value {
        let client = json!({"name": "a test", "version": "1"});
        let answer = self.ask(
            "initialize",
            json!({"protocolVersion": OLD, "capabilities": capabilities, "clientInfo": client}),
        );
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        answer
    }

    pub fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
    }

    /// The next message.
    pub fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"))
    }

    /// Asks, and gives the whole answer: `result` or `error`.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        loop {
            let message = self.hear();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool, and gives what it answers. Text and data say the same.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        let told = result["structuredContent"].clone();
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap_or("null")).unwrap();
        assert_eq!(text, told, "{answer}");
        assert_eq!(result["isError"], !told["error"].is_null(), "{answer}");
        told
    }

    /// The same without a handshake, as the newer revision asks.
    pub fn ask_alone(&mut self, method: &str, mut params: Value, capabilities: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientInfo": {"name": "a test", "version": "2"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        self.ask(method, params)
    }

    /// Ends the input, and waits for the server to end.
    pub fn end(mut self) -> Vec<Value> {
        self.input = None;
        let mut left = Vec::new();
        let mut line = String::new();
        while self.output.read_line(&mut line).unwrap() > 0 {
            left.push(serde_json::from_str(&line).unwrap());
            line.clear();
        }
        self.server.take().unwrap().join().unwrap();
        left
    }
}
