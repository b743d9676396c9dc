//! What an agent may do where it was allowed to.

use crate::talk::Bench;
use serde_json::json;

#[test]
fn a_script_sees_its_directory_and_nothing_else() {
    let bench = Bench::new("read,run", &[("in.txt", "hello\n")]);
    let mut talk = bench.talk();
    let ran = talk.call(
        "run_shell",
        json!({"script": "tr a-z A-Z < /in.txt | tee out.txt; ls /"}),
    );
    assert_eq!(
        (&ran["ok"]["status"], &ran["ok"]["stdout"]),
        (&json!(0), &json!("HELLO\nin.txt\nout.txt\n")),
        "{ran}"
    );
    assert_eq!(
        std::fs::read_to_string(bench.work.path().join("out.txt")).unwrap(),
        "HELLO\n"
    );
    talk.end();
}

#[test]
fn what_is_too_much_to_read_is_cut_and_says_how_to_read_the_rest() {
    let bench = Bench::new("read,run", &[]);
    let mut talk = bench.talk();
    let ran = talk.call("run_shell", json!({"script": "seq 1 100000"}));
    let note = ran["note"].as_str().unwrap();
    assert!(
        note.starts_with("cut: the whole answer has ") && note.contains("sed -n"),
        "{note}"
    );
    let kept = ran["ok"]["stdout"].as_str().unwrap();
    assert!(kept.starts_with("1\n2\n") && kept.ends_with("\n100000\n") && kept.len() < 40_000);
    talk.end();
}

#[test]
fn a_call_that_is_given_up_ends_and_the_next_one_is_answered() {
    let bench = Bench::new("read,run", &[]);
    let mut talk = bench.talk();
    let asked = json!({"name": "run_shell", "arguments": {"script": "sleep 300", "timeout": 300_000}});
    talk.say(&json!({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": asked}).to_string());
    talk.say(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}}).to_string(),
    );
    let ran = talk.call("run_shell", json!({"script": "echo still here"}));
    assert_eq!(ran["ok"]["stdout"], "still here\n");
    talk.end();
}

#[test]
fn without_an_engine_a_run_is_refused_as_data() {
    let bench = Bench::new("read,run", &[("plan.org", "* TODO Ship\n")]);
    let mut talk = bench.talk();
    let refused = talk.call("run_plan", json!({"plan": "plan.org"}));
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["retryable"]),
        (&json!("engine_missing"), &json!(true))
    );
    talk.end();
}
