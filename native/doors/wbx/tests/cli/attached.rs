//! An engine that runs already: wbx finds it, asks it, and says what is wrong when it cannot.

use crate::{
    program::{Ended, Folder, run},
    runs::engine_home,
    terminal::watch,
};
use engine::{Engine, Environment, Place, Places, runtime_file, runtime_file::Runtime};
use operations::{Context, EngineParts, NoEngine};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::Command,
    sync::{Arc, Mutex},
    thread,
};

const TOKEN: &str = "open-sesame";
const NO_ENGINE: &str = "no engine reachable — start one with wbx deploy local or set WB_ENGINE_URL";

/// A server that speaks as the engine's does: operations of Rust are answered by the table itself, a run as a script.
struct Server {
    url: String,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
    home: Folder,
}

impl Server {
    fn start(version: &'static str) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let home = Folder::with(&[]);
        let state = home.path().join("state");
        let heard = asked.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (heard, state) = (heard.clone(), state.clone());
                thread::spawn(move || serve(stream.unwrap(), version, &heard, &state));
            }
        });
        Server { url, asked, home }
    }

    fn asked(&self) -> Vec<(String, Value)> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, version: &str, asked: &Mutex<Vec<(String, Value)>>, state: &std::path::Path) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        let (mut length, mut token) = (0, String::new());
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                break;
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().unwrap(),
                "authorization" => token = value.to_owned(),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let path = first.split(' ').nth(1).unwrap();
        if path == "/health" {
            answer(&mut stream, 200, &json!({"status": "ok", "version": version}));
            continue;
        }
        if token != format!("Bearer {TOKEN}") {
            let error = json!({"code": "unauthenticated", "message": "the token is not known here", "hint": ""});
            answer(&mut stream, 401, &json!({ "error": error }));
            continue;
        }
        let operation = path.strip_prefix("/api/").unwrap();
        let params: Value = serde_json::from_slice(&body).unwrap();
        asked.lock().unwrap().push((operation.to_owned(), params.clone()));
        if operation == "run.start" {
            return tell(&mut stream, &params);
        }
        match operations::answer(&context(state), operation, params) {
            Ok(value) => answer(&mut stream, 200, &value),
            Err(failure) => answer(&mut stream, 422, &json!({ "error": failure })),
        }
    }
}

fn answer(stream: &mut TcpStream, status: u16, value: &Value) {
    let body = value.to_string();
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).unwrap();
}

fn tell(stream: &mut TcpStream, params: &Value) {
    let task = json!({"id": "one", "idx": 0, "title": "One", "kind": "leaf", "level": 1, "line": 1, "keyword": "DONE",
        "cookies": [], "state": "done", "reason": null, "output": "", "how": "worker"});
    let mut finished = task.clone();
    for (key, value) in [
        ("event", json!("task_finished")),
        ("run", json!("r1")),
        ("seq", json!(2)),
        ("ts", json!(0)),
        ("changed", json!([{"id": "one", "keyword": "DONE", "cookies": []}])),
        ("warnings", json!([])),
    ] {
        finished[key] = value;
    }
    let outcome = json!({"id": "r1", "state": "done", "tasks": [task], "amendments": [], "warnings": [params["plan"]]});
    let text = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n: still here\n\n\
         id: s.1\nevent: event\ndata: {finished}\n\nevent: answer\ndata: {outcome}\n\n"
    );
    stream.write_all(text.as_bytes()).unwrap();
}

fn context(state: &std::path::Path) -> Context {
    let home = engine_home();
    let environment = Environment::from([
        ("HOME", state.to_str().unwrap()),
        ("WORKBOOKS_HOME", home.to_str().unwrap()),
    ]);
    let parts = EngineParts {
        engine: Arc::new(Engine::new(
            Places::new(environment).give(Place::Toolkits, state.join("toolkits")),
        )),
        toolkits_root: None,
        toolkits_dir: None,
        execute: false,
        posix: false,
    };
    Context::new(Arc::new(parts), Arc::new(NoEngine), state)
}

