//! A server with an engine that is told what to do, and a client that can misbehave.
#![allow(dead_code, reason = "each test binary uses its own part")]

use access::{Local, Store};
use failure::Failure;
use futures_util::future::BoxFuture;
use operations::{Asked, Context, EngineParts, Live};
use serde_json::Value;
use server::{Config, Gate, Limits, Listen, Server};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What a live operation does in a test.
type Script = Arc<dyn Fn(Asked) -> BoxFuture<'static, Result<Value, Failure>> + Send + Sync>;

/// An engine that does what a test says, and counts what is under way.
pub struct Scripted {
    script: Script,
    under_way: Arc<AtomicUsize>,
}

struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Live for Scripted {
    fn ask(&self, asked: Asked) -> BoxFuture<'static, Result<Value, Failure>> {
        self.under_way.fetch_add(1, SeqCst);
        let counted = Counted(self.under_way.clone());
        let answer = (self.script)(asked);
        Box::pin(async move {
            let answer = answer.await;
            drop(counted);
            answer
        })
    }
}

/// A running server.
pub struct Stage {
    pub server: Option<Server>,
    pub token: String,
    pub store: Store,
    pub under_way: Arc<AtomicUsize>,
    pub dir: TempDir,
    pub contexts: server::Contexts,
}

/// What a test changes.
pub struct Plan {
    pub limits: Limits,
    pub listen: Listen,
    pub script: Script,
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            limits: Limits::default(),
            listen: Listen::on(0),
            script: Arc::new(|asked| operations::NoEngine.ask(asked)),
        }
    }
}

/// A live operation that says `n` events and then waits for ever.
pub fn says_and_waits(n: usize) -> Script {
    Arc::new(move |asked: Asked| {
        Box::pin(async move {
            for _ in 0..n {
                (asked.events)(serde_json::json!({"event": "task_output"}));
                tokio::task::yield_now().await;
            }
            std::future::pending().await
        })
    })
}

/// A live operation that says `n` events and is then refused.
pub fn says_and_ends(n: usize) -> Script {
    Arc::new(move |asked: Asked| {
        Box::pin(async move {
            for _ in 0..n {
                (asked.events)(serde_json::json!({"event": "task_output"}));
                tokio::task::yield_now().await;
            }
            Err(Failure::new(failure::codes::NOT_FOUND, "that was all", "go home"))
        })
    })
}

impl Stage {
    pub fn new(plan: Plan) -> Stage {
        let dir = tempfile::tempdir().unwrap();
        let environment = engine::Environment::from([("HOME", dir.path())]);
        let parts = Arc::new(EngineParts {
            engine: Arc::new(engine::Engine::new(engine::Places::new(environment))),
            toolkits_root: None,
            toolkits_dir: None,
            execute: false,
            posix: false,
        });
        let under_way = Arc::new(AtomicUsize::new(0));
        let live = Arc::new(Scripted {
            script: plan.script,
            under_way: under_way.clone(),
        });
        let here = dir.path().join("work");
        std::fs::create_dir(&here).unwrap();
        let contexts: server::Contexts = Arc::new(move || Context::new(parts.clone(), live.clone(), here.clone()));
        let (local, token) = Local::new().unwrap();
        let store = Store::at(dir.path().join(".local/state/workbooks/tokens.json"));
        let config = Config {
            limits: plan.limits,
            ..Config::new(contexts.clone(), Gate::new(Some(local), Some(store.clone())))
        };
        let server = Server::start(config, Some(plan.listen)).unwrap();
        Stage {
            server: Some(server),
            token,
            store,
            under_way,
            dir,
            contexts,
        }
    }

    pub fn port(&self) -> u16 {
        self.server.as_ref().unwrap().address().unwrap().port()
    }

    pub fn connect(&self) -> Client {
        Client::new(self.port())
    }

    /// One request on a connection of its own, with the engine's token.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> Response {
        self.ask_as(&self.token, method, path, body)
    }

    pub fn ask_as(&self, token: &str, method: &str, path: &str, body: &str) -> Response {
        let mut client = self.connect();
        client.request(
            method,
            path,
            &[("authorization", &format!("Bearer {token}"))],
            body.as_bytes(),
        );
        client.response()
    }

    pub fn post(&self, operation: &str, params: &Value) -> Response {
        self.ask("POST", &format!("/api/{operation}"), &params.to_string())
    }

    pub fn here(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    /// Waits until nothing is under way in the engine.
    pub fn quiet(&self) {
        eventually("the engine is quiet", || self.under_way.load(SeqCst) == 0);
    }

    pub fn is_well(&self) {
        assert_eq!(self.ask("GET", "/health", "").status, 200);
    }
}

/// Looks until it is so.
pub fn eventually(what: &str, mut is: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::yield_now();
    }
}

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(one, _)| one == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// A client of one connection.
pub struct Client {
    pub stream: BufReader<TcpStream>,
}

