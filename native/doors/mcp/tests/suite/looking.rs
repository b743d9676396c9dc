//! What an agent may look at.

use crate::talk::{Bench, NEW, Talk};
use serde_json::{Value, json};

const PLAN: &str = "* TODO Ship it\n:done-when: test -s out\n";

fn names(list: &Value, key: &str) -> Vec<String> {
    let all = list.as_array().unwrap();
    all.iter().map(|item| item[key].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_plan_is_judged_by_its_path_or_its_text() {
    let bench = Bench::new("read", &[("plan.org", PLAN)]);
    let mut talk = bench.talk();
    let found = talk.call("check_plan", json!({"action": "validate", "plan": "plan.org"}));
    assert_eq!(found, json!({"ok": []}));
    let tasks = talk.call("check_plan", json!({"action": "tasks", "plan": PLAN}));
    assert_eq!(tasks["ok"][0]["id"], "ship-it");
    let worse = talk.call(
        "check_plan",
        json!({"action": "check_upgrade", "old": "plan.org", "plan": "* TODO Ship it\n"}),
    );
    assert_eq!(worse["ok"], json!([]));
    talk.end();
}

#[test]
fn what_is_asked_wrongly_is_refused_with_a_code_a_hint_and_the_field() {
    let bench = Bench::new("read", &[("plan.org", PLAN)]);
    let mut talk = bench.talk();
    for (tool, arguments, code, pointer) in [
        ("check_plan", json!({"plan": "plan.org"}), "bad_option", "/action"),
        (
            "check_plan",
            json!({"action": "burn", "plan": "plan.org"}),
            "bad_option",
            "/action",
        ),
        (
            "check_plan",
            json!({"action": "validate", "plan": 7}),
            "bad_option",
            "/plan",
        ),
        (
            "check_plan",
            json!({"action": "validate", "plan": "plan.org", "more": 1}),
            "bad_option",
            "/more",
        ),
        ("check_plan", json!({"action": "validate"}), "bad_option", ""),
        (
            "check_plan",
            json!({"action": "validate", "plan": "gone.org"}),
            "not_found",
            "",
        ),
        (
            "check_plan",
            json!({"action": "validate", "plan": "../../etc/passwd"}),
            "not_granted",
            "",
        ),
        (
            "check_plan",
            json!({"action": "status", "plan": "/etc/passwd"}),
            "not_granted",
            "/plan",
        ),
        ("run_shell", json!({"script": "ls"}), "not_granted", ""),
        ("run_plan", json!({"plan": "plan.org"}), "not_granted", ""),
        (
            "session",
            json!({"action": "start", "workflow": "plan.org"}),
            "not_granted",
            "",
        ),
    ] {
        let refused = talk.call(tool, arguments.clone());
        let error = &refused["error"];
        assert_eq!(
            (&error["code"], error["pointer"].as_str().unwrap_or("")),
            (&json!(code), pointer),
            "{tool} {arguments}: {refused}"
        );
        assert_ne!(error["hint"], "", "{refused}");
    }
    let unknown = talk.ask("tools/call", json!({"name": "rm_rf", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602);
    talk.end();
}

#[test]
fn a_link_that_leads_out_is_no_way_out() {
    let bench = Bench::new("read,write,run", &[]);
    std::os::unix::fs::symlink("/etc", bench.work.path().join("etc")).unwrap();
    let mut talk = bench.talk();
    for (tool, arguments) in [
        ("check_plan", json!({"action": "validate", "plan": "etc/hostname"})),
        ("run_shell", json!({"script": "ls", "workdir": "etc"})),
        ("run_shell", json!({"script": "ls", "workdir": "/"})),
        ("run_shell", json!({"script": "ls", "workdir": ".."})),
        ("audit_toolkit", json!({"dir": "etc"})),
    ] {
        let refused = talk.call(tool, arguments.clone());
        assert_eq!(refused["error"]["code"], "not_granted", "{tool} {arguments}: {refused}");
    }
    talk.end();
}

#[test]
fn plans_are_resources_and_workflows_are_prompts() {
    let workflow = "#+WORKFLOW: project.tidy 1.0.0\n#+TITLE: Tidy up\n#+DESCRIPTION: Once a week.\n* TODO Tidy\n";
    let bench = Bench::new(
        "read",
        &[("plans/plan one.org", PLAN), ("tidy.org", workflow), ("x.json", "{}")],
    );
    let mut talk = bench.talk();
    let listed = talk.ask("resources/list", json!({}));
    let uris = names(&listed["result"]["resources"], "uri");
    let uri = format!("plan://{}/plans/plan%20one.org", bench.path().display());
    assert!(uris.contains(&uri), "{uris:?}");
    let read = talk.ask("resources/read", json!({"uri": uri}));
    assert_eq!(read["result"]["contents"][0]["text"], PLAN);
    for uri in [
        "plan:///etc/passwd",
        "plan://%zz",
        "run://none",
        "run://../x",
        "skill://no/such",
        "nonsense",
        "file:///etc/passwd",
    ] {
        let refused = talk.ask("resources/read", json!({"uri": uri}));
        assert!(refused["error"]["code"].is_i64(), "{uri}: {refused}");
    }
    let templates = talk.ask("resources/templates/list", json!({}));
    assert_eq!(
        names(&templates["result"]["resourceTemplates"], "name"),
        ["plan", "run", "skill"]
    );

    let prompts = talk.ask("prompts/list", json!({}));
    assert_eq!(names(&prompts["result"]["prompts"], "name"), ["project.tidy"]);
    let prompt = talk.ask(
        "prompts/get",
        json!({"name": "project.tidy", "arguments": {"goal": "my \"desk\""}}),
    );
    let text = prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("tidy.org") && text.contains(r#"my \"desk\""#), "{text}");
    assert_eq!(
        talk.ask("prompts/get", json!({"name": "none"}))["error"]["code"],
        -32602
    );
    talk.end();
}

#[test]
fn the_newer_revision_needs_no_handshake() {
    let bench = Bench::new("read", &[("plan.org", PLAN)]);
    let mut talk = Talk::new(bench.server());
    let found = talk.ask_alone("server/discover", json!({}), json!({}));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!(NEW)), "{found}");
    let asked = json!({"name": "check_plan", "arguments": {"action": "validate", "plan": "plan.org"}});
    let answer = talk.ask_alone("tools/call", asked, json!({}));
    assert_eq!(answer["result"]["structuredContent"], json!({"ok": []}), "{answer}");
    assert_eq!(answer["result"]["resultType"], "complete");
    talk.end();
}
