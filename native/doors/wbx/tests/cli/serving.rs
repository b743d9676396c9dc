//! An engine in the background: started once, found, stopped, and mourned when it was killed.

use crate::{
    program::{Ended, Folder, run},
    runs::engine_home,
};
use engine::runtime_file;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Command, Stdio},
};

/// A user with directories of their own.
struct User(Folder);

impl User {
    fn new() -> Self {
        User(Folder::with(&[]))
    }

    fn command(&self, args: &[&str]) -> Command {
        let home = self.0.path();
        let mut command = self.0.wbx(args);
        command
            .arg("--json")
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_STATE_HOME", home.join("state"))
            .env("WORKBOOKS_HOME", engine_home());
        command
    }

    fn wbx(&self, args: &[&str]) -> Ended {
        run(&mut self.command(args))
    }

    fn runtime(&self) -> PathBuf {
        self.0.path().join("state/workbooks/runtime.json")
    }
}

impl Drop for User {
    fn drop(&mut self) {
        self.wbx(&["deploy", "stop"]);
    }
}

fn answer(ended: &Ended) -> Value {
    serde_json::from_str(ended.stdout.trim_end()).unwrap_or_else(|_| panic!("{ended:?}"))
}

fn ask(url: &str, token: &str, operation: &str) -> String {
    let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    let head = format!("POST /api/{operation} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n");
    stream
        .write_all(format!("{head}content-length: 0\r\nconnection: close\r\n\r\n").as_bytes())
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn an_engine_is_started_once_found_and_stopped() {
    let user = User::new();
    for verb in ["status", "stop"] {
        let ended = user.wbx(&["deploy", verb]);
        let error = &answer(&ended)["error"];
        assert_eq!((ended.exit, &error["code"]), (3, &json!("engine_missing")), "{ended:?}");
        assert_eq!(error["hint"], "start one with wbx deploy local or set WB_ENGINE_URL");
    }

    let ended = user.wbx(&["deploy", "local"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    let engine = answer(&ended)["data"].clone();
    assert_eq!(engine["already"], false);
    let runtime = runtime_file::read(&user.runtime()).unwrap().unwrap();
    assert_eq!(
        (&json!(runtime.url), &json!(runtime.pid)),
        (&engine["url"], &engine["pid"])
    );

    let runs = ask(&runtime.url, &runtime.token, "run.list");
    assert!(runs.starts_with("HTTP/1.1 200") && runs.ends_with("[]"), "{runs}");
    assert!(ask(&runtime.url, "guess", "run.list").starts_with("HTTP/1.1 401"));

    let made = answer(&user.wbx(&["token", "create", "reader"]))["data"].clone();
    let token = made["token"].as_str().unwrap();
    assert!(
        ask(&runtime.url, token, "run.list").starts_with("HTTP/1.1 200"),
        "a running engine notices"
    );
    assert!(ask(&runtime.url, token, "token.list").starts_with("HTTP/1.1 403"));
    assert_eq!(user.wbx(&["token", "revoke", made["id"].as_str().unwrap()]).exit, 0);
    assert!(ask(&runtime.url, token, "run.list").starts_with("HTTP/1.1 401"));

    let again = answer(&user.wbx(&["deploy", "local"]))["data"].clone();
    assert_eq!((&again["already"], &again["pid"]), (&json!(true), &engine["pid"]));
    assert_eq!(user.wbx(&["serve"]).exit, 6);
    assert_eq!(answer(&user.wbx(&["deploy", "status"]))["data"]["pid"], engine["pid"]);

    let ended = user.wbx(&["deploy", "stop"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert!(!runtime.is_alive() && !user.runtime().exists());
    assert!(TcpStream::connect(runtime.url.strip_prefix("http://").unwrap()).is_err());
}

#[test]
fn what_a_killed_engine_left_is_removed_with_a_word() {
    let user = User::new();
    assert_eq!(user.wbx(&["deploy", "local"]).exit, 0);
    let runtime = runtime_file::read(&user.runtime()).unwrap().unwrap();
    let killed = Command::new("kill").args(["-9", &runtime.pid.to_string()]).status();
    assert!(killed.unwrap().success());
    while runtime.is_alive() {
        std::thread::yield_now();
    }
    assert!(user.runtime().exists());
    let ended = user.wbx(&["deploy", "status"]);
    assert_eq!(ended.exit, 3, "{ended:?}");
    assert!(ended.stderr.contains("is gone without a word"), "{ended:?}");
    assert!(!user.runtime().exists());
    assert_eq!(user.wbx(&["deploy", "local"]).exit, 0, "another can start");
}

#[test]
fn an_address_file_that_is_none_is_an_error_that_says_so() {
    let user = User::new();
    for (text, reason) in [("{}", "damaged"), ("{\"format\":9}", "another version")] {
        std::fs::create_dir_all(user.runtime().parent().unwrap()).unwrap();
        let fresh = runtime_file::Runtime::new("http://127.0.0.1:1", "t", 1);
        runtime_file::write(&user.runtime(), &fresh).unwrap();
        std::fs::write(user.runtime(), text).unwrap();
        let ended = user.wbx(&["deploy", "status"]);
        let error = answer(&ended)["error"].clone();
        assert_eq!((ended.exit, &error["code"]), (3, &json!("engine_missing")));
        assert!(error["message"].as_str().unwrap().contains(reason), "{error}");
    }
    std::fs::remove_file(user.runtime()).unwrap();
}

#[test]
fn an_engine_in_the_foreground_follows_the_wbx_that_started_it() {
    let user = User::new();
    let mut wbx = user.command(&["serve"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    let mut stderr = BufReader::new(wbx.stderr.take().unwrap());
    while !said.contains("listening at") {
        said.clear();
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "it ended");
    }
    let runtime = runtime_file::read(&user.runtime()).unwrap().unwrap();
    assert!(said.contains(&runtime.url), "{said}");
    wbx.kill().unwrap();
    wbx.wait().unwrap();
    while runtime.is_alive() {
        std::thread::yield_now();
    }
    assert!(!user.runtime().exists(), "it stopped in good order");
}

#[test]
fn an_engine_that_may_not_start_says_why() {
    let user = User::new();
    let ended = user.wbx(&["serve", "--detach", "--bind", "0.0.0.0"]);
    let error = answer(&ended)["error"].clone();
    assert_eq!((ended.exit, &error["code"]), (2, &json!("bad_option")), "{ended:?}");
    assert!(error["hint"].as_str().unwrap().contains("tls"), "{error}");
    let _owner = engine::Owner::take(&user.0.path().join("data/workbooks")).unwrap();
    let ended = user.wbx(&["deploy", "local"]);
    assert_eq!(
        (ended.exit, &answer(&ended)["error"]["code"]),
        (6, &json!("data_in_use")),
        "{ended:?}"
    );
    assert!(!user.runtime().exists());
}
