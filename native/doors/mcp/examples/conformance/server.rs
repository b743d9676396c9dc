//! The product's server, with fixtures in front of it.
#![allow(deprecated, reason = "the older revision of the protocol is served as well")]

use crate::fixtures::{self, question, roots, sampling};
use crate::tasks;
use mcp::Server;
use rmcp::ServerHandler;
use rmcp::model::*;
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext, SubscriptionSink};
use rmcp::task_manager::TaskManager;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Clone)]
pub struct Fixtured(Arc<Inner>);

struct Inner {
    product: Server,
    tasks: TaskManager,
    /// States of round trips that we gave out. Whatever else comes back was made by somebody else.
    states: Mutex<HashSet<String>>,
    listeners: Mutex<HashMap<u64, SubscriptionSink>>,
}

/// A value of the protocol from its JSON.
pub fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("a fixture has the shape of the protocol")
}

/// A result of one text.
pub fn text(text: &str) -> CallToolResult {
    read(json!({"resultType": "complete", "content": [{"type": "text", "text": text}], "isError": false}))
}

type Request = RequestContext<RoleServer>;

impl Fixtured {
    pub fn new(product: Server) -> Fixtured {
        Fixtured(Arc::new(Inner {
            product,
            tasks: TaskManager::new(),
            states: Mutex::default(),
            listeners: Mutex::default(),
        }))
    }

    /// A state that only we can have made.
    fn state(&self, name: &str) -> String {
        let mut states = self.0.states.lock().unwrap();
        let state = format!("{name}-{}", states.len());
        states.insert(state.clone());
        state
    }

    fn known(&self, state: Option<&str>) -> Result<Option<String>, ErrorData> {
        match state {
            None => Ok(None),
            Some(state) if self.0.states.lock().unwrap().contains(state) => Ok(Some(state.to_owned())),
            Some(_) => Err(ErrorData::invalid_params("this state was tampered with", None)),
        }
    }

    /// Tools that ask for something before they answer.
    fn round_trip(
        &self,
        sent: &CallToolRequestParams,
        client: &ClientCapabilities,
    ) -> Result<CallToolResponse, ErrorData> {
        let state = self.known(sent.request_state.as_deref())?;
        let answer = |key: &str| {
            sent.input_responses
                .as_ref()?
                .get(key)
                .filter(|answer| answer.is_object())
        };
        let ask = |requests: Value, state: Option<String>| {
            let mut asked = json!({"resultType": "input_required", "inputRequests": requests});
            if let Some(state) = state {
                asked["requestState"] = state.into();
            }
            Ok(read::<InputRequiredResult>(asked).into())
        };
        let name = || question("What is your name?", "name", "string");
        match sent
            .name
            .strip_prefix("test_input_required_result_")
            .unwrap_or_default()
        {
            "elicitation" => match answer("user_name") {
                Some(said) => Ok(text(&format!(
                    "Hello, {}!",
                    said["content"]["name"].as_str().unwrap_or_default()
                ))
                .into()),
                None => ask(json!({"user_name": name()}), None),
            },
            "sampling" => match answer("capital_question") {
                Some(said) => Ok(text(&said.to_string()).into()),
                None => ask(
                    json!({"capital_question": sampling("What is the capital of France?")}),
                    None,
                ),
            },
            "list_roots" => match answer("client_roots") {
                Some(said) => Ok(text(&said.to_string()).into()),
                None => ask(json!({"client_roots": roots()}), None),
            },
            "request_state" | "tampered_state" => match state {
                Some(_) => Ok(text("state-ok").into()),
                None => ask(
                    json!({"confirm": question("Confirm", "ok", "boolean")}),
                    Some(self.state("confirm")),
                ),
            },
            "multiple_inputs" => match ["user_name", "greeting", "client_roots"]
                .iter()
                .all(|key| answer(key).is_some())
            {
                true => Ok(text("all there").into()),
                false => ask(
                    json!({"user_name": name(), "greeting": sampling("Greet"), "client_roots": roots()}),
                    Some(self.state("gather")),
                ),
            },
            "multi_round" => match state.as_deref().unwrap_or_default() {
                "" => ask(json!({"step1": name()}), Some(self.state("first"))),
                first if first.starts_with("first") => ask(
                    json!({"step2": question("Which colour?", "color", "string")}),
                    Some(self.state("second")),
                ),
                _ => Ok(text("both rounds are over").into()),
            },
            _ if sent.input_responses.is_some() => Ok(text("thanks").into()),
            _ => {
                let mut requests = Map::new();
                if client.elicitation.is_some() {
                    requests.insert("user_name".into(), name());
                }
                if client.sampling.is_some() {
                    requests.insert("greeting".into(), sampling("Greet"));
                }
                if client.roots.is_some() {
                    requests.insert("client_roots".into(), roots());
                }
                match requests.is_empty() {
                    true => Ok(text("nothing to ask").into()),
                    false => ask(Value::Object(requests), None),
                }
            }
        }
    }

