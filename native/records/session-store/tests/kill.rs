//! Killing the process at each step of an append: before the manifest record nothing happened, after it everything did.
//!
//! The child is this test binary, asked for its one ignored test. It starts a session or advances one, and kills itself
//! with SIGKILL when the append reaches the step that the parent named.

mod agent;

use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use agent::{CHECKED, THREE, advance, open, start, step};
use rustix::process::Signal;
use session::{Engine, StartRequest};
use session_store::{FileStore, Options, Step, System};

/// The child: one call, and a kill at the named step.
#[test]
#[ignore = "runs as the child of the other tests"]
fn child() {
    let root = env::var_os("SESSION_TEST_DIR").expect("the parent names a directory");
    let at = env::var("SESSION_TEST_STEP").unwrap();
    let probe = move |step: Step| {
        if format!("{step:?}") == at {
            // Nothing is unwound, nothing is flushed: the process is gone.
            rustix::process::kill_process(rustix::process::getpid(), Signal::KILL).unwrap();
        }
    };
    let store = FileStore::open(
        Path::new(&root),
        Options {
            probe: Some(Box::new(probe)),
        },
    )
    .unwrap();
    let engine = Engine::new(store, System, System);
    match env::var("SESSION_TEST_TOKEN") {
        Ok(token) => {
            advance(&engine, &token, "the child's notes").unwrap();
        }
        Err(_) => {
            engine.start(&StartRequest::new(agent::compiled(THREE))).unwrap();
        }
    }
}

/// Runs the child, which must reach the step and die there.
fn run_child(root: &Path, step: Step, token: Option<&str>) {
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", "child", "--ignored", "--nocapture"]);
    child
        .env("SESSION_TEST_DIR", root)
        .env("SESSION_TEST_STEP", format!("{step:?}"));
    token.map(|token| child.env("SESSION_TEST_TOKEN", token));
    let output = child.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        output.status.signal(),
        Some(Signal::KILL.as_raw()),
        "{step:?} was not reached: {said}"
    );
}

#[test]
fn an_advance_that_is_killed_happened_or_it_did_not() {
    for at in Step::ALL {
        let dir = tempfile::tempdir().unwrap();
        let first = start(&open(dir.path()), CHECKED);
        run_child(dir.path(), at, Some(&first.token));

        let engine = open(dir.path());
        let verified = engine.store().verify(first.session_id).unwrap();
        assert!(verified.health.is_healthy(), "{at:?}: {:?}", verified.health);
        assert_eq!(verified.segments, if at.happened() { 2 } else { 1 }, "{at:?}");

        // The retry gives the answer that was due, and does not advance twice.
        let second = advance(&engine, &first.token, "the parent's notes").unwrap();
        assert_eq!(step(&second), "two", "{at:?}");
        let node = engine.inspect(first.session_id, None).unwrap().nodes.remove(0);
        assert_eq!(
            node.verdicts.len(),
            1,
            "{at:?}: the verdict came with its advance, once"
        );
        let said = format!("{:?}", node.outputs);
        assert_eq!(said.contains("the child's notes"), at.happened(), "{at:?}");
        assert_eq!(said.contains("the parent's notes"), !at.happened(), "{at:?}");
        let third = advance(&engine, &second.token, "").unwrap();
        assert_eq!(step(&advance(&engine, &third.token, "").unwrap()), "complete", "{at:?}");
        let verified = engine.store().verify(first.session_id).unwrap();
        assert!(
            verified.health.is_healthy() && verified.warnings.is_empty(),
            "{at:?}: {verified:?}"
        );
        assert_eq!(verified.segments, 4, "{at:?}");
    }
}

#[test]
fn a_start_that_is_killed_happened_or_it_did_not() {
    for at in Step::ALL {
        let dir = tempfile::tempdir().unwrap();
        run_child(dir.path(), at, None);
        let sessions = open(dir.path()).list().unwrap();
        assert_eq!(sessions.len(), usize::from(at.happened()), "{at:?}");
        assert!(sessions.iter().all(|s| s.health.is_healthy()), "{at:?}");
    }
}

#[test]
fn a_torn_line_is_cut_and_its_bytes_are_kept_aside() {
    let dir = tempfile::tempdir().unwrap();
    let first = start(&open(dir.path()), THREE);
    run_child(dir.path(), Step::RecordTorn, Some(&first.token));
    let session = dir.path().join("sessions").join(first.session_id.to_string());
    let torn = fs::read(session.join("manifest.jsonl")).unwrap();
    assert_ne!(torn.last(), Some(&b'\n'));

    // A reader passes over it and changes nothing.
    let engine = open(dir.path());
    assert_eq!(engine.inspect(first.session_id, None).unwrap().overview.events, 4);
    assert_eq!(fs::read(session.join("manifest.jsonl")).unwrap(), torn);
    // The next writer cuts it.
    advance(&engine, &first.token, "").unwrap();
    let whole = fs::read(session.join("manifest.jsonl")).unwrap();
    assert_eq!(whole.last(), Some(&b'\n'));
    let offset = torn.iter().rposition(|b| *b == b'\n').unwrap() + 1;
    assert_eq!(
        fs::read(session.join(format!("manifest.torn-{offset}"))).unwrap(),
        torn[offset..]
    );
    assert!(engine.store().verify(first.session_id).unwrap().health.is_healthy());
}

#[test]
fn pins_that_were_lost_are_written_by_the_next_holder_with_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let first = start(&open(dir.path()), THREE);
    run_child(dir.path(), Step::RecordFlushed, Some(&first.token));
    let engine = open(dir.path());
    let found = engine.store().verify(first.session_id).unwrap();
    assert_eq!(found.warnings, ["1 pins of the last append are missing"]);
    let second = advance(&engine, &first.token, "").unwrap();
    let third = advance(&engine, &second.token, "").unwrap();
    assert_eq!(third.warnings, ["the pins that the last append left out were written"]);
    assert_eq!(engine.store().verify(first.session_id).unwrap().warnings, [""; 0]);
}
