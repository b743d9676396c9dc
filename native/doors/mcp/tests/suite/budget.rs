//! What the tools cost every agent that has them.

use mcp::{Directories, Grant, Scopes};
use serde_json::Value;

fn listed() -> Vec<Value> {
    let here = std::env::temp_dir();
    let directories = Directories::new(std::slice::from_ref(&here), &here).unwrap();
    let grant = Grant::new(Scopes::read("read,write,run").unwrap(), directories);
    mcp::tools(&grant)
        .iter()
        .map(|tool| serde_json::to_value(tool).unwrap())
        .collect()
}

/// 2,500 tokens of o200k are allowed. Counted with the real vocabulary the list has the number that docs/mcp.md says;
/// JSON like this has more than three and a half bytes to a token, so this bound holds the other.
const MOST_BYTES: usize = 8_750;

#[test]
fn the_whole_list_is_cheap() {
    let bytes = serde_json::to_string(&listed()).unwrap().len();
    if let Some(path) = std::env::var_os("WORKBOOKS_TOOL_LIST") {
        std::fs::write(
            path,
            serde_json::to_string(&serde_json::json!({"tools": listed()})).unwrap(),
        )
        .unwrap();
    }
    assert!(bytes <= MOST_BYTES, "the list of tools has {bytes} bytes");
}

#[test]
fn there_are_at_most_ten_and_none_is_cut_by_a_client() {
    let tools = listed();
    assert!(tools.len() <= 10);
    for tool in &tools {
        let about = tool["description"].as_str().unwrap();
        assert!(about.len() <= 2_000, "{}: {}", tool["name"], about.len());
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
    }
}

#[test]
fn hints_say_what_the_table_says() {
    for tool in listed() {
        let reads = ["check_plan", "follow_run", "find_session", "toolkits"].contains(&tool["name"].as_str().unwrap());
        assert_eq!(tool["annotations"]["readOnlyHint"], reads, "{tool}");
    }
}

#[test]
fn every_argument_has_a_type_or_choices() {
    for tool in listed() {
        for (name, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            let told = schema.get("type").or(schema.get("enum"));
            assert!(told.is_some(), "{} {name}: {schema}", tool["name"]);
        }
        for name in tool["inputSchema"]["required"].as_array().unwrap() {
            let properties = &tool["inputSchema"]["properties"];
            assert!(!properties[name.as_str().unwrap()].is_null(), "{tool}");
        }
    }
}
