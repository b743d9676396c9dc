//! Who is let in, what for, and how much at once.

mod support;

use access::Scope;
use serde_json::json;
use server::{Limits, Share};
use support::{Plan, Stage, eventually, says_and_waits, upgrade};

#[test]
fn nothing_but_the_public_routes_is_answered_without_a_token() {
    let stage = Stage::new(Plan::default());
    for (method, path) in [
        ("POST", "/api/operation.list"),
        ("POST", "/api/no.such"),
        ("GET", "/api/streams/x"),
        ("GET", "/api/runs/x/events"),
        ("GET", "/ws"),
        ("GET", "/w/x"),
        ("PUT", "/w/x"),
        ("POST", "/w/x/call"),
        ("GET", "/w/x/ws"),
        ("GET", "/rcp/toolkit"),
        ("POST", "/rcp/toolkit/install?id=x"),
    ] {
        for token in ["", "wbt_wrong", "a b"] {
            let response = stage.ask_as(token, method, path, "");
            assert_eq!(
                (response.status, response.header("www-authenticate")),
                (401, Some("Bearer")),
                "{path} {token}"
            );
            assert_eq!(response.code(), "unauthenticated");
        }
    }
}

#[test]
fn a_scope_is_what_the_row_says() {
    let stage = Stage::new(Plan::default());
    let reads = stage.store.create("reads", &[Scope::Read], None, 0).unwrap().token;
    for (operation, status) in [
        ("operation.list", 200),
        ("token.list", 403),
        ("run.start", 403),
        ("toolkit.sign", 403),
        ("no.such", 404),
    ] {
        let response = stage.ask_as(&reads, "POST", &format!("/api/{operation}"), "{}");
        assert_eq!(response.status, status, "{operation}");
    }
    assert_eq!(
        stage.ask_as(&reads, "POST", "/api/token.list", "{}").code(),
        "forbidden"
    );
    assert_eq!(stage.ask("POST", "/api/token.list", "{}").status, 200);
}

#[test]
fn a_token_that_is_revoked_is_of_no_use_from_then_on() {
    let stage = Stage::new(Plan::default());
    let made = stage
        .post("token.create", &json!({"name": "t", "scopes": ["read"]}))
        .json();
    let token = made["token"].as_str().unwrap();
    assert_eq!(stage.ask_as(token, "POST", "/api/operation.list", "").status, 200);
    assert_eq!(stage.post("token.revoke", &json!({"id": made["id"]})).status, 200);
    assert_eq!(stage.ask_as(token, "POST", "/api/operation.list", "").status, 401);
    let expired = stage.store.create("old", &[Scope::Read], Some(1), 0).unwrap().token;
    assert_eq!(stage.ask_as(&expired, "POST", "/api/operation.list", "").status, 401);
}

#[test]
fn tokens_that_cannot_be_read_let_nobody_in_but_the_engine_s_own() {
    let stage = Stage::new(Plan::default());
    let token = stage.store.create("t", &[Scope::Read], None, 0).unwrap().token;
    std::fs::write(stage.store.path(), "{").unwrap();
    let refused = stage.ask_as(&token, "POST", "/api/operation.list", "");
    assert_eq!((refused.status, refused.code().as_str()), (422, "corrupt"));
    assert_eq!(stage.ask("POST", "/api/operation.list", "").status, 200);
}

#[test]
fn a_browser_gives_its_token_as_a_protocol() {
    let stage = Stage::new(Plan::default());
    let mut client = stage.connect();
    let protocols = format!("workbooks, workbooks.bearer.{}", stage.token);
    let headers = upgrade("");
    let mut headers = headers[1..].to_vec();
    headers.push(("sec-websocket-protocol", &protocols));
    client.request("GET", "/ws", &headers, b"");
    let (status, answered) = client.head().unwrap();
    assert_eq!(status, 101);
    assert!(answered.contains(&("sec-websocket-protocol".into(), "workbooks".into())));
}

#[test]
fn hosts_and_pages_that_are_not_ours_are_refused() {
    let stage = Stage::new(Plan::default());
    for (headers, status) in [
        ("host: evil.example", 403),
        ("host: localhost\r\norigin: http://evil.example", 403),
        ("host: localhost\r\norigin: null", 403),
        ("host: localhost\r\norigin: http://localhost", 200),
        ("x: y", 400),
    ] {
        let mut client = stage.connect();
        client.send(format!("GET /health HTTP/1.1\r\n{headers}\r\n\r\n").as_bytes());
        assert_eq!(client.response().status, status, "{headers}");
    }
}

#[test]
fn one_token_cannot_starve_the_others() {
    let stage = Stage::new(Plan {
        limits: Limits {
            streams: Share::new(8, 4),
            ..Limits::default()
        },
        script: says_and_waits(0),
        ..Plan::default()
    });
    let tokens: Vec<String> = ["a", "b", "c", "d", "e"]
        .iter()
        .map(|name| stage.store.create(name, &[Scope::Read], None, 0).unwrap().token)
        .collect();
    let mut held = vec![];
    let mut begin = |token: &str| {
        let mut client = stage.connect();
        let bearer = format!("Bearer {token}");
        client.request("POST", "/api/run.list", &[("authorization", &bearer)], b"{}");
        held.push(client);
        let n = held.len();
        eventually("it is under way", || {
            stage.under_way.load(std::sync::atomic::Ordering::SeqCst) == n
        });
    };
    (0..4).for_each(|_| begin(&tokens[0]));
    let refused = stage.ask_as(&tokens[0], "POST", "/api/run.list", "{}");
    assert_eq!((refused.status, refused.code().as_str()), (429, "too_many_requests"));
    assert_eq!(refused.header("retry-after"), Some("1"));
    (0..2).for_each(|_| begin(&tokens[1]));
    assert_eq!(stage.ask_as(&tokens[1], "POST", "/api/run.list", "{}").status, 503);
    begin(&tokens[2]);
    begin(&tokens[3]);
    let refused = stage.ask_as(&tokens[4], "POST", "/api/run.list", "{}");
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert_eq!(refused.header("retry-after"), Some("1"));
    // What answers quickly is counted apart, and goes on.
    assert_eq!(stage.ask_as(&tokens[0], "POST", "/api/operation.list", "").status, 200);
    drop(held);
    stage.quiet();
    let mut again = stage.connect();
    let bearer = format!("Bearer {}", tokens[4]);
    again.request("POST", "/api/run.list", &[("authorization", &bearer)], b"{}");
    eventually("there is room again", || {
        stage.under_way.load(std::sync::atomic::Ordering::SeqCst) == 1
    });
}
