//! What the fixtures are, as data.

use serde_json::{Value, json};

/// A red dot.
const IMAGE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/// No sound at all.
const AUDIO: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// Tools that always answer the same.
pub fn fixed(tool: &str) -> Option<Value> {
    let text = |text: &str| json!({"type": "text", "text": text});
    let image = json!({"type": "image", "data": IMAGE, "mimeType": "image/png"});
    let resource = |uri: &str, kind: &str, text: &str| json!({"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": text}});
    let content = match tool {
        "test_simple_text" => vec![text("This is a simple text response for testing.")],
        "test_image_content" => vec![image],
        "test_audio_content" => vec![json!({"type": "audio", "data": AUDIO, "mimeType": "audio/wav"})],
        "test_embedded_resource" => vec![resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )],
        "test_multiple_content_types" => vec![
            text("Multiple content types test:"),
            image,
            resource(
                "test://mixed-content-resource",
                "application/json",
                r#"{"test":"data","value":123}"#,
            ),
        ],
        "test_error_handling" => {
            return Some(
                json!({"resultType": "complete", "content": [text("This tool intentionally returns an error for testing")], "isError": true}),
            );
        }
        "json_schema_2020_12_tool" | "test_reconnection" => vec![text("done")],
        _ => return None,
    };
    Some(json!({"resultType": "complete", "content": content, "isError": false}))
}

/// Every tool by its name and its schema.
pub fn tools() -> Vec<(&'static str, Value)> {
    let none = || json!({"type": "object", "properties": {}});
    let one = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    let mut tools: Vec<(&str, Value)> = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_tool_with_logging",
        "test_error_handling",
        "test_tool_with_progress",
        "test_elicitation_sep1034_defaults",
        "test_elicitation_sep1330_enums",
        "test_reconnection",
        "test_trigger_tool_change",
        "test_trigger_prompt_change",
        "test_missing_capability",
        "test_streaming_elicitation",
        "test_logging_tool",
        "test_input_required_result_elicitation",
        "test_input_required_result_sampling",
        "test_input_required_result_list_roots",
        "test_input_required_result_request_state",
        "test_input_required_result_multiple_inputs",
        "test_input_required_result_multi_round",
        "test_input_required_result_tampered_state",
        "test_input_required_result_capabilities",
        "failing_job",
        "protocol_error_job",
        "multi_input",
        "test_tool_with_task",
    ]
    .map(|name| (name, none()))
    .into();
    tools.extend([
        ("test_sampling", one("prompt")),
        ("test_elicitation", one("message")),
        ("greet", one("name")),
        (
            "slow_compute",
            json!({"type": "object", "properties": {"seconds": {"type": "number"}, "label": {"type": "string"}}}),
        ),
        ("confirm_delete", json!({"type": "object", "properties": {"filename": {"type": "string"}}})),
        (
            "test_custom_header",
            json!({"type": "object", "properties": {"value": {"type": "string", "x-mcp-header": "Value"}}, "required": ["value"]}),
        ),
        ("json_schema_2020_12_tool", json_schema()),
    ]);
    tools
}

fn json_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "address",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "allOf": [{"anyOf": [{"required": ["name"]}, {"required": ["address"]}]}],
        "if": {"required": ["address"]},
        "then": {"properties": {"address": {"required": ["street"]}}},
        "else": {"required": ["name"]},
        "additionalProperties": false,
    })
}

/// Forms that the two tools about elicitation show.
pub fn form(tool: &str) -> Value {
    let choices = |first: &str| {
        json!(
            (1..=3)
                .map(|n| json!({"const": format!("value{n}"), "title": format!("{first} {n}")}))
                .collect::<Vec<_>>()
        )
    };
    let options = json!(["option1", "option2", "option3"]);
    match tool {
        "test_elicitation_sep1034_defaults" => json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "default": "John Doe"},
                "age": {"type": "integer", "default": 30},
                "score": {"type": "number", "default": 95.5},
                "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
                "verified": {"type": "boolean", "default": true},
            },
        }),
        "test_elicitation_sep1330_enums" => json!({
            "type": "object",
            "properties": {
                "untitledSingle": {"type": "string", "enum": options},
                "titledSingle": {"type": "string", "oneOf": choices("Option")},
                "legacyEnum": {
                    "type": "string",
                    "enum": ["opt1", "opt2", "opt3"],
                    "enumNames": ["Option One", "Option Two", "Option Three"],
                },
                "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
                "titledMulti": {"type": "array", "items": {"anyOf": choices("Choice")}},
            },
        }),
        _ => json!({
            "type": "object",
            "properties": {"username": {"type": "string"}, "email": {"type": "string"}},
            "required": ["username", "email"],
        }),
    }
}

/// Resources by their URIs.
pub fn resource(uri: &str) -> Option<Value> {
    let text = |kind: &str, text: &str| json!({"uri": uri, "mimeType": kind, "text": text});
    match uri {
        "test://static-text" => Some(text("text/plain", "This is the content of the static text resource.")),
        "test://static-binary" => Some(json!({"uri": uri, "mimeType": "image/png", "blob": IMAGE})),
        "test://watched-resource" => Some(text("text/plain", "watched")),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            Some(text("application/json", &data.to_string()))
        }
    }
}

/// Prompts by their names, with the arguments that were sent.
pub fn prompt(name: &str, arguments: &Value) -> Option<Value> {
    let said = |content: Value| json!({"role": "user", "content": content});
    let text = |text: String| said(json!({"type": "text", "text": text}));
    let argument = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
    let messages = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.".into())],
        "test_prompt_with_arguments" => {
            let (one, two) = (argument("arg1"), argument("arg2"));
            vec![text(format!("Prompt with arguments: arg1='{one}', arg2='{two}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let uri = Some(argument("resourceUri")).filter(|uri| !uri.is_empty());
            let uri = uri.unwrap_or_else(|| "test://example-resource".into());
            let resource =
                json!({"uri": uri, "mimeType": "text/plain", "text": "Embedded resource content for testing."});
            vec![
                said(json!({"type": "resource", "resource": resource})),
                text("Please process the embedded resource above.".into()),
            ]
        }
        "test_prompt_with_image" => vec![
            said(json!({"type": "image", "data": IMAGE, "mimeType": "image/png"})),
            text("Please analyze the image above.".into()),
        ],
        _ => return None,
    };
    Some(json!({"resultType": "complete", "messages": messages}))
}

/// The prompts as they are listed.
pub fn prompts() -> Value {
    let argument =
        |name: &str, required: bool| json!({"name": name, "description": "an argument", "required": required});
    json!([
        {"name": "test_simple_prompt", "description": "a fixture"},
        {"name": "test_prompt_with_arguments", "description": "a fixture", "arguments": [argument("arg1", true), argument("arg2", true)]},
        {"name": "test_prompt_with_embedded_resource", "description": "a fixture", "arguments": [argument("resourceUri", true)]},
        {"name": "test_prompt_with_image", "description": "a fixture"},
        {"name": "test_input_required_result_prompt", "description": "a fixture"},
    ])
}

/// A question for a person, with one field.
pub fn question(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({"type": "object", "properties": {field: {"type": kind}}, "required": [field]});
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}})
}

/// A question for a model.
pub fn sampling(prompt: &str) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": prompt}});
    json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}})
}

/// A question about the client's directories.
pub fn roots() -> Value {
    json!({"method": "roots/list"})
}
