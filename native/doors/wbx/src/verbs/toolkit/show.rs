//! Toolkits as people see them.

use crate::answer::{Item, View, count};
use serde_json::Value;

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn all(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

pub fn list(found: &Value) -> View {
    let row = |toolkit: &Value| ["id", "status", "cli", "title"].map(|key| cell(&toolkit[key])).to_vec();
    let rows: Vec<Vec<String>> = all(found).iter().map(row).collect();
    let summary = count(rows.len(), "toolkit");
    View::Table(vec!["ID", "STATUS", "COMMAND", "TITLE"], rows, summary)
}

pub fn toolkit(found: &Value) -> View {
    let manifest = &found["manifest"];
    let item = |depth, text: String, aside: String| Item {
        depth,
        text,
        aside,
        ..Item::default()
    };
    let mut items = vec![item(0, cell(&manifest["title"]), cell(&manifest["tagline"]))];
    for (key, name) in [
        ("version", "version"),
        ("status", "status"),
        ("exec", "shape"),
        ("trust", "trust"),
        ("cli_bin", "command"),
        ("author_did", "author"),
    ] {
        if !manifest[key].is_null() {
            items.push(item(1, format!("{name}: {}", cell(&manifest[key])), String::new()));
        }
    }
    let caps: Vec<String> = all(&manifest["caps"]).iter().map(cell).collect();
    if !caps.is_empty() {
        items.push(item(1, format!("capabilities: {}", caps.join(" ")), String::new()));
    }
    items.push(item(1, "skills".into(), String::new()));
    for skill in all(&found["skills"]) {
        items.push(item(2, cell(&skill["slug"]), cell(&skill["title"])));
    }
    if !all(&found["tasks"]).is_empty() {
        items.push(item(1, "tasks".into(), String::new()));
        items.extend(
            all(&found["tasks"])
                .iter()
                .map(|task| item(2, cell(task), String::new())),
        );
    }
    View::Outline(items, count(all(&found["skills"]).len(), "skill"))
}

pub fn hits(found: &Value) -> View {
    let row = |hit: &Value| {
        let skill = match &hit["skill"] {
            Value::Null => "manifest".to_owned(),
            other => cell(other),
        };
        vec![cell(&hit["toolkit"]), skill, cell(&hit["line"]), cell(&hit["text"])]
    };
    let rows: Vec<Vec<String>> = all(found).iter().map(row).collect();
    let summary = count(rows.len(), "place");
    View::Table(vec!["TOOLKIT", "SKILL", "LINE", "TEXT"], rows, summary)
}
