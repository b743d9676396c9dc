//! How long lists and searches take over ten thousand sessions: `cargo test --release -p session-store --test scale --
//! --ignored --nocapture`. It prints, and asserts only what does not depend on the machine.

mod agent;

use std::time::Instant;

use agent::{THREE, advance, open, start};
use session::project::Query;
use session::protocol::ListRequest;
use session_store::Sweep;

#[test]
#[ignore = "it makes ten thousand sessions, which takes a minute"]
fn ten_thousand_sessions() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    for n in 0..10_000 {
        let first = start(&engine, THREE);
        if n % 2 == 0 {
            let notes =
                format!("looked at file {n}; the parser loses a byte at the end of the third line, see notes{n}");
            advance(&engine, &first.token, &notes).unwrap();
        }
    }
    let timed = |what: &str, work: &dyn Fn() -> usize| {
        let began = Instant::now();
        let found = work();
        println!("{what}: {found} in {:?}", began.elapsed());
        found
    };
    let list = || {
        let request = ListRequest {
            limit: Some(20),
            ..ListRequest::default()
        };
        open(dir.path()).listed(&request).unwrap().total
    };
    let resume = || {
        let query = Query {
            text: Some("notes4242".into()),
            ..Query::default()
        };
        open(dir.path()).resume(&query).unwrap().len()
    };
    assert_eq!(timed("the first list, which makes the index", &list), 10_000);
    assert_eq!(timed("list", &list), 10_000);
    assert_eq!(timed("resume", &resume), 5);
    let sweep = || {
        let sweep = Sweep {
            now: 0,
            ttl: None,
            dry_run: true,
        };
        engine.store().sweep(&sweep).unwrap().doubts.len()
    };
    assert_eq!(timed("gc", &sweep), 0);
}
