//! Tools that become tasks.

use crate::fixtures::question;
use crate::server::{read, text};
use rmcp::model::{
    CallToolResponse, ClientCapabilities, CreateTaskResult, ErrorData, InputRequiredResult, InputResponses,
};
use rmcp::task_manager::{TaskContext, TaskExit, TaskFuture, TaskManager, TaskOptions};
use serde_json::{Value, json};
use std::time::Duration;

/// Tools that cannot do without a task.
const ONLY_AS_TASK: [&str; 4] = ["confirm_delete", "failing_job", "multi_input", "test_tool_with_task"];

/// Answers, or makes a task that will.
pub async fn call(
    tasks: &TaskManager,
    tool: &str,
    arguments: &Value,
    responses: Option<&InputResponses>,
    client_has_tasks: bool,
) -> Option<Result<CallToolResponse, ErrorData>> {
    if tool == "greet" {
        let name = arguments["name"].as_str().unwrap_or("friend");
        return Some(Ok(text(&format!("Hello, {name}!")).into()));
    }
    if !["slow_compute", "protocol_error_job"].contains(&tool) && !ONLY_AS_TASK.contains(&tool) {
        return None;
    }
    if ONLY_AS_TASK.contains(&tool) && !client_has_tasks {
        let missing = ClientCapabilities::builder().enable_tasks().build();
        return Some(Err(ErrorData::missing_required_client_capability(missing)));
    }
    if tool == "test_tool_with_task" && named(responses).is_none() {
        let requests = json!({"user_name": question("What is your name?", "name", "string")});
        let asked: InputRequiredResult = read(json!({"resultType": "input_required", "inputRequests": requests}));
        return Some(Ok(asked.into()));
    }
    let (tool, arguments, name) = (tool.to_owned(), arguments.clone(), named(responses));
    if client_has_tasks {
        let work = move |context| -> TaskFuture { Box::pin(work(tool, arguments, name, Some(context))) };
        return Some(Ok(
            CreateTaskResult::new(tasks.spawn(TaskOptions::default(), work)).into()
        ));
    }
    Some(match work(tool, arguments, name, None).await {
        Ok(result) => Ok(result.into()),
        Err(TaskExit::Error(error)) => Err(error),
        Err(TaskExit::Cancelled) => Err(ErrorData::internal_error("cancelled", None)),
    })
}

fn named(responses: Option<&InputResponses>) -> Option<String> {
    let response = responses?.get("user_name")?;
    response["content"]["name"].as_str().map(str::to_owned)
}

async fn ask(context: Option<TaskContext>, key: &str, field: &str, kind: &str) -> Result<Value, TaskExit> {
    match context {
        Some(context) => {
            context
                .request_input(key, read(question("Please answer", field, kind)))
                .await
        }
        None => Err(TaskExit::Cancelled),
    }
}

async fn work(
    tool: String,
    arguments: Value,
    name: Option<String>,
    context: Option<TaskContext>,
) -> Result<rmcp::model::CallToolResult, TaskExit> {
    let ask = |key: &'static str, field: &'static str, kind: &'static str| ask(context.clone(), key, field, kind);
    match tool.as_str() {
        "slow_compute" => {
            let seconds = arguments["seconds"].as_f64().unwrap_or(1.0);
            let done = tokio::time::sleep(Duration::from_secs_f64(seconds));
            match &context {
                Some(context) => tokio::select! {
                    () = context.cancelled() => return Err(TaskExit::Cancelled),
                    () = done => {}
                },
                None => done.await,
            }
            Ok(text(&format!("computed for {seconds} s")))
        }
        "failing_job" => {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(read(
                json!({"resultType": "complete", "content": [{"type": "text", "text": "it failed, as it should"}], "isError": true}),
            ))
        }
        "protocol_error_job" => {
            tokio::time::sleep(Duration::from_millis(200)).await;
            Err(TaskExit::Error(ErrorData::internal_error(
                "it broke, as it should",
                None,
            )))
        }
        "confirm_delete" => {
            let answer = ask("confirm", "confirm", "boolean").await?;
            Ok(text(&format!("confirmed: {}", answer["content"]["confirm"])))
        }
        "multi_input" => {
            let (a, b) = tokio::join!(ask("input-a", "value", "string"), ask("input-b", "value", "string"));
            Ok(text(&format!(
                "{} and {}",
                a?["content"]["value"], b?["content"]["value"]
            )))
        }
        _ => Ok(text(&format!("Hello, {}! (later)", name.unwrap_or_default()))),
    }
}
