//! Requests per second: `plan.validate` of the worked example over keep-alive connections, beside a bare axum echo.
//!
//!     cargo build --release --workspace --examples
//!     target/release/examples/http_bench
//!
//! Prints one line a figure, `name<TAB>value<TAB>unit`. The two alternate, because a machine's speed drifts; the best
//! rounds are compared.

use access::Local;
use axum::routing::post;
use operations::{Context, EngineParts, NoEngine};
use server::{Config, Gate, Limits, Listen, Server, Share};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Instant;

const PLAN: &str = "* Broken workflow :workflow:\n** Summarize :component:\n#+begin_src js :in events:list :out summary:string\nexport default (e) => e;\n#+end_src\n** Orphan task :component:\n";
const CLIENTS: usize = 8;
const REQUESTS: usize = 2_000;
const ROUNDS: usize = 5;

fn main() {
    let engine = Arc::new(engine::Engine::new(engine::Places::of_process()));
    let parts = Arc::new(EngineParts {
        engine,
        toolkits_root: None,
        toolkits_dir: None,
        execute: false,
        posix: false,
    });
    let contexts = Arc::new(move || Context::new(parts.clone(), Arc::new(NoEngine), "."));
    let (local, token) = Local::new().expect("random bytes");
    let config = Config {
        limits: Limits {
            calls: Share::new(64, 64),
            ..Limits::default()
        },
        ..Config::new(contexts, Gate::new(Some(local), None))
    };
    let server = Server::start(config, Some(Listen::on(0))).expect("a port");
    let port = server.address().expect("it listens").port();
    let echo = echo();
    let body = serde_json::json!({ "org": PLAN }).to_string();
    let (mut ours, mut theirs) = (0.0f64, 0.0f64);
    for _ in 0..ROUNDS {
        theirs = theirs.max(rate(echo, "/echo", "", &body));
        ours = ours.max(rate(port, "/api/plan.validate", &token, &body));
    }
    println!("bare axum echo, {CLIENTS} keep-alive clients\t{theirs:.0}\trequests/s");
    println!("plan.validate over HTTP, the same clients\t{ours:.0}\trequests/s");
    println!(
        "plan.validate against the echo (goal: at least 0.5)\t{:.2}\tratio",
        ours / theirs
    );
}

/// A server that does nothing but HTTP, with as many threads.
fn echo() -> u16 {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("threads");
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .expect("a port");
    let port = listener.local_addr().expect("it listens").port();
    std::thread::spawn(move || {
        let router = axum::Router::new().route("/echo", post(|body: String| async { body }));
        runtime.block_on(async { axum::serve(listener, router).await })
    });
    port
}

fn rate(port: u16, path: &str, token: &str, body: &str) -> f64 {
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let started = Instant::now();
    std::thread::scope(|threads| {
        for _ in 0..CLIENTS {
            threads.spawn(|| client(port, &request));
        }
    });
    (CLIENTS * REQUESTS) as f64 / started.elapsed().as_secs_f64()
}

fn client(port: u16, request: &str) {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    stream.set_nodelay(true).expect("a socket");
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    let mut body = Vec::new();
    for _ in 0..REQUESTS {
        stream.get_mut().write_all(request.as_bytes()).expect("it reads");
        let mut length = 0;
        loop {
            line.clear();
            stream.read_line(&mut line).expect("it answers");
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a number");
            }
            if line == "\r\n" {
                break;
            }
        }
        body.resize(length, 0);
        stream.read_exact(&mut body).expect("a body");
    }
}
