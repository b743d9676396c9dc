//! Two processes race for one session: one advances, and both get its answer.

mod agent;

use std::env;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use agent::{LOOP, advance, decide, open, start, step};
use session::{Answer, Code, Error};

/// The child: tries until it is let in, and prints the token it got.
#[test]
#[ignore = "runs as the child of the other tests"]
fn child() {
    let root = env::var_os("SESSION_TEST_DIR").expect("the parent names a directory");
    let token = env::var("SESSION_TEST_TOKEN").unwrap();
    let engine = open(Path::new(&root));
    println!(
        "\ngot {}",
        patiently(|| advance(&engine, &token, "mine")).unwrap().token
    );
}

/// Somebody else's turn is an error that says to try again.
fn patiently(call: impl Fn() -> Result<Answer, Error>) -> Result<Answer, Error> {
    loop {
        match call() {
            Err(error) if error.code == Code::TokenSessionLocked => {
                assert_eq!(error.retry, session::Retry::RetryableAfterMs { after_ms: 250 });
                std::thread::sleep(Duration::from_millis(1));
            }
            other => return other,
        }
    }
}

fn spawn(root: &Path, token: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env("SESSION_TEST_DIR", root)
        .env("SESSION_TEST_TOKEN", token)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn got(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let out = String::from_utf8(output.stdout).unwrap();
    out.lines()
        .find_map(|line| line.strip_prefix("got "))
        .unwrap()
        .to_owned()
}

#[test]
fn of_processes_with_one_token_one_advances_and_all_get_the_same_answer() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let mut answer = start(&engine, LOOP);
    let (session, mut segments) = (answer.session_id, 1);
    for round in 0..12 {
        let children: Vec<Child> = (0..4).map(|_| spawn(dir.path(), &answer.token)).collect();
        let tokens: Vec<String> = children.into_iter().map(got).collect();
        assert!(tokens.iter().all(|token| *token == tokens[0]), "{tokens:?}");
        segments += 1;
        assert_eq!(
            engine.store().verify(session).unwrap().segments,
            segments,
            "round {round}"
        );
        // This process sees what the others wrote.
        answer = advance(&engine, &answer.token, "mine").unwrap();
        assert_eq!(answer.token, tokens[0]);
        if step(&answer) == "decide" {
            answer = decide(&engine, &answer.token, "continue").unwrap();
            segments += 1;
        }
    }
    assert!(engine.store().verify(session).unwrap().health.is_healthy());
    // Four ran the check, and the verdict of the one that advanced is the one that is recorded.
    let nodes = engine.inspect(session, None).unwrap().nodes;
    let works = nodes
        .iter()
        .filter(|node| node.step.as_deref().is_some_and(|step| step.ends_with("::work")));
    let done: Vec<usize> = works
        .filter(|node| !node.attempts.is_empty())
        .map(|node| node.verdicts.len())
        .collect();
    assert!(done.len() >= 4 && done.iter().all(|n| *n == 1), "{done:?}");
}

#[test]
fn threads_of_one_process_race_the_same_way() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let mut answer = start(&engine, LOOP);
    let session = answer.session_id;
    for _ in 0..40 {
        let tokens: Vec<String> = std::thread::scope(|scope| {
            let token = &answer.token;
            let call = || {
                let next = if step(&answer) == "decide" {
                    patiently(|| decide(&engine, token, "continue"))
                } else {
                    patiently(|| advance(&engine, token, "mine"))
                };
                next.unwrap().token
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(call)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(tokens.iter().all(|token| *token == tokens[0]));
        answer = if step(&answer) == "decide" {
            decide(&engine, &answer.token, "continue").unwrap()
        } else {
            advance(&engine, &answer.token, "mine").unwrap()
        };
    }
    let verified = engine.store().verify(session).unwrap();
    assert!(verified.health.is_healthy());
    assert_eq!(verified.segments, 41);
}

#[test]
fn a_child_that_is_just_being_started_does_not_keep_the_lock() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let mut answer = start(&engine, LOOP);
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                Command::new("true").status().unwrap();
            }
        });
        for _ in 0..150 {
            let next = match step(&answer) {
                "decide" => decide(&engine, &answer.token, "continue"),
                _ => advance(&engine, &answer.token, "mine"),
            };
            answer = next.unwrap();
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
