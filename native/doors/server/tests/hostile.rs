//! Clients that mean no good. After each of them the server answers, and nothing is left of them.

mod support;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use server::{Limits, Listen};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;
use support::{Plan, Socket, Stage, eventually, framed, says_and_waits};

fn files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// The statuses of everything that comes back on one connection.
fn statuses(stage: &Stage, bytes: &[u8]) -> Vec<u16> {
    let mut client = stage.connect();
    // The server may close while this is being sent.
    let _ = client.stream.get_mut().write_all(bytes);
    let _ = client.stream.get_mut().shutdown(Shutdown::Write);
    std::iter::from_fn(|| client.try_response().map(|response| response.status)).collect()
}

/// Requests in whose length two readers could differ. The second request inside must never be answered as one.
#[test]
fn no_request_is_smuggled_inside_another() {
    let stage = Stage::new(Plan::default());
    let hidden = "GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let n = hidden.len();
    let corpus = [
        format!(
            "POST /health HTTP/1.1\r\nhost: localhost\r\ncontent-length: {n}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"
        ),
        format!("POST /health HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\ncontent-length: {n}\r\n\r\n{hidden}"),
        format!("POST /health HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0, {n}\r\n\r\n{hidden}"),
        format!("POST /health HTTP/1.1\r\nhost: localhost\r\ncontent-length: +0\r\n\r\n{hidden}"),
        format!("POST /health HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n{hidden}"),
        format!("POST /health HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0x0\r\n\r\n{hidden}"),
        format!("POST /health HTTP/1.1\r\nhost: localhost\r\ncontent-length : 0\r\n\r\n{hidden}"),
        format!("POST /health HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: xchunked\r\n\r\n{hidden}"),
        format!("POST /health HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked, identity\r\n\r\n{hidden}"),
        format!("POST /health HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding : chunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("POST /health HTTP/1.0\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!(
            "POST /health HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff0\r\n{hidden}"
        ),
        format!("POST /health HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n{hidden}"),
        format!("POST /health HTTP/1.1\r\nhost: localhost\r\n transfer-encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("GET /health HTTP/1.1\r\nhost: localhost\r\nx: a\rcontent-length: {n}\r\n\r\n{hidden}"),
        format!("GET /health\r\n{hidden}"),
        format!("GET  /health HTTP/1.1\r\nhost: localhost\r\n\r\n{hidden}"),
        format!("GET /health HTTP/2.0\r\nhost: localhost\r\n\r\n{hidden}"),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        "\0\0\0\0\0\0\0".to_owned(),
        "\x16\x03\x01\x02\0\x01\0\x01\u{fc}".to_owned(),
    ];
    for request in corpus {
        let found = statuses(&stage, request.as_bytes());
        // The hidden one would be the only 200.
        assert!(!found.contains(&200), "{request:?}: {found:?}");
        assert!(found.len() <= 1, "{request:?}: {found:?}");
        stage.is_well();
    }
}

#[test]
fn heads_without_end_are_cut_off() {
    let stage = Stage::new(Plan::default());
    let long = "x".repeat(1 << 20);
    let many: String = (0..5_000).map(|n| format!("x{n}: y\r\n")).collect();
    for (request, allowed) in [
        (
            format!("GET /health HTTP/1.1\r\nhost: localhost\r\nx: {long}\r\n\r\n"),
            vec![431],
        ),
        (
            format!("GET /health HTTP/1.1\r\nhost: localhost\r\n{many}\r\n"),
            vec![431],
        ),
        (
            format!("GET /{long} HTTP/1.1\r\nhost: localhost\r\n\r\n"),
            vec![414, 431],
        ),
        (
            format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "x".repeat(9_000)),
            vec![400],
        ),
    ] {
        let found = statuses(&stage, request.as_bytes());
        // The server may be gone before everything is sent, and then nothing comes back.
        assert!(
            found.iter().all(|status| allowed.contains(status)) && found.len() <= 1,
            "{found:?}"
        );
        stage.is_well();
    }
}

#[test]
fn who_sends_a_byte_now_and_then_is_not_waited_for() {
    let stage = Stage::new(Plan {
        listen: Listen {
            head_time: Duration::from_millis(200),
            ..Listen::on(0)
        },
        limits: Limits {
            body_time: Duration::from_millis(200),
            ..Limits::default()
        },
        ..Plan::default()
    });
    let before = files();
    let mut slow: Vec<_> = (0..200)
        .map(|n| {
            let mut client = stage.connect();
            let head = "POST /api/operation.list HTTP/1.1\r\nhost: localhost\r\n";
            let body = format!(
                "{head}authorization: Bearer {}\r\ncontent-length: 9\r\n\r\n{{",
                stage.token
            );
            client.send(if n % 2 == 0 { head.as_bytes() } else { body.as_bytes() });
            client
        })
        .collect();
    stage.is_well();
    for (n, client) in slow.iter_mut().enumerate() {
        let status = client.try_response().map(|response| response.status);
        assert!(
            matches!(status, None | Some(408)) || (n % 2 == 1 && status == Some(429)),
            "{status:?}"
        );
    }
    drop(slow);
    eventually("nothing is left of them", || files() <= before);
    stage.is_well();
}

#[test]
fn a_small_body_that_grows_is_refused_where_it_does() {
    let stage = Stage::new(Plan::default());
    let mut zip = GzEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![b' '; 1 << 20];
    (0..512).for_each(|_| zip.write_all(&zeros).unwrap());
    let bomb = zip.finish().unwrap();
    let mut zip = GzEncoder::new(Vec::new(), Compression::fast());
    zip.write_all(b"{\"org\":\"* A\\n\"}").unwrap();
    let small = zip.finish().unwrap();
    let bearer = format!("Bearer {}", stage.token);
    for (encoding, body, status) in [
        ("gzip", &small[..], 200),
        ("gzip", &bomb[..], 413),
        ("gzip", b"no gzip at all", 400),
        ("gzip", &small[..small.len() / 2], 400),
        ("br", &small[..], 415),
        ("gzip, gzip", &bomb[..], 415),
    ] {
        let mut client = stage.connect();
        let headers = [("authorization", bearer.as_str()), ("content-encoding", encoding)];
        client.request("POST", "/api/plan.headlines", &headers, body);
        assert_eq!(client.response().status, status, "{encoding} {}", body.len());
    }
    stage.is_well();
}

#[test]
fn bodies_are_as_large_as_they_may_be() {
    let stage = Stage::new(Plan::default());
    let bearer = format!("Bearer {}", stage.token);
    for (path, kind, length, status) in [
        ("/api/plan.headlines", "application/json", 17 << 20, 413),
        ("/w/demo", "text/plain", 17 << 20, 413),
    ] {
        let mut client = stage.connect();
        let head = format!(
            "{} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: {bearer}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n",
            if path == "/w/demo" { "PUT" } else { "POST" }
        );
        client.send(head.as_bytes());
        let _ = client.stream.get_mut().write_all(&vec![b' '; length]);
        let found = client.try_response().map(|response| response.status);
        assert!(found.is_none_or(|found| found == status), "{path}: {found:?}");
        stage.is_well();
    }
}

#[test]
fn text_that_is_none_is_refused() {
    let stage = Stage::new(Plan::default());
    let bearer = format!("Bearer {}", stage.token);
    for (path, body, code) in [
        ("/api/plan.headlines", &b"{\"org\":\"\xff\"}"[..], "not_json"),
        ("/api/plan.headlines", &b"\xef\xbb\xbf{}"[..], "not_json"),
        ("/w/demo", &b"* \xff"[..], "not_utf8"),
    ] {
        let mut client = stage.connect();
        let method = if path == "/w/demo" { "PUT" } else { "POST" };
        let kind = if path == "/w/demo" {
            "text/plain"
        } else {
            "application/json"
        };
        client.request(
            method,
            path,
            &[("authorization", &bearer), ("content-type", kind)],
            body,
        );
        assert_eq!(client.response().code(), code);
    }
    let mut client = stage.connect();
    client.send(b"GET /health HTTP/1.1\r\nhost: local\xffhost\r\n\r\n");
    assert_eq!(client.response().status, 400);
    client.send(b"GET /\xff HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert!(client.try_response().is_none_or(|response| response.status >= 400));
    stage.is_well();
}

#[test]
fn a_hundred_thousand_frames_are_all_answered() {
    const FRAMES: usize = 100_000;
    let stage = Stage::new(Plan::default());
    let mut socket = Socket::open(&stage, "/ws");
    let mut sending = socket.client.stream.get_ref().try_clone().unwrap();
    let sender = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        for n in 0..FRAMES {
            bytes.extend(framed(0x81, if n % 2 == 0 { b"{\"id\":1}" } else { b"]" }));
        }
        sending.write_all(&bytes).unwrap();
    });
    for n in 0..FRAMES {
        let said = socket.json();
        assert_eq!(said["id"], if n % 2 == 0 { 1 } else { 0 });
    }
    sender.join().unwrap();
    stage.is_well();
}

