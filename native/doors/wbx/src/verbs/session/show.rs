//! Sessions as people like to see them.

use crate::answer::{Item, View, count};
use crate::moment;
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
    let mut items = vec![Item {
        aside: text(&answer["sessionId"]),
        ..item(0, text(&answer["workflow"]))
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
    for need in list(&answer["needs"]) {
        let (key, wants) = (text(&need["key"]), text(&need["wants"]));
        items.push(item(
            1,
            format!(
                "needs {wants} under `{key}` in the context, for the loop {}",
                text(&need["loopId"])
            ),
        ));
    }
    for gap in list(&answer["gaps"]) {
        items.push(Item {
            state: Some("GAP".to_owned()),
            aside: text(&gap["gapId"]),
            ..item(1, text(&gap["summary"]))
        });
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
    let summary = match answer["nextIntent"].as_str().unwrap_or_default() {
        "rehydrate_only" => format!("look: wbx session continue {} --rehydrate", text(&answer["token"])),
        "complete" if answer["status"] == "complete_with_gaps" => {
            format!(
                "the run is complete, with gaps: wbx session continue {} --closes GAP ..",
                text(&answer["token"])
            )
        }
        "complete" => "the run is complete".to_owned(),
        _ => format!("next: wbx session continue {} --notes ..", text(&answer["token"])),
    };
    View::Outline(items, summary)
}

/// Sessions that can be gone on with.
pub fn offers(found: &Value) -> View {
    let offers = list(&found["candidates"]);
    let rows = offers.iter().map(|offer| {
        let why: Vec<String> = list(&offer["whyMatched"]).iter().map(text).collect();
        vec![
            text(&offer["workflow"]),
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
            session["writtenAt"].as_i64().map_or_else(String::new, moment::utc),
            text(&session["title"]),
        ]
    });
    let head = vec![
        "SESSION", "WORKFLOW", "STEP", "STATUS", "HEALTH", "BRANCH", "WRITTEN", "TITLE",
    ];
    let total = found["total"].as_u64().unwrap_or(0) as usize;
    let shown = if total > all.len() {
        format!("{} of ", all.len())
    } else {
        String::new()
    };
    View::Table(head, rows.collect(), format!("{shown}{}", count(total, "session")))
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
            aside: said(node),
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

/// A node's name, and what its check said last.
fn said(node: &Value) -> String {
    let last = list(&node["verdicts"]).last();
    let verdict = last.map(|verdict| {
        format!(
            "; check {}: {}",
            text(&verdict["status"]),
            text(&verdict["check"]["text"])
        )
    });
    format!("{}{}", text(&node["nodeId"]), verdict.unwrap_or_default())
}

/// The catalogue.
pub fn workflows(found: &Value) -> View {
    let all = list(&found["workflows"]);
    let rows = all.iter().map(|workflow| {
        let tags: Vec<String> = list(&workflow["tags"]).iter().map(text).collect();
        vec![
            text(&workflow["id"]),
            text(&workflow["version"]),
            text(&workflow["sourceKind"]),
            text(&workflow["name"]),
            tags.join(", "),
            text(&workflow["suggestedId"]),
            text(&workflow["error"]),
        ]
    });
    let head = vec!["ID", "VERSION", "SOURCE", "NAME", "TAGS", "CALL IT", "ERROR"];
    View::Table(head, rows.collect(), count(all.len(), "workflow"))
}

/// Every prompt of a workflow.
pub fn preview(found: &Value) -> View {
    let mut items = Vec::new();
    for step in list(&found["steps"]) {
        let loops: Vec<String> = list(&step["loops"]).iter().map(text).collect();
        items.push(Item {
            aside: match loops.is_empty() {
                true => text(&step["stepId"]),
                false => format!("{} in {}", text(&step["stepId"]), loops.join(" in ")),
            },
            ..item(0, text(&step["title"]))
        });
        items.extend(text(&step["prompt"]).lines().map(|line| item(1, line.to_owned())));
    }
    View::Outline(
        items,
        format!(
            "{}, {}",
            text(&found["workflow"]),
            count(list(&found["steps"]).len(), "step")
        ),
    )
}

/// What the operator lets agents do.
pub fn policy(policy: &Value) -> View {
    let libraries: Vec<String> = list(&policy["libraries"]).iter().map(text).collect();
    let rows = vec![
        vec!["a session goes at most to".to_owned(), text(&policy["mostAutonomy"])],
        vec![
            "an agent alone goes at most to".to_owned(),
            text(&policy["agentAutonomy"]),
        ],
        vec!["an agent alone risks at most".to_owned(), text(&policy["agentRisk"])],
        vec!["libraries".to_owned(), libraries.join(", ")],
    ];
    View::Table(vec!["WHAT", "IS"], rows, "the operator's policy".to_owned())
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
    let mut summary = format!(
        "{}, {} snapshots, {} workflows",
        count(list(&found["expired"]).len(), "session"),
        text(&found["snapshots"]),
        text(&found["workflows"])
    );
    if !doubts.is_empty() {
        summary += &format!("; {} damaged and left alone", count(doubts.len(), "session"));
    }
    View::Outline(doubts, summary)
}
