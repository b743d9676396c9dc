//! The functions that replace SQLite's own answer as SQLite's own do.

mod scratch;

use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value;
use scratch::Scratch;

/// A literal of any type, with few characters so that patterns meet their texts.
fn literal() -> impl Strategy<Value = String> {
    prop_oneof![
        10 => "[ab%_*?éÉA\\[\\]^-]{0,6}".prop_map(|text| format!("'{text}'")),
        1 => (-3i64..30).prop_map(|i| i.to_string()),
        1 => (-3.0f64..3.0).prop_map(|r| format!("{r:?}")),
        1 => "(61|62|25|c3a9){0,3}".prop_map(|hex| format!("x'{hex}'")),
        1 => Just("NULL".to_owned()),
        1 => Just("0.1 + 0.2".to_owned()),
        1 => Just("1e300".to_owned()),
    ]
}

fn call() -> impl Strategy<Value = String> {
    (literal(), literal(), literal(), 0..8usize).prop_map(|(a, b, c, function)| match function {
        0 => format!("instr({a}, {b})"),
        1 => format!("replace({a}, {b}, {c})"),
        2 => format!("trim({a}, {b})"),
        3 => format!("ltrim({a}, {b})"),
        4 => format!("rtrim({a}, {b})"),
        5 => format!("({a}) LIKE ({b})"),
        6 => format!("({a}) GLOB ({b})"),
        _ => format!("({a}) LIKE ({b}) ESCAPE 'b'"),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_replacement_answers_as_sqlite_does(calls in proptest::collection::vec(call(), 200)) {
        thread_local!(static DISK: Scratch = Scratch::new());
        let sqlite = Connection::open_in_memory().unwrap();
        for call in calls {
            let sql = format!("SELECT typeof({call}), hex({call})");
            let expected: (String, String) = sqlite.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            let ours = DISK.with(|disk| disk.sql(&sql)).unwrap();
            prop_assert_eq!(ours, format!(r#"[["{}","{}"]]"#, expected.0, expected.1), "{}", call);
        }
    }
}

#[test]
fn an_escape_is_one_character() {
    let scratch = Scratch::new();
    for escape in ["''", "'ab'"] {
        let error = scratch
            .sql(&format!("SELECT 'a' LIKE 'a' ESCAPE {escape}"))
            .unwrap_err();
        assert_eq!(error.to_string(), "ESCAPE expression must be a single character");
    }
    assert_eq!(scratch.sql("SELECT 'a%' LIKE 'aé%' ESCAPE 'é'").unwrap(), "[[1]]");
}

#[test]
fn what_a_guest_indexes_the_host_can_check() {
    // A guest's index and CHECK use the replacements; SQLite itself must agree with what they stored.
    let scratch = Scratch::new();
    scratch.sql("CREATE TABLE mine(a CHECK(a LIKE '%a%'))").unwrap();
    scratch
        .sql("CREATE INDEX i ON mine(instr(a, 'é'), replace(a, 'a', 'o'))")
        .unwrap();
    scratch
        .sql("INSERT INTO mine VALUES ('ab'), ('éa'), (x'61ff'), ('aéaé')")
        .unwrap();
    let verdict: Value = scratch
        .raw()
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(verdict, Value::Text("ok".into()));
}