#[test]
fn broken_sockets_are_closed() {
    let stage = Stage::new(Plan::default());
    for bytes in [
        framed(0x82, b"binary"),
        framed(0x81, b"\xff\xfe"),
        framed(0xf1, b"reserved bits"),
        framed(0x80, b"a continuation of nothing"),
        vec![0x81, 5, b'p', b'l', b'a', b'i', b'n'],
        [vec![0x81, 0xff], u64::MAX.to_be_bytes().to_vec(), vec![0; 4]].concat(),
        [vec![0x81, 0xff], (64u64 << 20).to_be_bytes().to_vec(), vec![0; 4]].concat(),
        framed(0x89, &[0; 126]),
    ] {
        let mut socket = Socket::open(&stage, "/ws");
        socket.client.send(&bytes);
        // Closed with a reason, or just closed: not answered.
        while let Some((kind, _)) = socket.next() {
            assert_eq!(kind, 8, "{bytes:?}");
        }
        stage.is_well();
    }
}

#[test]
fn a_thousand_clients_that_vanish_leave_nothing() {
    let stage = Stage::new(Plan {
        script: says_and_waits(1),
        limits: Limits {
            linger: Duration::from_millis(1),
            ..Limits::default()
        },
        ..Plan::default()
    });
    stage.is_well();
    let before = files();
    let bearer = format!("Bearer {}", stage.token);
    for n in 0..1_000 {
        let mut client = stage.connect();
        let start = json!({"plan": "p"}).to_string();
        match n % 5 {
            0 => client.request(
                "POST",
                "/api/run.start",
                &[("authorization", &bearer)],
                start.as_bytes(),
            ),
            1 => {
                let headers = [("authorization", bearer.as_str()), ("accept", "text/event-stream")];
                client.request("POST", "/api/run.start", &headers, start.as_bytes());
                client.head().unwrap();
            }
            2 => {
                client.request("GET", "/ws", &support::upgrade(&bearer), b"");
                client.head().unwrap();
                client.send(&framed(
                    0x81,
                    json!({"id": 1, "op": "run.start", "params": {"plan": "p"}})
                        .to_string()
                        .as_bytes(),
                ));
            }
            3 => {
                client.send(b"POST /api/run.start HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\n{");
                client.stream.get_ref().shutdown(Shutdown::Write).unwrap();
            }
            _ => client.send(b"GET"),
        }
    }
    stage.quiet();
    eventually("nothing is left of them", || files() <= before);
    stage.is_well();
}

#[test]
fn who_never_reads_is_cut_off() {
    let stage = Stage::new(Plan {
        listen: Listen {
            write_time: Duration::from_millis(200),
            ..Listen::on(0)
        },
        ..Plan::default()
    });
    let before = files();
    let mut stream = TcpStream::connect(("127.0.0.1", stage.port())).unwrap();
    let asked = "GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(2_000);
    stream.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    let _ = stream.write_all(asked.as_bytes());
    eventually("it is closed", || files() <= before + 1);
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    stage.is_well();
}
