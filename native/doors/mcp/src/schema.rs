//! Schemas for agents: those of the table, without what an agent does not need and pays for.

use operations::Operation;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The schema of what an operation takes.
pub(crate) fn params(row: &Operation) -> Value {
    let mut generator = settings().into_generator();
    row.params(&mut generator).to_value()
}

/// The schema of what it answers, as far as `depth` objects down; below that anything goes.
pub(crate) fn answer(row: &Operation, depth: usize) -> Value {
    let mut generator = settings().into_generator();
    shape(&row.answer(&mut generator).to_value(), depth)
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true)
}

/// A parameter, with its types and its choices.
pub(crate) fn slim(schema: &Value) -> Value {
    let Value::Object(fields) = schema else {
        return schema.clone();
    };
    if let Some(only) = optional(fields) {
        return slim(only);
    }
    if let Some(choices) = choices(fields) {
        return json!({"enum": choices});
    }
    let mut kept = Map::new();
    for (key, value) in fields {
        match (key.as_str(), value) {
            ("type", value) => drop(kept.insert(key.clone(), plain_type(value))),
            ("enum" | "const" | "required", value) => drop(kept.insert(key.clone(), value.clone())),
            // What may stand in an object of any kind is any.
            ("items", value) if !matches!(value, Value::Bool(_)) => drop(kept.insert(key.clone(), slim(value))),
            ("properties", Value::Object(properties)) => {
                let slimmed = properties.iter().map(|(name, value)| (name.clone(), slim(value)));
                kept.insert(key.clone(), Value::Object(slimmed.collect()));
            }
            _ => {}
        }
    }
    Value::Object(kept)
}

/// `X or null` is an X that may be left out.
fn optional(fields: &Map<String, Value>) -> Option<&Value> {
    let Value::Array(any) = fields.get("anyOf")? else {
        return None;
    };
    let mut some = any.iter().filter(|schema| schema["type"] != "null");
    match (some.next(), some.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// Variants of an enum that each have a doc of their own.
fn choices(fields: &Map<String, Value>) -> Option<Vec<&Value>> {
    let Value::Array(all) = fields.get("oneOf")? else {
        return None;
    };
    all.iter().map(|schema| schema.get("const")).collect()
}

fn plain_type(value: &Value) -> Value {
    match value {
        Value::Array(types) => match types.iter().filter(|name| *name != "null").collect::<Vec<_>>()[..] {
            [only] => only.clone(),
            _ => value.clone(),
        },
        value => value.clone(),
    }
}

/// The outline of an answer: everything that it says holds, and it says little.
fn shape(schema: &Value, depth: usize) -> Value {
    let Value::Object(fields) = schema else {
        return json!({});
    };
    let mut kept = Map::new();
    if let Some(name) = fields.get("type") {
        kept.insert("type".into(), name.clone());
    }
    if let (Some(items @ Value::Object(_)), true) = (fields.get("items"), depth > 0) {
        kept.insert("items".into(), shape(items, depth));
    }
    if let (Some(Value::Object(properties)), true) = (fields.get("properties"), depth > 0) {
        let shaped = properties
            .iter()
            .map(|(name, value)| (name.clone(), shape(value, depth - 1)));
        kept.insert("properties".into(), Value::Object(shaped.collect()));
    }
    Value::Object(kept)
}
