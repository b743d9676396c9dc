//! Every call is in the ledger.

use crate::talk::Bench;
use serde_json::{Value, json};

#[test]
fn calls_are_written_down_with_the_client_and_sealed() {
    let bench = Bench::new("read,run", &[("plan.org", "* TODO Ship\n")]);
    let mut talk = bench.talk();
    talk.call("check_plan", json!({"action": "validate", "plan": "plan.org"}));
    talk.call("run_shell", json!({"script": "false"}));
    talk.call("run_plan", json!({"plan": "plan.org"}));
    talk.call("session", json!({"action": "start", "workflow": "plan.org"}));
    talk.end();

    let home = bench.history();
    let [log] = &history::call_logs(&home)[..] else {
        panic!("one server has one log")
    };
    assert!(history::verify(&home, log).unwrap().is_sound());
    let text = std::fs::read_to_string(log.join("_steps.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let short: Vec<Value> = lines
        .iter()
        .map(|line| json!([line["kind"], line["client"], line["operation"], line["error"]]))
        .collect();
    assert_eq!(
        short,
        [
            json!(["calls", null, null, null]),
            json!(["call", "a test 1", "plan.validate", null]),
            json!(["call", "a test 1", "shell.run", null]),
            json!(["answer", null, null, null]),
            json!(["call", "a test 1", "run.start", null]),
            json!(["answer", null, null, "engine_missing"]),
            json!(["call", "a test 1", null, "not_granted"]),
        ]
    );
    assert!(
        !text.contains("false\""),
        "what was asked is there as a hash alone: {text}"
    );

    std::fs::write(log.join("_steps.jsonl"), text.replace("a test 1", "somebody")).unwrap();
    assert!(!history::verify(&home, log).unwrap().is_sound());
}
