//! Sessions as people like to see them.

use crate::answer::{Item, View, count};
use serde_json::Value;

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn item(depth: usize, text: String) -> Item {
    Item {
        depth,
        text,
        ..Item::default()
    }
}

/// Where a run stands.
pub fn answer(answer: &Value) -> View {
    let workflow = format!(
        "{} {}",
        text(&answer["workflow"]["name"]),
        text(&answer["workflow"]["version"])
    );
    let mut items = vec![Item {
        aside: text(&answer["sessionId"]),
        ..item(0, workflow)
    }];
    for blocker in list(&answer["blockers"]) {
        items.push(Item {
            state: Some(text(&blocker["code"])),
            ..item(1, text(&blocker["message"]))
        });
        items.push(item(2, text(&blocker["suggestedFix"])));
    }
    if let Some(pending) = answer["pending"].as_object() {
        items.push(Item {
            aside: text(&pending["stepId"]),
            ..item(1, text(&pending["title"]))
        });
        items.extend(text(&pending["prompt"]).lines().map(|line| item(2, line.to_owned())));
    }
    for line in text(&answer["recovery"]).lines() {
        items.push(Item {
            aside: line.to_owned(),
            ..item(2, String::new())
        });
    }
    items.extend(
        list(&answer["warnings"])
            .iter()
            .map(|warning| item(1, format!("warning: {}", text(warning)))),
    );
    let summary = match &answer["nextCall"]["params"]["intent"] {
        Value::String(intent) if intent == "rehydrate" => {
            format!("look: wbx session continue {} --rehydrate", text(&answer["token"]))
        }
        Value::String(_) => format!("next: wbx session continue {} --notes ..", text(&answer["token"])),
        _ => "the run is complete".to_owned(),
    };
    View::Outline(items, summary)
}

/// Sessions that can be gone on with.
pub fn offers(found: &Value) -> View {
    let offers = list(&found["candidates"]);
    let rows = offers.iter().map(|offer| {
        let why: Vec<String> = list(&offer["whyMatched"]).iter().map(text).collect();
        vec![
            text(&offer["workflow"]["id"]),
            text(&offer["pendingStep"]),
            text(&offer["status"]),
            why.join(", "),
            text(&offer["token"]),
        ]
    });
    View::Table(
        vec!["WORKFLOW", "STEP", "STATUS", "WHY", "TOKEN"],
        rows.collect(),
        count(offers.len(), "session"),
    )
}

/// Every session in a line.
pub fn sessions(found: &Value) -> View {
    let all = list(&found["sessions"]);
    let rows = all.iter().map(|session| {
        vec![
            text(&session["sessionId"]),
            text(&session["workflowId"]),
            text(&session["pendingStep"]),
            text(&session["status"]),
            text(&session["health"]["kind"]),
            text(&session["observations"]["git_branch"]),
        ]
    });
    let head = vec!["SESSION", "WORKFLOW", "STEP", "STATUS", "HEALTH", "BRANCH"];
    View::Table(head, rows.collect(), count(all.len(), "session"))
}

/// A session in full.
pub fn session(found: &Value) -> View {
    let mut depths = std::collections::HashMap::new();
    let nodes = list(&found["nodes"]);
    let items = nodes.iter().map(|node| {
        let depth = depths.get(&text(&node["parent"])).map_or(0, |depth| depth + 1);
        depths.insert(text(&node["nodeId"]), depth);
        let tip = if node["nodeId"] == found["tip"] { " (tip)" } else { "" };
        let step = if node["step"].is_null() {
            "end".to_owned()
        } else {
            text(&node["step"])
        };
        Item {
            state: Some(text(&node["kind"])),
            aside: text(&node["nodeId"]),
            // A long run is a long line of steps, and not a staircase.
            ..item(depth.min(8), format!("{step}{tip}"))
        }
    });
    let mut items: Vec<Item> = items.collect();
    items.extend(found["banner"].as_str().map(|banner| item(0, banner.to_owned())));
    let drift = if found["drift"] == true {
        "; the workflow's source has changed since"
    } else {
        ""
    };
    View::Outline(
        items,
        format!("{}, {}{drift}", count(nodes.len(), "node"), text(&found["status"])),
    )
}

/// What a verification found.
pub fn verified(found: &Value) -> View {
    let items = list(&found["warnings"])
        .iter()
        .map(|warning| item(0, text(warning)))
        .collect();
    let (events, segments) = (text(&found["events"]), text(&found["segments"]));
    let reason = found["health"]["reason"]
        .as_str()
        .map_or_else(String::new, |reason| format!(": {reason}"));
    View::Outline(
        items,
        format!(
            "{}{reason}; {events} events in {segments} appends are valid",
            text(&found["health"]["kind"])
        ),
    )
}

/// What was swept.
pub fn swept(found: &Value) -> View {
    let doubts: Vec<Item> = list(&found["doubts"])
        .iter()
        .map(|doubt| item(0, text(doubt)))
        .collect();
    let summary = if doubts.is_empty() {
        format!(
            "{}, {} snapshots, {} workflows",
            count(list(&found["expired"]).len(), "session"),
            text(&found["snapshots"]),
            text(&found["workflows"])
        )
    } else {
        "nothing was deleted: a session is in doubt".to_owned()
    };
    View::Outline(doubts, summary)
}
