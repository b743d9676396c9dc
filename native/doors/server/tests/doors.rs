//! Every operation that needs no engine, through every door: the answer is the same.

mod support;

use operations::Live;
use serde_json::{Value, json};
use support::{Plan, Socket, Stage};

const PLAN: &str = "* Flow :workflow:\n** Broken :component:\n#+begin_src js :in x:list :out y:string\n#+end_src\n";

/// Questions about plans with an answer; everything else is asked with nothing, and refuses or has nothing to say.
fn questions() -> Vec<(&'static str, Value)> {
    let org = json!({ "org": PLAN });
    let mut all = vec![
        ("plan.validate", org.clone()),
        ("plan.lint", org.clone()),
        ("plan.headlines", org.clone()),
        ("plan.tangle", org.clone()),
        ("plan.tasks", org.clone()),
        ("plan.render", org.clone()),
        ("plan.query", json!({"org": PLAN, "query": "(tags \"component\")"})),
        ("plan.query", json!({"org": PLAN, "query": 7})),
        (
            "plan.check_upgrade",
            json!({"old": PLAN, "new": "* Other :workflow:\n"}),
        ),
        (
            "plan.set_state",
            json!({"org": "* TODO Rest\n", "task": "rest", "state": "DONE"}),
        ),
        (
            "plan.set_state",
            json!({"org": "* TODO Rest\n", "task": "none", "state": "DONE"}),
        ),
        ("plan.validate", json!({"org": PLAN, "surplus": 1})),
        ("plan.validate", json!([PLAN])),
        ("plan.teleport", json!({})),
    ];
    // What makes something new each time cannot be the same twice.
    let changing = ["session.rotate_keys", "token.create"];
    let rows = operations::all().iter();
    let rows = rows.filter(|row| !row.is_live() && !changing.contains(&row.name));
    all.extend(rows.map(|row| (row.name, json!({}))));
    all
}

#[test]
fn every_door_gives_the_answer_of_the_table() {
    let stage = Stage::new(Plan::default());
    let mut socket = Socket::open(&stage, "/ws");
    for (id, (name, params)) in questions().into_iter().enumerate() {
        let expected = operations::answer(&(stage.contexts)(), name, params.clone());
        let response = stage.post(name, &params);
        socket.say(&json!({"id": id, "op": name, "params": params}).to_string());
        let frame = socket.json();
        assert_eq!(frame["id"], id);
        match expected {
            Ok(answer) => {
                assert_eq!((response.status, response.json()), (200, answer.clone()), "{name}");
                assert_eq!(frame["ok"], answer, "{name}");
            }
            Err(failure) => {
                let status = operations::openapi::status(failure.code);
                let message = failure.message.replace(&format!("{}/", stage.here().display()), "");
                assert_eq!(response.status, status, "{name} {params}: {response:?}");
                assert_ne!(status, 500, "{name}");
                assert_eq!(response.json()["error"], frame["error"], "{name}");
                assert_eq!(frame["error"]["code"], failure.code.name, "{name}");
                assert_eq!(frame["error"]["message"], message, "{name}");
                assert_eq!(frame["error"]["pointer"].as_str(), failure.pointer.as_deref(), "{name}");
            }
        }
    }
}

#[test]
fn live_operations_say_that_there_is_no_engine() {
    let stage = Stage::new(Plan::default());
    let response = stage.post("run.list", &json!({}));
    assert_eq!((response.status, response.code().as_str()), (503, "engine_missing"));
    assert_eq!(response.header("retry-after"), Some("1"));
}

#[test]
fn a_plan_is_validated_through_the_doors_of_a_workbook() {
    let stage = Stage::new(Plan::default());
    let diagnostics = stage.post("plan.validate", &json!({"org": PLAN})).json();
    let called = stage.ask(
        "POST",
        "/w/demo/call",
        &json!({"fn": "validate", "org": PLAN}).to_string(),
    );
    assert_eq!((called.status, called.json()), (200, diagnostics.clone()));
    let mut socket = Socket::open(&stage, "/w/demo/ws");
    socket.say(&json!({"id": 1, "op": "validate", "params": {"org": PLAN}}).to_string());
    assert_eq!(socket.json(), json!({"id": 1, "ok": diagnostics}));
    for (body, pointer) in [(json!({"org": PLAN}), "/fn"), (json!({"fn": "teleport"}), "/fn")] {
        let refused = stage.ask("POST", "/w/demo/call", &body.to_string());
        assert_eq!(
            (refused.status, refused.json()["error"]["pointer"].as_str()),
            (400, Some(pointer))
        );
    }
}