const MANIFEST: &str = "\
#+TITLE: Demo
#+TOOLKIT: demo
#+VERSION: 1.0.0
#+STATUS: experimental
#+TAGLINE: When it is needed
#+EXEC: task
* Demo :toolkit:
:PROPERTIES:
:ID: demo
:STATUS: experimental
:END:
";

const SKILL: &str = "#+TITLE: Overview\n* Shout\n#+begin_src sh :role task\necho HI\n#+end_src\n";

fn work() -> Folder {
    Folder::with(&[
        ("one.org", "* TODO One\n"),
        ("demo/manifest.org", MANIFEST),
        ("demo/skills/overview.org", SKILL),
        ("demo/scripts/hi.sh", "#!/bin/sh\necho hi\n"),
    ])
}

fn wbx(work: &Folder, args: &[&str]) -> Command {
    let mut command = work.wbx(args);
    command
        .env("XDG_STATE_HOME", work.path().join("state"))
        .env("WORKBOOKS_HOME", engine_home())
        .env_remove("WB_ENGINE_TOKEN")
        .env_remove("WB_TOOLKITS_ROOT");
    command
}

fn named(work: &Folder, server: &Server, args: &[&str]) -> Command {
    let mut command = wbx(work, args);
    command.env("WB_ENGINE_URL", &server.url).env("WB_ENGINE_TOKEN", TOKEN);
    command
}

fn error(ended: &Ended) -> Value {
    let envelope: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    envelope["error"].clone()
}

#[test]
fn a_run_goes_to_the_engine_that_is_named_with_its_paths_from_the_root() {
    let (server, work) = (Server::start(env!("CARGO_PKG_VERSION")), work());
    let ended = run(&mut named(&work, &server, &["run", "one.org", "--follow"]));
    assert_eq!(ended.exit, 0, "{ended:?}");
    let lines: Vec<Value> = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&lines[0]["event"], &lines[0]["seq"]),
        (&"task_finished".into(), &2.into())
    );
    assert_eq!((&lines[1]["state"], &lines[1]["id"]), (&"done".into(), &"r1".into()));
    let asked = server.asked();
    let plan = work.path().join("one.org");
    assert_eq!(
        (asked[0].0.as_str(), asked[0].1["plan"].as_str()),
        ("run.start", plan.to_str())
    );
}

#[test]
fn the_engine_that_runs_here_is_found_by_its_file() {
    let (server, work) = (Server::start(env!("CARGO_PKG_VERSION")), work());
    let file = work.path().join("state/workbooks/runtime.json");
    runtime_file::write(&file, &Runtime::new(&server.url, TOKEN, std::process::id())).unwrap();
    let ended = run(&mut wbx(&work, &["run", "one.org"]));
    assert_eq!((ended.exit, server.asked().len()), (0, 1), "{ended:?}");
}

#[test]
fn an_engine_that_was_named_and_cannot_be_asked_is_an_error_that_says_why() {
    let server = Server::start(env!("CARGO_PKG_VERSION"));
    let other = Server::start("99.0.0");
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let gone = format!("http://{gone}");
    let work = work();
    type Case<'a> = (&'a str, &'a str, Option<&'a str>, i32, &'a str, &'a str);
    let cases: [Case; 4] = [
        (
            "nobody listens",
            &gone,
            Some(TOKEN),
            3,
            "engine_missing",
            "does not answer",
        ),
        (
            "another version",
            &other.url,
            Some(TOKEN),
            3,
            "engine_missing",
            "is version 99.0.0",
        ),
        (
            "a wrong token",
            &server.url,
            Some("guess"),
            7,
            "unauthenticated",
            "token",
        ),
        ("no token", &server.url, None, 7, "unauthenticated", "token"),
    ];
    for (name, url, token, exit, code, words) in cases {
        let mut command = wbx(&work, &["run", "one.org", "--json"]);
        command.env("WB_ENGINE_URL", url);
        token.map(|token| command.env("WB_ENGINE_TOKEN", token));
        let ended = run(&mut command);
        let error = error(&ended);
        assert_eq!(
            (ended.exit, error["code"].as_str()),
            (exit, Some(code)),
            "{name}: {ended:?}"
        );
        assert!(error["message"].as_str().unwrap().contains(words), "{name}: {error}");
        if name == "nobody listens" {
            assert_eq!(error["hint"], NO_ENGINE);
        }
    }
}

