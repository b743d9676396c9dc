//! Tasks are runs, and what is said about them is what their histories say.

use crate::talk::{Bench, Talk};
use history::Run;
use serde_json::{Value, json};

const PLAN: &str = "* TODO Ship\n:done-when: test -s out\n* TODO Tell\n:done-when: test -s told\n";

fn get(talk: &mut Talk, method: &str, id: &str) -> Value {
    talk.ask_alone(
        method,
        json!({"taskId": id}),
        json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}),
    )
}

#[test]
fn a_server_that_never_saw_a_run_says_how_it_ended() {
    let bench = Bench::new("read,run", &[("plan.org", PLAN)]);
    let (home, plan) = (bench.history(), bench.path().join("plan.org"));
    let mut talk = Talk::new(bench.server());

    let run = Run::open(&home, &plan, "run-7", 1_700_000_000_000).unwrap();
    run.verdict(r#"{"task_id":"ship","state":"DONE","how":"done-when: test -s out","ts":1700000000001}"#)
        .unwrap();
    let at_work = get(&mut talk, "tasks/get", "run-7");
    assert_eq!(
        (&at_work["result"]["status"], &at_work["result"]["taskId"]),
        (&json!("working"), &json!("run-7")),
        "{at_work}"
    );
    assert_eq!(at_work["result"]["createdAt"], "2023-11-14T22:13:20Z");

    run.verdict(r#"{"task_id":"tell","state":"FAILED","reason":"the check exited with status 1","ts":1700000000002}"#)
        .unwrap();
    run.close();
    let over = get(&mut talk, "tasks/get", "run-7");
    assert_eq!(over["result"]["status"], "completed", "{over}");
    let told = &over["result"]["result"]["structuredContent"]["ok"];
    assert_eq!(
        (&told["id"], &told["state"]),
        (&json!("run-7"), &json!("partial")),
        "{over}"
    );
    assert_eq!(
        get(&mut talk, "tasks/cancel", "run-7")["result"],
        json!({"resultType": "complete"})
    );
    let followed = talk.ask_alone(
        "tools/call",
        json!({"name": "follow_run", "arguments": {"run": "run-7"}}),
        json!({}),
    );
    assert_eq!(
        followed["result"]["structuredContent"]["ok"]["state"], "partial",
        "{followed}"
    );
    let read = talk.ask_alone("resources/read", json!({"uri": "run://run-7"}), json!({}));
    assert!(
        read["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .contains("partial"),
        "{read}"
    );
    talk.end();
}

#[test]
fn nobody_is_told_about_runs_that_are_not_theirs() {
    let bench = Bench::new("read,run", &[]);
    let elsewhere = Bench::new("read", &[("plan.org", PLAN)]);
    let run = Run::open(
        &bench.history(),
        &elsewhere.path().join("plan.org"),
        "run-8",
        1_700_000_000_000,
    )
    .unwrap();
    run.verdict(r#"{"task_id":"ship","state":"DONE","ts":1700000000001}"#)
        .unwrap();
    run.close();
    let mut talk = Talk::new(bench.server());
    for (method, id) in [
        ("tasks/get", "run-8"),
        ("tasks/cancel", "run-8"),
        ("tasks/update", "none"),
        ("tasks/get", "../.."),
    ] {
        let params = json!({"taskId": id, "inputResponses": {}});
        let refused = talk.ask_alone(
            method,
            params,
            json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}),
        );
        assert_eq!(refused["error"]["code"], -32602, "{method} {id}: {refused}");
    }
    let followed = talk.ask_alone(
        "tools/call",
        json!({"name": "follow_run", "arguments": {"run": "run-8"}}),
        json!({}),
    );
    assert_eq!(
        followed["result"]["structuredContent"]["error"]["code"], "not_granted",
        "{followed}"
    );
    talk.end();
}