    /// Tools that talk while they work.
    async fn talking(
        &self,
        sent: &CallToolRequestParams,
        arguments: &Value,
        request: &Request,
    ) -> Result<CallToolResult, ErrorData> {
        let listeners = || self.0.listeners.lock().unwrap().values().cloned().collect::<Vec<_>>();
        match sent.name.as_ref() {
            "test_tool_with_logging" => {
                for words in [
                    "Tool execution started",
                    "Tool processing data",
                    "Tool execution completed",
                ] {
                    log(request, LoggingLevel::Info, words).await;
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
            "test_logging_tool" => {
                if let Some(level) = request.meta.log_level() {
                    log(request, level, "asked for").await;
                }
            }
            "test_tool_with_progress" => {
                for step in [0.0, 50.0, 100.0] {
                    if let Some(token) = request.meta.get_progress_token() {
                        let told = ProgressNotificationParam::new(token, step).with_total(100.0);
                        let _ = request.peer.notify_progress(told).await;
                    }
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
            "test_sampling" => {
                let params = sampling(arguments["prompt"].as_str().unwrap_or("Hello"))["params"].clone();
                let result = request.peer.create_message(read(params)).await;
                let result = result.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                return Ok(text(&format!("LLM response: {}", json!(result))));
            }
            name @ ("test_elicitation" | "test_elicitation_sep1034_defaults" | "test_elicitation_sep1330_enums") => {
                let message = arguments["message"].as_str().unwrap_or("Please answer");
                let params = json!({"mode": "form", "message": message, "requestedSchema": fixtures::form(name)});
                let result = request.peer.create_elicitation(read(params)).await;
                let result = json!(result.map_err(|error| ErrorData::internal_error(error.to_string(), None))?);
                let (action, content) = (result["action"].as_str().unwrap_or_default(), &result["content"]);
                return Ok(text(&format!(
                    "Elicitation completed: action={action}, content={content}"
                )));
            }
            "test_trigger_tool_change" => {
                for listener in listeners() {
                    let _ = listener.notify_tool_list_changed().await;
                }
            }
            "test_trigger_prompt_change" => {
                for listener in listeners() {
                    let _ = listener.notify_prompt_list_changed().await;
                }
            }
            "test_custom_header" => return Ok(text(arguments["value"].as_str().unwrap_or_default())),
            "test_missing_capability"
                if request
                    .meta
                    .client_capabilities()
                    .unwrap_or_default()
                    .sampling
                    .is_none() =>
            {
                let missing = ClientCapabilities::builder().enable_sampling().build();
                return Err(ErrorData::missing_required_client_capability(missing));
            }
            _ => {}
        }
        Ok(text("done"))
    }
}

async fn log(request: &Request, level: LoggingLevel, words: &str) {
    let told = LoggingMessageNotificationParam::new(level, json!(words)).with_logger("fixtures");
    let _ = request.peer.notify_logging_message(told).await;
}

impl ServerHandler for Fixtured {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.0.product.get_info();
        info.capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_logging()
            .enable_completions()
            .enable_tasks()
            .build();
        info
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let found = fixtures::tools().into_iter().find(|(tool, _)| *tool == name)?;
        Some(read(json!({"name": found.0, "inputSchema": found.1})))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let key = {
            let mut listeners = self.0.listeners.lock().unwrap();
            let key = listeners.keys().max().map_or(0, |last| last + 1);
            listeners.insert(key, context.sink().clone());
            key
        };
        context.cancelled().await;
        self.0.listeners.lock().unwrap().remove(&key);
        Ok(())
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        request: Request,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.0.product.list_tools(page, request).await?;
        let fixture = |(name, schema): (&str, Value)| {
            read(json!({"name": name, "description": "a fixture", "inputSchema": schema}))
        };
        listed.tools.extend(fixtures::tools().into_iter().map(fixture));
        Ok(listed)
    }

    async fn call_tool(&self, sent: CallToolRequestParams, request: Request) -> Result<CallToolResponse, ErrorData> {
        if !fixtures::tools().iter().any(|(name, _)| *name == sent.name) {
            return self.0.product.call_tool(sent, request).await;
        }
        if let Some(fixed) = fixtures::fixed(&sent.name) {
            return Ok(read::<CallToolResult>(fixed).into());
        }
        let client = request.client_capabilities().unwrap_or_default();
        if sent.name.starts_with("test_input_required_result_") {
            return self.round_trip(&sent, &client);
        }
        if sent.name == "test_streaming_elicitation" {
            let requests = json!({"value": question("Give a value", "value", "string")});
            return Ok(
                read::<InputRequiredResult>(json!({"resultType": "input_required", "inputRequests": requests})).into(),
            );
        }
        let arguments = Value::Object(sent.arguments.clone().unwrap_or_default());
        let responses = sent.input_responses.as_ref();
        match tasks::call(
            &self.0.tasks,
            &sent.name,
            &arguments,
            responses,
            client.supports_tasks(),
        )
        .await
        {
            Some(answer) => answer,
            None => Ok(self.talking(&sent, &arguments, &request).await?.into()),
        }
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        request: Request,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut listed = self.0.product.list_resources(page, request).await?;
        let uris = ["test://static-text", "test://static-binary", "test://watched-resource"];
        listed.resources.extend(uris.map(|uri| Resource::new(uri, uri)));
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        request: Request,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut listed = self.0.product.list_resource_templates(page, request).await?;
        listed
            .resource_templates
            .push(ResourceTemplate::new("test://template/{id}/data", "fixture"));
        Ok(listed)
    }

    async fn read_resource(
        &self,
        sent: ReadResourceRequestParams,
        request: Request,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match fixtures::resource(&sent.uri) {
            Some(contents) => Ok(ReadResourceResult::new(vec![read(contents)]).into()),
            None => self.0.product.read_resource(sent, request).await,
        }
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Request) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Request) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        request: Request,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut listed = self.0.product.list_prompts(page, request).await?;
        listed.prompts.extend(read::<Vec<Prompt>>(fixtures::prompts()));
        Ok(listed)
    }

    async fn get_prompt(&self, sent: GetPromptRequestParams, request: Request) -> Result<GetPromptResponse, ErrorData> {
        if sent.name == "test_input_required_result_prompt" {
            let said = sent.input_responses.as_ref().and_then(|all| all.get("user_context"));
            return Ok(match said {
                Some(said) => {
                    let words = format!("With {}", said["content"]["context"]);
                    let message = json!({"role": "user", "content": {"type": "text", "text": words}});
                    read::<GetPromptResult>(json!({"resultType": "complete", "messages": [message]})).into()
                }
                None => {
                    let requests = json!({"user_context": question("Which context?", "context", "string")});
                    read::<InputRequiredResult>(json!({"resultType": "input_required", "inputRequests": requests}))
                        .into()
                }
            });
        }
        let arguments = Value::Object(sent.arguments.clone().unwrap_or_default());
        match fixtures::prompt(&sent.name, &arguments) {
            Some(prompt) => Ok(read::<GetPromptResult>(prompt).into()),
            None => self.0.product.get_prompt(sent, request).await,
        }
    }

    async fn complete(&self, _: CompleteRequestParams, _: Request) -> Result<CompleteResult, ErrorData> {
        let values = CompletionInfo::new(vec!["paris".into(), "park".into(), "party".into()]);
        Ok(CompleteResult::new(
            values.map_err(|error| ErrorData::internal_error(error, None))?,
        ))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Request) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn get_task(&self, sent: GetTaskParams, request: Request) -> Result<GetTaskResult, ErrorData> {
        match self.0.tasks.get_task(&sent.task_id) {
            Ok(task) => Ok(GetTaskResult::new(task)),
            Err(_) => self.0.product.get_task(sent, request).await,
        }
    }

    async fn update_task(&self, sent: UpdateTaskParams, request: Request) -> Result<(), ErrorData> {
        match self.0.tasks.get_task(&sent.task_id) {
            Ok(_) => self.0.tasks.update_task(&sent.task_id, sent.input_responses),
            Err(_) => self.0.product.update_task(sent, request).await,
        }
    }

    async fn cancel_task(&self, sent: CancelTaskParams, request: Request) -> Result<(), ErrorData> {
        match self.0.tasks.get_task(&sent.task_id) {
            Ok(_) => self.0.tasks.cancel_task(&sent.task_id),
            Err(_) => self.0.product.cancel_task(sent, request).await,
        }
    }
}
