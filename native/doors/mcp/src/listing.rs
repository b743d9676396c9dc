//! The list of tools that a client gets.

use crate::table::{Action, TOOLS, Take, Tool};
use crate::{Grant, schema};
use operations::{Effect, Operation};
use rmcp::model::{self, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// How far an answer is described. Deeper would cost every client more than it is worth.
const DEPTH: usize = 1;

/// The tools that a grant gives.
pub fn tools(grant: &Grant) -> Vec<model::Tool> {
    TOOLS.iter().filter_map(|tool| describe(tool, grant)).collect()
}

fn describe(tool: &Tool, grant: &Grant) -> Option<model::Tool> {
    let allowed = |action: &&Action| grant.scopes.allow(action.row().scope);
    let actions: Vec<&Action> = tool.actions.iter().filter(allowed).collect();
    if actions.is_empty() {
        return None;
    }
    let listed = model::Tool::new(tool.name, tool.says, input(tool, &actions))
        .with_raw_output_schema(Arc::new(output(&actions)))
        .with_annotations(annotations(&actions));
    Some(listed)
}

/// What the strongest of the actions does to the world.
fn annotations(actions: &[&Action]) -> ToolAnnotations {
    let strongest = |effect| actions.iter().any(|action| action.row().effect == effect);
    let reads = !strongest(Effect::Writes) && !strongest(Effect::Runs);
    let told = ToolAnnotations::new().read_only(reads);
    match reads {
        true => told,
        // What only adds to a log or to a directory of sessions destroys nothing; what runs may.
        false => told.destructive(strongest(Effect::Runs)),
    }
}

fn input(tool: &Tool, actions: &[&Action]) -> Map<String, Value> {
    let mut properties = Map::new();
    let several = tool.actions.len() > 1;
    if several {
        let names: Vec<&str> = actions.iter().map(|action| action.name).collect();
        properties.insert("action".into(), json!({"enum": names}));
    }
    for action in actions {
        let params = schema::params(action.row());
        for take in action.takes {
            let name = take.argument();
            if !properties.contains_key(name) {
                properties.insert(name.to_owned(), property(take, &params, several));
            }
        }
    }
    let mut required: Vec<&str> = if several { vec!["action"] } else { Vec::new() };
    required.extend(always(actions));
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
        .as_object()
        .cloned()
        .unwrap_or_default()
}

fn property(take: &Take, params: &Value, several: bool) -> Value {
    let described = |about: &str| json!({"type": "string", "description": about});
    match take {
        Take::Text { argument: "plan", .. } => described("its path, or its text"),
        Take::Text { .. } | Take::Read { .. } => described("path or text"),
        Take::Work { argument, .. } => described(match *argument {
            "workdir" => "a directory below a listed one",
            _ => "its path",
        }),
        Take::Workflow => described("path or text of an Org plan with #+WORKFLOW:, or JSON"),
        Take::Own("wait") => json!({"type": "integer", "description": "seconds"}),
        Take::Own(_) => described("where checks run"),
        Take::Field(name) => {
            let field = &params["properties"][*name];
            let mut slim = schema::slim(field);
            // Where a tool does one thing the table's own words fit.
            if let (false, Value::Object(slim), Some(about)) = (several, &mut slim, field["description"].as_str()) {
                slim.insert("description".into(), about.into());
            }
            slim
        }
    }
}

/// What every action needs.
fn always(actions: &[&Action]) -> Vec<&'static str> {
    let Some((first, others)) = actions.split_first() else {
        return Vec::new();
    };
    let needs = |action: &Action, argument: &str| {
        let params = schema::params(action.row());
        let required = |field: &str| {
            let all = params["required"].as_array();
            all.is_some_and(|all| all.iter().any(|name| name == field))
        };
        action.takes.iter().any(|take| {
            take.argument() == argument
                && match take {
                    Take::Field("run") if action.operation == "run.status" => false,
                    Take::Field(field) => required(field),
                    Take::Text { field, .. } | Take::Read { field, .. } | Take::Work { field, .. } => required(field),
                    Take::Workflow => true,
                    Take::Own(_) => false,
                }
        })
    };
    let arguments = first.takes.iter().map(Take::argument);
    arguments
        .filter(|argument| needs(first, argument) && others.iter().all(|other| needs(other, argument)))
        .collect()
}

/// An answer is `{ok}` or `{error}`. A client that holds an error against the schema finds that it fits as well.
///
/// Where several answers are possible only their kinds are told: what each looks like would cost every client more than
/// the answers do.
fn output(actions: &[&Action]) -> Map<String, Value> {
    let operations = actions.iter().map(|action| match action.operation {
        // The verdict, rather than that the report was heard.
        "run.report" => "run.status",
        other => other,
    });
    let rows: Vec<&Operation> = operations.filter_map(|name| operations::find(name).ok()).collect();
    let shapes = |depth: usize| {
        let mut shapes: Vec<Value> = Vec::new();
        for row in &rows {
            let shape = schema::answer(row, depth);
            if !shapes.contains(&shape) {
                shapes.push(shape);
            }
        }
        shapes
    };
    let ok = match (&shapes(DEPTH)[..], &shapes(0)[..]) {
        // `follow_run` answers with a run or with a list of them.
        _ if actions.iter().any(|action| action.operation == "run.status") => json!({}),
        ([one], _) | (_, [one]) => one.clone(),
        (_, kinds) => json!({"anyOf": kinds}),
    };
    json!({"type": "object", "properties": {"ok": ok, "error": {"type": "object"}}})
        .as_object()
        .cloned()
        .unwrap_or_default()
}
