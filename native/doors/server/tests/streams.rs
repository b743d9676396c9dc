//! Events: over SSE with a way back, and over WebSocket with a way to stop.

mod support;

use serde_json::{Value, json};
use server::Limits;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;
use support::{Client, Plan, Socket, Stage, eventually, says_and_ends, says_and_waits};

const START: &str = "{\"plan\":\"plan.org\"}";

fn stream(stage: &Stage, more: &[(&str, &str)]) -> Client {
    let mut client = stage.connect();
    let bearer = format!("Bearer {}", stage.token);
    let mut headers = vec![("authorization", bearer.as_str()), ("accept", "text/event-stream")];
    headers.extend(more);
    client.request("POST", "/api/run.start", &headers, START.as_bytes());
    client
}

#[test]
fn a_stream_tells_its_events_and_then_its_answer() {
    let stage = Stage::new(Plan {
        script: says_and_ends(3),
        ..Plan::default()
    });
    let mut client = stream(&stage, &[]);
    let (status, headers) = client.head().unwrap();
    assert_eq!(status, 200);
    assert!(headers.contains(&("content-type".into(), "text/event-stream".into())));
    let events: Vec<_> = std::iter::from_fn(|| client.event()).collect();
    let kinds: Vec<&str> = events.iter().map(|(_, kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["event", "event", "event", "error"]);
    let numbers: Vec<&str> = events.iter().map(|(id, ..)| id.split_once('.').unwrap().1).collect();
    assert_eq!(numbers, ["1", "2", "3", "4"]);
    let last: Value = serde_json::from_str(&events[3].2).unwrap();
    assert_eq!(last["code"], "not_found");
}

#[test]
fn who_comes_back_hears_what_was_missed_and_nothing_twice() {
    let stage = Stage::new(Plan {
        script: says_and_waits(5),
        ..Plan::default()
    });
    let mut client = stream(&stage, &[]);
    client.head().unwrap();
    let second = (0..2).filter_map(|_| client.event()).last().unwrap();
    drop(client);
    for path in [
        "/api/run.start".to_owned(),
        format!("/api/streams/{}", second.0.split_once('.').unwrap().0),
    ] {
        let mut client = stage.connect();
        let bearer = format!("Bearer {}", stage.token);
        let method = if path.ends_with("start") { "POST" } else { "GET" };
        let headers = [
            ("authorization", bearer.as_str()),
            ("accept", "text/event-stream"),
            ("last-event-id", &second.0),
        ];
        client.request(method, &path, &headers, b"");
        assert_eq!(client.head().unwrap().0, 200);
        let numbers: Vec<String> = (0..3)
            .map(|_| client.event().unwrap().0.split_once('.').unwrap().1.to_owned())
            .collect();
        assert_eq!(numbers, ["3", "4", "5"], "{path}");
    }
    assert_eq!(stage.under_way.load(SeqCst), 1, "it is the same call");
}

#[test]
fn events_that_are_not_kept_any_more_are_not_skipped_in_silence() {
    let stage = Stage::new(Plan {
        limits: Limits {
            replay: 2,
            ..Limits::default()
        },
        script: says_and_ends(9),
        ..Plan::default()
    });
    let accepted = {
        let mut client = stream(&stage, &[("prefer", "respond-async")]);
        client.response()
    };
    assert_eq!(accepted.status, 202);
    stage.quiet();
    let path = accepted.json()["events"].as_str().unwrap().to_owned();
    eventually("it is over", || stage.ask("GET", &path, "").code() == "events_lost");
    assert_eq!(stage.ask("GET", &path, "").status, 409);
    let other = stage
        .store
        .create("other", &[access::Scope::Admin], None, 0)
        .unwrap()
        .token;
    assert_eq!(
        stage.ask_as(&other, "GET", &path, "").code(),
        "unknown_stream",
        "it is somebody else's"
    );
}

#[test]
fn a_call_whose_reader_stays_away_is_cancelled() {
    let stage = Stage::new(Plan {
        limits: Limits {
            linger: Duration::from_millis(1),
            ..Limits::default()
        },
        script: says_and_waits(1),
        ..Plan::default()
    });
    let mut client = stream(&stage, &[]);
    client.head().unwrap();
    client.event().unwrap();
    drop(client);
    stage.quiet();
}

#[test]
fn who_hangs_up_cancels_what_was_asked() {
    let stage = Stage::new(Plan {
        script: says_and_waits(0),
        ..Plan::default()
    });
    let mut client = stage.connect();
    let bearer = format!("Bearer {}", stage.token);
    client.request(
        "POST",
        "/api/run.start",
        &[("authorization", &bearer)],
        START.as_bytes(),
    );
    eventually("it is under way", || stage.under_way.load(SeqCst) == 1);
    drop(client);
    stage.quiet();
}

#[test]
fn parameters_that_are_wrong_have_a_status_and_no_stream() {
    let stage = Stage::new(Plan::default());
    let mut client = stage.connect();
    let bearer = format!("Bearer {}", stage.token);
    let headers = [("authorization", bearer.as_str()), ("accept", "text/event-stream")];
    client.request("POST", "/api/run.start", &headers, b"{}");
    let response = client.response();
    assert_eq!((response.status, response.code().as_str()), (400, "bad_option"));
}

#[test]
fn frames_are_answered_by_their_ids_and_cancelled_by_them() {
    let stage = Stage::new(Plan {
        script: says_and_waits(2),
        ..Plan::default()
    });
    let mut socket = Socket::open(&stage, "/ws");
    let start = |id: u64| json!({"id": id, "op": "run.start", "params": {"plan": "p"}}).to_string();
    socket.say(&start(7));
    for _ in 0..2 {
        let said = socket.json();
        assert!(said["id"] == 7 && said.get("event").is_some(), "{said}");
    }
    socket.say(&start(7));
    let refused = socket.json();
    assert_eq!(
        (&refused["id"], &refused["error"]["pointer"]),
        (&json!(7), &json!("/id"))
    );
    socket.say("{\"id\":8,\"op\":\"plan.headlines\",\"params\":{\"org\":\"* A\\n\"}}");
    assert_eq!(socket.json()["id"], 8, "others are answered meanwhile");
    socket.say("{\"id\":7,\"cancel\":true}");
    let cancelled = socket.json();
    assert_eq!(
        (&cancelled["id"], &cancelled["error"]["code"]),
        (&json!(7), &json!("cancelled"))
    );
    stage.quiet();
}

#[test]
fn frames_that_cannot_be_read_are_answered_and_the_conversation_goes_on() {
    let stage = Stage::new(Plan::default());
    let mut socket = Socket::open(&stage, "/ws");
    for (frame, id, code) in [
        ("", 0, "not_json"),
        ("{", 0, "not_json"),
        ("[]", 0, "bad_option"),
        ("{\"id\":3}", 3, "bad_option"),
        ("{\"id\":3,\"op\":\"x\"}", 3, "unknown_operation"),
        (
            "{\"id\":3,\"op\":\"plan.validate\",\"params\":{},\"more\":1}",
            3,
            "bad_option",
        ),
        ("{\"id\":3,\"cancel\":\"yes\"}", 3, "bad_option"),
        ("{\"id\":-1,\"op\":\"operation.list\"}", 0, "bad_option"),
    ] {
        socket.say(frame);
        let said = socket.json();
        assert_eq!(
            (&said["id"], &said["error"]["code"]),
            (&json!(id), &json!(code)),
            "{frame}"
        );
    }
    socket.say("{\"id\":1,\"op\":\"operation.list\"}");
    assert!(socket.json()["ok"].is_array());
}

#[test]
fn a_socket_that_closes_ends_what_it_asked_for() {
    let stage = Stage::new(Plan {
        script: says_and_waits(0),
        ..Plan::default()
    });
    let mut socket = Socket::open(&stage, "/ws");
    for id in 1..=5 {
        socket.say(&json!({"id": id, "op": "run.start", "params": {"plan": "p"}}).to_string());
    }
    eventually("all are under way", || stage.under_way.load(SeqCst) == 5);
    drop(socket);
    stage.quiet();
}

#[test]
fn draining_answers_what_is_under_way_and_says_goodbye_to_the_rest() {
    let stage = Stage::new(Plan {
        script: says_and_waits(1),
        ..Plan::default()
    });
    let mut idle = Socket::open(&stage, "/ws");
    let mut busy = Socket::open(&stage, "/ws");
    busy.say(&json!({"id": 1, "op": "run.start", "params": {"plan": "p"}}).to_string());
    busy.json();
    let mut reader = stream(&stage, &[]);
    reader.head().unwrap();
    reader.event().unwrap();
    let port = stage.port();
    let mut stage = stage;
    let server = stage.server.take().unwrap();
    let stopping = std::thread::spawn(move || server.stop(Duration::from_millis(300)));
    assert_eq!(idle.close().unwrap().0, 1001);
    assert_eq!(busy.close().unwrap().0, 1001);
    assert_eq!(reader.event().unwrap().1, "goodbye");
    stopping.join().unwrap();
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
    stage.quiet();
}

#[test]
fn no_request_is_lost_when_the_server_stops_under_load() {
    let stage = Stage::new(Plan::default());
    let (port, token) = (stage.port(), stage.token.clone());
    let clients: Vec<_> = (0..4)
        .map(|_| {
            let token = token.clone();
            std::thread::spawn(move || {
                let (mut asked, mut answered) = (0, 0);
                let bearer = format!("Bearer {token}");
                while let Ok(stream) = std::net::TcpStream::connect(("127.0.0.1", port)) {
                    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
                    let mut client = Client {
                        stream: std::io::BufReader::new(stream),
                    };
                    client.request(
                        "POST",
                        "/api/plan.headlines",
                        &[("authorization", &bearer)],
                        b"{\"org\":\"* A\\n\"}",
                    );
                    // A connection that nobody accepted is refused by the machine; one that was is answered.
                    let Some(response) = client.try_response() else { break };
                    asked += 1;
                    answered += u32::from(matches!(response.status, 200 | 503));
                }
                (asked, answered)
            })
        })
        .collect();
    eventually("there is load", || {
        stage.ask("POST", "/api/operation.list", "").status == 200
    });
    let mut stage = stage;
    stage.server.take().unwrap().stop(Duration::from_secs(10));
    for client in clients {
        let (asked, answered) = client.join().unwrap();
        assert_eq!(asked, answered);
    }
}
