//! Whatever a client sends is answered, with an error at worst, and the next question is answered as if nothing had been.

use crate::talk::{Bench, Talk};
use mcp::{Frame, Frames};
use proptest::prelude::*;
use serde_json::json;
use std::io::{BufReader, Read};

const PARSE: i64 = -32700;
const INVALID: i64 = -32600;
const METHOD: i64 = -32601;
const PARAMS: i64 = -32602;

#[test]
fn what_is_no_message_is_an_error_and_never_the_end() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_params = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}}"#,
        "{\"a\":".repeat(10_000)
    );
    let huge = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#,
        "x".repeat(mcp::MAX_FRAME)
    );
    let bench = Bench::new("read", &[("plan.org", "* TODO Ship\n")]);
    let mut talk = bench.talk();
    for (line, code) in [
        ("hello", PARSE),
        ("{", PARSE),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list""#, PARSE),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}{"jsonrpc":"2.0"}"#,
            PARSE,
        ),
        ("\u{0}\u{1}", PARSE),
        (&deep, PARSE),
        (&deep_params, PARSE),
        (&huge, INVALID),
        ("7", INVALID),
        ("null", INVALID),
        ("[]", INVALID),
        ("{}", INVALID),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#, INVALID),
        (r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#, INVALID),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, INVALID),
        (r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, METHOD),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}"#,
            PARAMS,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#, INVALID),
    ] {
        talk.say(line);
        let answer = talk.hear();
        let shown: String = line.chars().take(80).collect();
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert_eq!(
            talk.call("check_plan", json!({"action": "validate", "plan": "plan.org"})),
            json!({"ok": []})
        );
    }
    talk.end();
}

#[test]
fn what_comes_before_the_first_question_is_passed_over() {
    let bench = Bench::new("read", &[]);
    let mut talk = Talk::new(bench.server());
    talk.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    talk.say(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#);
    talk.say("garbage");
    assert_eq!(talk.hear()["error"]["code"], PARSE);
    let hello = talk.shake_hands(json!({}));
    assert_eq!(hello["result"]["serverInfo"]["name"], "workbooks");
    talk.end();
}

#[test]
fn answers_to_many_questions_at_once_each_have_their_id() {
    let bench = Bench::new("read", &[("plan.org", "* TODO Ship\n")]);
    let mut talk = bench.talk();
    let asked = json!({"name": "check_plan", "arguments": {"action": "validate", "plan": "plan.org"}});
    for id in 1_000..1_200 {
        talk.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": asked}).to_string());
    }
    let mut ids: Vec<i64> = (0..200).map(|_| talk.hear()["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(1_000..1_200));
    talk.end();
}

#[test]
fn an_input_that_ends_within_a_message_is_an_error_and_the_end() {
    use std::io::Write;
    let bench = Bench::new("read", &[]);
    let (theirs, mut input) = std::io::pipe().unwrap();
    let (mut output, ours) = std::io::pipe().unwrap();
    let server = bench.server();
    let served = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(mcp::serve(server, theirs, ours))
    });
    input.write_all(br#"{"jsonrpc":"2.0","id":1,"meth"#).unwrap();
    drop(input);
    let mut said = String::new();
    output.read_to_string(&mut said).unwrap();
    assert!(said.contains("-32700"), "{said}");
    assert_eq!(served.join().unwrap(), Ok(()));
}

/// A reader that gives a few bytes at a time, as a pipe may.
struct Drip<'a>(&'a [u8], usize);

impl Read for Drip<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let n = self.1.min(self.0.len()).min(into.len());
        into[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

proptest! {
    /// However the bytes arrive, the lines are those that a plain split finds, and none is longer than it may be.
    #[test]
    fn lines_are_those_of_the_bytes_however_they_arrive(
        bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b' '), any::<u8>()], 0..400),
        piece in 1_usize..9,
        buffer in 1_usize..17,
        most in 1_usize..64,
    ) {
        let reader = BufReader::with_capacity(buffer, Drip(&bytes, piece));
        let frames: Vec<Frame> = Frames::new(reader, most).map(Result::unwrap).collect();
        let expected: Vec<Frame> = bytes
            .split(|byte| *byte == b'\n')
            .map(|line| match line.len() <= most {
                true => Frame::Line(line.strip_suffix(b"\r").unwrap_or(line).to_vec()),
                false => Frame::TooLong,
            })
            .filter(|frame| !matches!(frame, Frame::Line(line) if line.iter().all(u8::is_ascii_whitespace)))
            .collect();
        prop_assert_eq!(frames, expected);
    }
}