impl Client {
    pub fn new(port: u16) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Client {
            stream: BufReader::new(stream),
        }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    pub fn request(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n");
        if !body.is_empty() {
            head += &format!("content-length: {}\r\n", body.len());
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += "\r\n";
        let mut all = head.into_bytes();
        all.extend_from_slice(body);
        self.send(&all);
    }

    pub fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        match self.stream.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(String::from_utf8_lossy(&line).trim_end().to_owned()),
        }
    }

    /// The head of a response; `None` when the connection is closed.
    pub fn head(&mut self) -> Option<(u16, Vec<(String, String)>)> {
        let status = self.line()?;
        let status = status.split(' ').nth(1)?.parse().ok()?;
        let mut headers = vec![];
        loop {
            let line = self.line()?;
            match line.split_once(": ") {
                Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.to_owned())),
                None => return Some((status, headers)),
            }
        }
    }

    pub fn response(&mut self) -> Response {
        self.try_response().expect("a response")
    }

    pub fn try_response(&mut self) -> Option<Response> {
        let (status, headers) = self.head()?;
        let mut response = Response {
            status,
            headers,
            body: vec![],
        };
        if let Some(length) = response.header("content-length") {
            response.body = vec![0; length.parse().unwrap()];
            self.stream.read_exact(&mut response.body).ok()?;
        } else if response.header("transfer-encoding").is_some() {
            while let Some(chunk) = self.chunk() {
                response.body.extend(chunk);
            }
        }
        Some(response)
    }

    /// A chunk of a body; `None` at its end.
    pub fn chunk(&mut self) -> Option<Vec<u8>> {
        let length = usize::from_str_radix(&self.line()?, 16).ok()?;
        let mut chunk = vec![0; length + 2];
        self.stream.read_exact(&mut chunk).ok()?;
        chunk.truncate(length);
        (length > 0).then_some(chunk)
    }

    /// The next event of a stream: id, kind, data.
    pub fn event(&mut self) -> Option<(String, String, String)> {
        loop {
            let text = String::from_utf8(self.chunk()?).unwrap();
            let field = |name: &str| {
                let line = text.lines().find_map(|line| line.strip_prefix(name));
                line.unwrap_or_default().to_owned()
            };
            if !text.starts_with(':') {
                return Some((field("id: "), field("event: "), field("data: ")));
            }
        }
    }

    /// Whether the other side has closed.
    pub fn is_closed(&mut self) -> bool {
        let mut byte = [0];
        !matches!(self.stream.read(&mut byte), Ok(1))
    }
}

/// A conversation on a WebSocket, by hand: RFC 6455 without its fine points.
pub struct Socket {
    pub client: Client,
}

impl Socket {
    pub fn open(stage: &Stage, path: &str) -> Socket {
        let mut client = stage.connect();
        let bearer = format!("Bearer {}", stage.token);
        client.request("GET", path, &upgrade(&bearer), b"");
        let (status, _) = client.head().unwrap();
        assert_eq!(status, 101);
        Socket { client }
    }

    pub fn say(&mut self, text: &str) {
        self.frame(0x81, text.as_bytes());
    }

    pub fn frame(&mut self, kind: u8, payload: &[u8]) {
        let bytes = framed(kind, payload);
        self.client.send(&bytes);
    }

    /// The next frame that is no ping: kind and payload.
    pub fn next(&mut self) -> Option<(u8, Vec<u8>)> {
        loop {
            let mut head = [0; 2];
            self.client.stream.read_exact(&mut head).ok()?;
            let length = match head[1] & 0x7f {
                126 => {
                    let mut more = [0; 2];
                    self.client.stream.read_exact(&mut more).ok()?;
                    u16::from_be_bytes(more) as usize
                }
                127 => {
                    let mut more = [0; 8];
                    self.client.stream.read_exact(&mut more).ok()?;
                    u64::from_be_bytes(more) as usize
                }
                n => n as usize,
            };
            let mut payload = vec![0; length];
            self.client.stream.read_exact(&mut payload).ok()?;
            match head[0] & 0x0f {
                9 => self.frame(0x8a, &payload),
                kind => return Some((kind, payload)),
            }
        }
    }

    pub fn json(&mut self) -> Value {
        let (kind, payload) = self.next().expect("a frame");
        assert_eq!(kind, 1, "{:?}", String::from_utf8_lossy(&payload));
        serde_json::from_slice(&payload).unwrap()
    }

    /// Code and reason of the close.
    pub fn close(&mut self) -> Option<(u16, String)> {
        loop {
            let (kind, payload) = self.next()?;
            if kind == 8 && payload.len() >= 2 {
                let code = u16::from_be_bytes([payload[0], payload[1]]);
                return Some((code, String::from_utf8_lossy(&payload[2..]).into_owned()));
            }
        }
    }
}

pub fn framed(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind];
    match payload.len() {
        n @ 0..=125 => bytes.push(0x80 | n as u8),
        n @ 126..=65_535 => {
            bytes.push(0x80 | 126);
            bytes.extend((n as u16).to_be_bytes());
        }
        n => {
            bytes.push(0x80 | 127);
            bytes.extend((n as u64).to_be_bytes());
        }
    }
    bytes.extend([0; 4]);
    bytes.extend(payload);
    bytes
}

pub fn upgrade(bearer: &str) -> [(&str, &str); 5] {
    [
        ("authorization", bearer),
        ("connection", "Upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]
}
