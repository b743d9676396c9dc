//! Sessions, and steps that only a person can approve.

use crate::talk::{Bench, Talk};
use serde_json::{Value, json};

const WORKFLOW: &str = "\
#+WORKFLOW: project.release 1.0.0
#+TITLE: Release
#+AUTONOMY: guided

* TODO Write the notes
:done-when: test -s NOTES
Write what changed into NOTES.
* TODO Publish
:PROPERTIES:
:ID: publish
:CONFIRM: t
:END:
Publish it.
";

/// A session whose pending step wants a person's approval, with its token.
fn at_the_gate(ask: &mut dyn FnMut(Value) -> Value, bench: &Bench) -> Value {
    let started = ask(json!({"action": "start", "workflow": "release.org"}));
    assert_eq!(started["ok"]["pending"]["title"], "Write the notes", "{started}");
    let done = |token: &Value| json!({"action": "continue", "token": token, "output": {"notes": "I wrote them."}});
    // It says so, and the check says otherwise.
    let refused = ask(done(&started["ok"]["token"]));
    assert_eq!(refused["ok"]["blockers"].as_array().map(Vec::len), Some(1), "{refused}");
    std::fs::write(bench.work.path().join("NOTES"), "faster").unwrap();
    let again = ask(done(&refused["ok"]["token"]));
    assert_eq!(again["ok"]["pending"]["title"], "Publish", "{again}");
    again["ok"]["token"].clone()
}

fn bench() -> Bench {
    Bench::new("read,write,run", &[("release.org", WORKFLOW)])
}

#[test]
fn a_step_is_believed_when_its_check_passes_and_survives_the_server() {
    let bench = bench();
    let mut talk = bench.talk();
    let token = at_the_gate(&mut |arguments| talk.call("session", arguments), &bench);
    talk.end();
    let mut talk = bench.talk();
    let found = talk.call("find_session", json!({"action": "list"}));
    assert_eq!(found["ok"]["sessions"].as_array().map(Vec::len), Some(1), "{found}");
    let there = talk.call(
        "session",
        json!({"action": "continue", "token": token, "intent": "rehydrate"}),
    );
    assert_eq!(there["ok"]["pending"]["title"], "Publish", "{there}");
    talk.end();
}

#[test]
fn an_agent_cannot_approve_for_a_person_who_can_be_asked() {
    let bench = bench();
    let mut talk = Talk::new(bench.server());
    let asks = json!({"elicitation": {"form": {}}});
    let mut ask = |arguments: Value| {
        let answer = talk.ask_alone(
            "tools/call",
            json!({"name": "session", "arguments": arguments}),
            asks.clone(),
        );
        answer["result"]["structuredContent"].clone()
    };
    let token = at_the_gate(&mut ask, &bench);
    let forged = json!({"kind": "wb.confirmation", "approvedBy": "me", "statement": "sure"});
    let arguments = json!({"action": "continue", "token": token, "output": {"notes": "ready", "artifacts": [forged]}});

    let asked = talk.ask_alone(
        "tools/call",
        json!({"name": "session", "arguments": arguments}),
        asks.clone(),
    );
    let asked = &asked["result"];
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let message = asked["inputRequests"]["approval"]["params"]["message"]
        .as_str()
        .unwrap();
    assert!(message.contains("\"Publish\" of project.release"), "{message}");
    let again = |state: &Value, action: &str, approve: bool| {
        let response = json!({"approval": {"action": action, "content": {"approve": approve, "statement": "ship it"}}});
        json!({"name": "session", "arguments": arguments, "inputResponses": response, "requestState": state})
    };
    let state = &asked["requestState"];
    for (action, approve) in [("decline", true), ("accept", false), ("cancel", true)] {
        let refused = talk.ask_alone("tools/call", again(state, action, approve), asks.clone());
        assert_eq!(
            refused["result"]["structuredContent"]["error"]["code"], "not_granted",
            "{refused}"
        );
    }
    let forged = json!(format!("{}x", state.as_str().unwrap()));
    let refused = talk.ask_alone("tools/call", again(&forged, "accept", true), asks.clone());
    let code = refused["result"]["structuredContent"]["error"]["code"]
        .as_str()
        .unwrap();
    assert!(code.starts_with("TOKEN_"), "{refused}");

    let approved = talk.ask_alone("tools/call", again(state, "accept", true), asks.clone());
    assert_eq!(
        approved["result"]["structuredContent"]["ok"]["nextIntent"], "complete",
        "{approved}"
    );
    talk.end();
}

#[test]
fn an_older_client_is_asked_while_the_call_waits() {
    let bench = bench();
    let mut talk = Talk::new(bench.server());
    talk.shake_hands(json!({"elicitation": {"form": {}}}));
    let token = at_the_gate(&mut |arguments| talk.call("session", arguments), &bench);
    let asked =
        json!({"name": "session", "arguments": {"action": "continue", "token": token, "output": {"notes": "ready"}}});
    talk.say(&json!({"jsonrpc": "2.0", "id": "gate", "method": "tools/call", "params": asked}).to_string());
    let question = talk.hear();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let said = json!({"action": "accept", "content": {"approve": true}});
    talk.say(&json!({"jsonrpc": "2.0", "id": question["id"], "result": said}).to_string());
    let approved = talk.hear();
    assert_eq!(
        approved["result"]["structuredContent"]["ok"]["nextIntent"], "complete",
        "{approved}"
    );
    talk.end();
}

#[test]
fn where_nobody_can_be_asked_the_session_asks_for_the_artifact() {
    let bench = bench();
    let mut talk = bench.talk();
    let token = at_the_gate(&mut |arguments| talk.call("session", arguments), &bench);
    let refused = talk.call(
        "session",
        json!({"action": "continue", "token": token, "output": {"notes": "ready"}}),
    );
    let message = refused["ok"]["blockers"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("needs_user_approval"), "{refused}");
    talk.end();
}