#[test]
fn a_file_of_an_engine_that_is_gone_is_told_and_not_passed_over() {
    let work = work();
    let file = work.path().join("state/workbooks/runtime.json");
    let mut child = Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    runtime_file::write(&file, &Runtime::new("http://127.0.0.1:1", TOKEN, child.id())).unwrap();
    let ended = run(&mut wbx(&work, &["run", "one.org", "--json"]));
    let told = error(&ended);
    assert_eq!((ended.exit, &told["hint"]), (3, &NO_ENGINE.into()), "{ended:?}");
    assert!(told["message"].as_str().unwrap().contains("is gone"), "{told}");
    std::fs::write(&file, "{}").unwrap();
    let ended = run(&mut wbx(&work, &["run", "one.org", "--json"]));
    assert_eq!(ended.exit, 3, "{ended:?}");
    assert!(
        error(&ended)["message"].as_str().unwrap().contains("damaged"),
        "{ended:?}"
    );
}

#[test]
fn a_toolkit_is_pushed_built_and_verified_on_the_engine() {
    let (server, work) = (Server::start(env!("CARGO_PKG_VERSION")), work());
    let before = std::fs::read(work.path().join("demo/manifest.org")).unwrap();
    let ended = run(&mut named(&work, &server, &["toolkit", "push", "demo", "demo"]));
    assert_eq!(
        (ended.exit, ended.stdout.as_str()),
        (0, "pushed demo, 4 files\n"),
        "{ended:?}"
    );
    assert_eq!(std::fs::read(work.path().join("demo/manifest.org")).unwrap(), before);
    let pushed = server.home.path().join("state/toolkits/pushed/demo");
    assert_eq!(
        std::fs::read_to_string(pushed.join("skills/overview.org")).unwrap(),
        SKILL
    );
    let again = run(&mut named(&work, &server, &["toolkit", "push", "demo", "demo"]));
    assert_eq!(again.exit, 0, "{again:?}");
    let [first, second] = &server.asked()[..] else { panic!() };
    assert_eq!(first, second, "the same files and the same key make the same archive");
    let verified = run(&mut named(&work, &server, &["toolkit", "verify", "demo", "--json"]));
    assert_eq!(verified.exit, 0, "{verified:?}");
    assert!(verified.stdout.contains("third-party"), "{verified:?}");
}

#[test]
fn an_audit_that_fixes_pushes_builds_and_verifies() {
    let (server, work) = (Server::start(env!("CARGO_PKG_VERSION")), work());
    let ended = run(&mut named(
        &work,
        &server,
        &["toolkit", "audit", "demo", "--fix", "--json"],
    ));
    assert_eq!(ended.exit, 0, "{ended:?}");
    let envelope: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        envelope["data"]["fix"],
        json!({"pushed": true, "built": true, "verified": true})
    );
    assert_eq!(envelope["data"]["audit"]["summary"]["ready"], 1);
    let seen = watch(named(&work, &server, &["toolkit", "audit", "demo", "--fix"]).env("NO_COLOR", "1"));
    assert!(
        seen.stdout.contains("fix: pushed demo → built → verified\n"),
        "{seen:?}"
    );

    std::fs::remove_file(work.path().join("demo/skills/overview.org")).unwrap();
    let ended = run(&mut named(
        &work,
        &server,
        &["toolkit", "audit", "demo", "--fix", "--json"],
    ));
    assert_eq!(ended.exit, 5, "{ended:?}");
    let envelope: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        envelope["data"]["fix"],
        json!({"pushed": true, "built": true, "verified": false})
    );

    let ended = run(&mut wbx(&work, &["toolkit", "audit", "demo", "--fix", "--json"]));
    assert_eq!(
        (ended.exit, &error(&ended)["hint"]),
        (3, &NO_ENGINE.into()),
        "{ended:?}"
    );
}
