//! Over HTTP the caller of each request decides what it may do, and a stranger's page may do nothing.

use crate::talk::{Bench, NEW};
use mcp::{Caller, Directories, Grant, Http, Scopes};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// A service at an address, for requests of this caller.
fn listen(bench: &Bench, caller: Option<Caller>) -> SocketAddr {
    let server = bench.server();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut router = axum::Router::new().nest_service("/mcp", mcp::service(server, Http::default()));
            if let Some(caller) = caller {
                router = router.layer(axum::Extension(caller));
            }
            let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
            tell.send(listener.local_addr().unwrap()).unwrap();
            axum::serve(listener, router).await.unwrap();
        });
    });
    told.recv().unwrap()
}

/// Asks, and gives all that comes back.
fn post(to: SocketAddr, method: &str, name: &str, mut params: serde_json::Value, headers: &str) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": {"name": "a page", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let named = if name.is_empty() {
        String::new()
    } else {
        format!("Mcp-Name: {name}\r\n")
    };
    let head = format!(
        "POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {NEW}\r\nMcp-Method: {method}\r\n{named}\
         Content-Length: {}\r\n{headers}\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(to).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_caller_has_its_own_tools_and_its_own_name_in_the_ledger() {
    let bench = Bench::new("read", &[]);
    let directories = Directories::new(&[bench.path()], &bench.path()).unwrap();
    let caller = Caller {
        name: "token of ada".into(),
        grant: Grant::new(Scopes::read("run").unwrap(), directories),
    };
    let (ada, anybody) = (listen(&bench, Some(caller)), listen(&bench, None));
    let host = |address: SocketAddr| format!("Host: {address}\r\n");
    assert!(post(ada, "tools/list", "", json!({}), &host(ada)).contains("run_shell"));
    assert!(!post(anybody, "tools/list", "", json!({}), &host(anybody)).contains("run_shell"));
    let script = json!({"name": "run_shell", "arguments": {"script": "echo $((6 * 7))"}});
    let ran = post(ada, "tools/call", "run_shell", script.clone(), &host(ada));
    assert!(ran.contains(r#""stdout":"42\n""#), "{ran}");
    let refused = post(anybody, "tools/call", "run_shell", script, &host(anybody));
    assert!(refused.contains("not_granted"), "{refused}");
    let logs = history::call_logs(&bench.history());
    let text: String = logs
        .iter()
        .map(|log| std::fs::read_to_string(log.join("_steps.jsonl")).unwrap())
        .collect();
    assert!(
        text.contains(r#""caller":"token of ada""#) && text.contains("a page 1"),
        "{text}"
    );
}

#[test]
fn a_page_of_a_stranger_is_turned_away() {
    let bench = Bench::new("read", &[]);
    let address = listen(&bench, None);
    for (headers, status) in [
        (format!("Host: {address}\r\n"), "200"),
        (format!("Host: {address}\r\nOrigin: http://localhost:3000\r\n"), "200"),
        (format!("Host: {address}\r\nOrigin: https://evil.example\r\n"), "403"),
        (format!("Host: {address}\r\nOrigin: null\r\n"), "403"),
        ("Host: evil.example\r\n".to_owned(), "403"),
    ] {
        let answer = post(address, "tools/list", "", json!({}), &headers);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{headers}: {answer}");
    }
}
