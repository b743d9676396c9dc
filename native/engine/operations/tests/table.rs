//! The table could drive any door: its schemas are JSON Schemas, and what they say is what is taken.

use operations::{all, openapi};
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn names_are_unique_and_each_row_says_what_it_is_for() {
    let names: BTreeSet<&str> = all().iter().map(|row| row.name).collect();
    assert_eq!(names.len(), all().len());
    for row in all() {
        let (group, verb) = row.name.split_once('.').expect(row.name);
        let plain = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        assert!(plain(group) && plain(verb), "{}", row.name);
        assert!(row.summary.ends_with('.'), "{}", row.name);
    }
}

#[test]
fn the_document_has_every_operation_and_every_reference_leads_somewhere() {
    let document = openapi::document();
    for row in all() {
        assert_eq!(
            document["paths"][format!("/api/{}", row.name)]["post"]["operationId"],
            row.name
        );
    }
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').expect(&reference);
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(reference)) = object.get("$ref") {
                references.push(reference.clone());
            }
            object.values().for_each(|value| collect(value, references));
        }
        Value::Array(items) => items.iter().for_each(|value| collect(value, references)),
        _ => {}
    }
}

/// The keywords of JSON Schema 2020-12 that our types need. Another one is a typing mistake, or to be added here.
const KEYWORDS: &[&str] = &[
    "$defs",
    "$ref",
    "$schema",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "default",
    "description",
    "enum",
    "format",
    "items",
    "maximum",
    "minimum",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
    "unevaluatedProperties",
    "uniqueItems",
];

#[test]
fn every_schema_is_a_json_schema() {
    let document = openapi::document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    assert!(schemas.len() > 50);
    for (name, schema) in schemas {
        sound(name, schema);
    }
    for row in all() {
        let post = &document["paths"][format!("/api/{}", row.name)]["post"];
        sound(row.name, &post["requestBody"]["content"]["application/json"]["schema"]);
        sound(
            row.name,
            &post["responses"]["200"]["content"]["application/json"]["schema"],
        );
    }
}

fn sound(at: &str, schema: &Value) {
    let schema = match schema {
        Value::Bool(_) => return,
        Value::Object(schema) => schema,
        other => panic!("{at}: {other} is no schema"),
    };
    for (keyword, value) in schema {
        assert!(KEYWORDS.contains(&keyword.as_str()), "{at}: what is `{keyword}`?");
        match (keyword.as_str(), value) {
            ("properties" | "$defs", Value::Object(all)) => {
                all.iter()
                    .for_each(|(name, schema)| sound(&format!("{at}.{name}"), schema));
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => all.iter().for_each(|schema| sound(at, schema)),
            ("items" | "additionalProperties" | "unevaluatedProperties", schema) => sound(at, schema),
            ("properties" | "$defs" | "allOf" | "anyOf" | "oneOf", other) => panic!("{at}: {keyword} is {other}"),
            ("required" | "enum", value) => assert!(value.is_array(), "{at}: {keyword} is {value}"),
            _ => {}
        }
    }
}

#[test]
fn parameters_are_objects_that_refuse_what_they_do_not_know() {
    for row in all() {
        for params in [json!(7), json!([]), json!("org")] {
            assert_eq!(
                row.check(&params).unwrap_err().code.name,
                "bad_option",
                "{}: {params}",
                row.name
            );
        }
        let refused = row.check(&json!({"teleport": 1})).unwrap_err();
        assert!(refused.pointer.is_some(), "{}: {}", row.name, refused.message);
    }
}

#[test]
fn a_wrong_field_is_pointed_at_however_deep_it_lies() {
    for (name, params, pointer) in [
        ("plan.validate", json!({"org": 7}), "/org"),
        ("plan.validate", json!({}), ""),
        ("plan.lint", json!({"org": "", "commands": ["a", 7]}), "/commands/1"),
        (
            "plan.check_upgrade",
            json!({"old": "", "new": "", "types": "loose"}),
            "/types",
        ),
        (
            "session.start",
            json!({"workflow": {"text": "", "kind": "alien"}}),
            "/workflow/kind",
        ),
        (
            "session.start",
            json!({"workflow": {"text": "", "more": 1}}),
            "/workflow/more",
        ),
        (
            "session.continue",
            json!({"token": "t", "intent": "advance", "output": {"artifacts": [7]}}),
            "/output/artifacts/0",
        ),
        (
            "schedule.times",
            json!({"schedule": {"cron": 5}, "after": 0, "count": 1}),
            "/schedule/cron",
        ),
        ("run.start", json!({"plan": "p", "width": 0}), "/width"),
        ("workbook.deploy", json!({"id": "x", "grant": "all"}), "/grant"),
    ] {
        let refused = operations::find(name).unwrap().check(&params).unwrap_err();
        assert_eq!(
            refused.pointer.as_deref(),
            Some(pointer),
            "{name} {params}: {}",
            refused.message
        );
    }
}
