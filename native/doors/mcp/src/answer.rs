//! What a client gets: `{ok}` or `{error}`, as data and the same as text, for some clients drop one or the other.

use crate::cut;
use crate::table::Tool;
use failure::Failure;
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

pub(crate) fn of(tool: &Tool, outcome: Result<Value, Failure>) -> CallToolResult {
    match outcome {
        Ok(answer) => {
            let (answer, was) = cut::fit(answer);
            let mut told = json!({"ok": answer});
            if let Some(bytes) = was {
                told["note"] = format!("cut: the whole answer has {bytes} bytes; {}", tool.rest).into();
            }
            CallToolResult::structured(told)
        }
        Err(failure) => CallToolResult::structured_error(json!({"error": failure})),
    }
}
