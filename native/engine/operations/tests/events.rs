//! The events of runs: what the schema says, the guide says, and what is read agree.

use operations::events::{Event, NAMES};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What every event has, and what every event of a task has.
const ALWAYS: &[&str] = &["event", "run", "seq", "ts"];
const TASK: &[&str] = &[
    "id", "idx", "title", "state", "kind", "level", "line", "keyword", "cookies",
];

/// The fields of each event, by its schema.
fn schema() -> BTreeMap<String, BTreeSet<String>> {
    let mut generator = SchemaGenerator::default();
    let schema = Event::json_schema(&mut generator);
    let definitions = Value::Object(generator.take_definitions(true));
    let kinds = schema.as_value()["oneOf"].as_array().unwrap().clone();
    let of = |kind: &Value| {
        let name = kind["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        let properties = definitions[name]["properties"].as_object().unwrap();
        let event = properties["event"]["const"].as_str().unwrap().to_owned();
        (event, properties.keys().cloned().collect())
    };
    kinds.iter().map(of).collect()
}

#[test]
fn the_guide_lists_every_event_with_its_fields() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/runs.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let table = guide
        .split("<!-- events -->")
        .nth(1)
        .expect("docs/runs.md has the table of events");
    let mut listed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let quoted =
            |cell: &str| -> BTreeSet<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
        let mut fields = quoted(cells[2]);
        if fields.remove("task") {
            fields.extend(TASK.iter().map(|&field| field.to_owned()));
        }
        if cells[1] != "`error`" {
            fields.extend(ALWAYS.iter().map(|&field| field.to_owned()));
        }
        fields.insert("event".to_owned());
        listed.insert(quoted(cells[1]).pop_first().unwrap(), fields);
    }
    assert_eq!(listed, schema());
}

#[test]
fn every_event_is_known_by_its_name() {
    let names: BTreeSet<&str> = NAMES.iter().copied().collect();
    let schema = schema();
    assert_eq!(names, schema.keys().map(String::as_str).collect());
}

#[test]
fn an_event_of_another_shape_is_refused_and_the_field_is_named() {
    let row = operations::find("run.subscribe").unwrap();
    let edited = json!({"event": "plan_edited", "run": "r", "seq": 1, "ts": 0});
    row.check_event(&edited).unwrap();
    for (field, value, words) in [
        ("seq", json!("one"), "`/seq`"),
        ("seq", json!(-1), "`/seq`"),
        ("more", json!(1), "unknown field `more`"),
        ("event", json!("teleported"), "no event `teleported`"),
        ("event", json!(7), "`/event`"),
    ] {
        let mut broken = edited.clone();
        broken[field] = value;
        let refused = row.check_event(&broken).unwrap_err();
        assert!(refused.message.contains(words), "{broken}: {}", refused.message);
    }
}