#[test]
fn a_workbook_is_deployed_by_putting_its_plan() {
    use std::sync::{Arc, Mutex};
    let seen: Arc<Mutex<Vec<(&str, Value)>>> = Arc::default();
    let notes = seen.clone();
    let stage = Stage::new(Plan {
        script: Arc::new(move |asked| {
            notes.lock().unwrap().push((asked.name, asked.params.clone()));
            operations::NoEngine.ask(asked)
        }),
        ..Plan::default()
    });
    stage.ask("PUT", "/w/demo", PLAN);
    stage.ask("GET", "/w/demo", "");
    stage.ask("POST", "/w/demo/call", "{\"fn\":\"validate\"}");
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0].0, "workbook.deploy");
    assert_eq!((&seen[0].1["id"], &seen[0].1["org"]), (&json!("demo"), &json!(PLAN)));
    assert_eq!((seen[1].0, &seen[1].1), ("workbook.show", &json!({"id": "demo"})));
    assert_eq!(seen[2].0, "workbook.show", "without a text the live plan is meant");
}

#[test]
fn toolkits_are_asked_for_over_rcp() {
    let stage = Stage::new(Plan::default());
    for (method, path, body, operation, params) in [
        ("GET", "/rcp/toolkit", "", "toolkit.list", json!({})),
        ("GET", "/rcp/toolkit/none", "", "toolkit.show", json!({"id": "none"})),
        (
            "GET",
            "/rcp/toolkit/search?q=a%20b",
            "",
            "toolkit.search",
            json!({"query": "a b"}),
        ),
        (
            "POST",
            "/rcp/toolkit/build",
            "{\"id\":\"none\"}",
            "toolkit.build",
            json!({"id": "none"}),
        ),
        (
            "POST",
            "/rcp/toolkit/verify",
            "{\"id\":\"none\"}",
            "toolkit.verify",
            json!({"id": "none"}),
        ),
        (
            "POST",
            "/rcp/toolkit/sign",
            "{\"id\":\"none\"}",
            "toolkit.sign",
            json!({"id": "none"}),
        ),
        ("POST", "/rcp/toolkit/run", "{}", "toolkit.run", json!({})),
    ] {
        let (one, other) = (stage.ask(method, path, body), stage.post(operation, &params));
        assert_eq!((one.status, one.json()), (other.status, other.json()), "{path}");
    }
    assert_eq!(stage.ask("POST", "/rcp/toolkit/burn", "{}").code(), "not_found");
    assert_eq!(stage.ask("GET", "/rcp/toolkit/search", "").code(), "bad_option");
}

#[test]
fn the_public_routes_need_no_token() {
    let stage = Stage::new(Plan::default());
    let health = stage.ask_as("", "GET", "/health", "");
    assert_eq!((health.status, &health.json()["status"]), (200, &json!("ok")));
    let runtime = stage.ask_as("", "GET", "/.well-known/workbooks-runtime", "").json();
    assert_eq!(
        (
            &runtime["rcp"],
            runtime["capabilities"].as_array().unwrap().contains(&json!("plan"))
        ),
        (&json!("1"), true)
    );
    let document = stage.ask_as("", "GET", "/openapi.json", "").json();
    assert_eq!(document["paths"].as_object().unwrap().len(), operations::all().len());
    let policy = health.header("content-security-policy").unwrap();
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(health.header("access-control-allow-origin"), None);
}

#[test]
fn what_is_not_there_and_what_is_asked_wrongly_is_said_in_json() {
    let stage = Stage::new(Plan::default());
    for (method, path, body, status, code) in [
        ("GET", "/nowhere", "", 404, "not_found"),
        ("GET", "/api/plan.validate", "", 405, "bad_request"),
        ("DELETE", "/health", "", 405, "bad_request"),
        ("POST", "/api/plan.teleport", "{}", 404, "unknown_operation"),
        ("POST", "/api/plan.validate", "{", 400, "not_json"),
        ("POST", "/api/plan.validate", "{\"org\":\"\\ud800\"}", 400, "not_json"),
        ("GET", "/ws", "", 400, "bad_request"),
        ("GET", "/api/streams/none", "", 404, "unknown_stream"),
    ] {
        let response = stage.ask(method, path, body);
        assert_eq!(response.status, status, "{method} {path}");
        if !code.is_empty() {
            assert_eq!(response.code(), code, "{method} {path}");
        }
    }
    let deep = "[".repeat(100_000);
    assert_eq!(stage.ask("POST", "/api/plan.validate", &deep).code(), "not_json");
}
