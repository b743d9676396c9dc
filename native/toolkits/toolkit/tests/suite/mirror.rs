//! Rows as `:task:` nodes.

use super::scratch::{NODE, PLAIN};
use proptest::prelude::*;
use serde_json::json;
use toolkit::{Manifest, Rows, Source, mirror};

fn source() -> Source {
    let keywords = "#+EXEC: federation\n#+URL: https://example.org/\n#+ENTITY: issues\n#+KEY: number\n";
    Manifest::read(&format!("{PLAIN}{keywords}{NODE}"), "dates")
        .unwrap()
        .source
        .unwrap()
}

fn rows(json: serde_json::Value) -> Rows {
    serde_json::from_value(json).unwrap()
}

const ONCE: &str = "\
* issues :source:
** TODO Broken lamp :task:
:PROPERTIES:
:SOURCE: issues
:ROW: 7
:STATE: open
:TITLE: Broken lamp
:END:
** TODO 8 :task:
:PROPERTIES:
:SOURCE: issues
:ROW: 8
:LABELS: [\"a\"]
:END:
";

#[test]
fn each_row_is_a_task() {
    let found = rows(
        json!([{"number": 7, "title": "Broken\nlamp", "state": "open"}, {"number": 8, "labels": ["a"], "none": null}]),
    );
    assert_eq!(mirror("", &source(), &found).unwrap(), ONCE);
    assert_eq!(
        mirror(ONCE, &source(), &found).unwrap(),
        ONCE,
        "a second pass changes no byte"
    );
}

#[test]
fn what_people_wrote_stays_and_what_the_source_says_is_renewed() {
    let edited = ONCE
        .replace("** TODO Broken lamp :task:", "** DONE Broken lamp :task:urgent:")
        .replace(
            ":TITLE: Broken lamp\n:END:\n",
            ":TITLE: Broken lamp\n:END:\nBought a bulb.\n*** A note\n",
        );
    let found = rows(json!([{"number": 7, "title": "Dark lamp", "state": "closed"}, {"number": 9, "name": "New"}]));
    let text = mirror(&format!("* Mine\n{edited}"), &source(), &found).unwrap();
    assert_eq!(
        text,
        "* Mine\n* issues :source:\n** DONE Dark lamp :task:urgent:\n:PROPERTIES:\n:SOURCE: issues\n:ROW: 7\n:STATE: closed\n\
         :TITLE: Dark lamp\n:END:\nBought a bulb.\n*** A note\n** TODO 8 :task:\n:PROPERTIES:\n:SOURCE: issues\n:ROW: 8\n\
         :LABELS: [\"a\"]\n:GONE: yes\n:END:\n** TODO New :task:\n:PROPERTIES:\n:SOURCE: issues\n:ROW: 9\n:NAME: New\n:END:\n"
    );
}

#[test]
fn a_column_does_not_take_a_name_that_means_something() {
    let found = rows(json!([{"number": 7, "id": 3, "properties": {"a": 1}, "end": "x", "größe": 2}]));
    let text = mirror("", &source(), &found).unwrap();
    let task = &oql::query(&text, "(tags :task:)").unwrap()[0];
    assert_eq!(task.id, None);
    for (key, value) in [
        ("ROW_ID", "3"),
        ("ROW_PROPERTIES", "{\"a\":1}"),
        ("ROW_END", "x"),
        ("GRÖSSE", "2"),
    ] {
        assert_eq!(task.props[key], value);
    }
    assert_eq!(mirror(&text, &source(), &found).unwrap(), text);
}

#[test]
fn rows_without_a_key_or_with_one_key_twice_are_refused() {
    for (found, wrong) in [
        (json!([{"title": "x"}]), "row 0 has no `number`"),
        (
            json!([{"number": 1}, {"number": "1"}]),
            "rows 0 and 1 share the key `1`",
        ),
    ] {
        let error = mirror("", &source(), &rows(found)).unwrap_err();
        assert!(error.to_string().contains(wrong), "{error}");
    }
}

proptest! {
    #[test]
    fn mirroring_twice_is_mirroring_once(titles in prop::collection::vec("[ -~é\n:*]{0,20}", 0..6), before in "(\\* [a-z]{1,5}\n|text\n){0,3}") {
        let found: Rows = titles.iter().enumerate().map(|(n, title)| {
            rows(json!([{"number": n, "title": title}])).remove(0)
        }).collect();
        let once = mirror(&before, &source(), &found).unwrap();
        prop_assert!(once.starts_with(&before));
        prop_assert_eq!(mirror(&once, &source(), &found).unwrap(), once);
    }
}
