//! Steps of a session that only a person can approve.

use rmcp::model::{
    ElicitRequest, ElicitRequestParams, InputRequest, InputRequests, InputRequiredResult, InputResponses,
};
use serde_json::{Value, json};

/// The key of the question.
const APPROVAL: &str = "approval";
/// The artifact that stands for a person's word.
const CONFIRMATION: &str = "wb.confirmation";

/// What a person said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// Yes, perhaps in words of their own.
    Yes(Option<String>),
    /// Anything else.
    No,
}

/// The answer of a person, if there is one.
pub(crate) fn said(responses: Option<&InputResponses>) -> Option<Said> {
    let response = responses?.get(APPROVAL)?;
    Some(read(
        response["action"].as_str() == Some("accept"),
        &response["content"],
    ))
}

/// An answer that came back while the call waited.
pub(crate) fn read(accepted: bool, content: &Value) -> Said {
    match accepted && content["approve"] == true {
        true => Said::Yes(
            content["statement"]
                .as_str()
                .filter(|s| !s.trim().is_empty())
                .map(str::to_owned),
        ),
        false => Said::No,
    }
}

/// An agent cannot speak for the person where the person can be asked.
pub(crate) fn without_confirmation(params: &mut Value) {
    if let Some(Value::Array(artifacts)) = params.pointer_mut("/output/artifacts") {
        artifacts.retain(|artifact| artifact["kind"] != CONFIRMATION);
    }
}

/// Adds a person's word to what the step gave.
pub(crate) fn confirm(params: &mut Value, statement: Option<&str>) {
    let word = json!({
        "kind": CONFIRMATION,
        "approvedBy": "the user, asked by the client",
        "statement": statement.unwrap_or("approved"),
    });
    if !params["output"].is_object() {
        params["output"] = json!({});
    }
    match params.pointer_mut("/output/artifacts") {
        Some(Value::Array(artifacts)) => artifacts.push(word),
        _ => params["output"]["artifacts"] = json!([word]),
    }
}

/// Whether nothing but a person's approval is missing.
pub(crate) fn wants_approval(answer: &Value) -> bool {
    let blockers = answer["blockers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let approval = |blocker: &Value| {
        let message = blocker["message"].as_str().unwrap_or_default();
        message.starts_with("needs_user_approval")
    };
    !blockers.is_empty() && blockers.iter().all(approval)
}

/// The question, as a client shows it.
pub(crate) fn question(answer: &Value) -> ElicitRequestParams {
    let text = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let message = format!(
        "The agent says that it finished the step \"{}\" of {}, which needs your approval.",
        text("/pending/title"),
        text("/workflow"),
    );
    let schema = json!({
        "type": "object",
        "properties": {
            "approve": {"type": "boolean", "title": "Approve this step"},
            "statement": {"type": "string", "title": "In your own words"},
        },
        "required": ["approve"],
    });
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: serde_json::from_value(schema).expect("a form of a boolean and a text"),
    }
}

/// The same as a round trip: the client asks, and calls again with the answer and the state. The state is the token of
/// the refused attempt, which the session signed: nobody can make another of it.
pub(crate) fn round_trip(answer: &Value) -> InputRequiredResult {
    let request = InputRequest::Elicitation(ElicitRequest::new(question(answer)));
    let requests = InputRequests::from([(APPROVAL.to_owned(), request)]);
    InputRequiredResult::new(Some(requests), answer["token"].as_str().map(str::to_owned))
}
