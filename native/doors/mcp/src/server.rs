//! The server: it finds out who asks for what, has it done, and says what came of it.

use crate::arguments::{self, Asked};
use crate::calls::{Calls, Client};
use crate::runs::{self, Known, Runs, Standing};
use crate::sessions::{self, Said};
use crate::table::Tool;
use crate::{Caller, Grant, answer, listing, prompts, resources, tasks};
use failure::Failure;
use failure::codes::NOT_GRANTED;
use operations::Context;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CreateTaskResult, CustomRequest, CustomResult,
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, GetTaskParams, GetTaskResult,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, PromptMessage, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Role, ServerCapabilities, ServerConfig, UpdateTaskParams,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// What makes the context of a call. The server sets who hears its events and what cancels it.
pub type Contexts = Arc<dyn Fn() -> Context + Send + Sync>;

/// The table of operations, for agents. Clones are the same server.
#[derive(Clone)]
pub struct Server(Arc<Shared>);

struct Shared {
    contexts: Contexts,
    grant: Grant,
    runs: Runs,
    calls: Calls,
}

const INSTRUCTIONS: &str = "Workbooks runs plans whose DONE is earned: a task counts when its check passes in a sandbox, not \
                            when you say so. Write a plan in Org, check_plan it, run_plan it, report_task what you did.";

impl Server {
    /// A server that can do what the grant says. A caller over HTTP may have another.
    pub fn new(contexts: Contexts, grant: Grant) -> Server {
        Server(Arc::new(Shared {
            contexts,
            grant,
            runs: Runs::default(),
            calls: Calls::default(),
        }))
    }

    /// Seals the log of calls.
    pub(crate) fn finish(&self) {
        self.0.calls.finish();
    }

    /// The context of a call, seen from where the caller's relative paths begin.
    fn context(&self, grant: &Grant) -> Context {
        let mut context = (self.0.contexts)();
        context.here = grant.directories.base().to_owned();
        context
    }

    fn grant(&self, request: &RequestContext<RoleServer>) -> Grant {
        caller(request).map_or_else(|| self.0.grant.clone(), |caller| caller.grant.clone())
    }

    /// Does what was asked, and writes it down.
    async fn perform(
        &self,
        tool: &'static Tool,
        sent: CallToolRequestParams,
        request: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Failure> {
        let grant = self.grant(request);
        let mut arguments = sent.arguments.clone().unwrap_or_default();
        let context = self.context(&grant);
        let understood = arguments::action(tool, &mut arguments, &grant)
            .and_then(|action| arguments::read(tool, action, arguments, &grant));
        let asked = match understood {
            Ok(asked) => asked,
            Err(failure) => {
                self.0.calls.refuse(&context, &client(request), tool.name, &failure)?;
                return Err(failure);
            }
        };
        let begun = self.0.calls.begin(&context, &client(request), &asked)?;
        let outcome = self.dispatch(&asked, &sent, request, &grant).await;
        self.0.calls.end(&context, begun, outcome.as_ref().map(drop))?;
        outcome
    }

    async fn dispatch(
        &self,
        asked: &Asked,
        sent: &CallToolRequestParams,
        request: &RequestContext<RoleServer>,
        grant: &Grant,
    ) -> Result<CallToolResponse, Failure> {
        let contexts = || self.context(grant);
        let params = asked.params.clone();
        let run = params["run"].as_str().unwrap_or_default().to_owned();
        let told = |answer: Value| answer::of(asked.tool, Ok(answer)).into();
        match asked.action.operation {
            "run.start" => self.start(asked, params, request, grant).await,
            "run.report" => {
                self.require_visible(&run, grant).await?;
                let known = self.0.runs.get(&run);
                runs::report(known.as_deref(), contexts, params).await.map(told)
            }
            "run.status" if run.is_empty() => {
                let mut list = operations::call(Arc::new(contexts()), "run.list", json!({})).await?;
                if let Some(list) = list.as_array_mut() {
                    list.retain(|standing| visible(standing, grant).is_ok());
                }
                Ok(told(list))
            }
            "run.status" => {
                if let Some(seconds) = asked.wait {
                    let known = self.0.runs.get(&run);
                    let waiting = runs::wait(known.as_deref(), contexts, &run, Duration::from_secs(seconds));
                    tokio::select! {
                        waited = waiting => waited?,
                        () = request.ct.cancelled() => return Err(cancelled()),
                    }
                }
                let standing = runs::status(Arc::new(contexts()), &run).await?;
                visible(&standing, grant)?;
                Ok(told(standing))
            }
            "run.cancel" => {
                self.require_visible(&run, grant).await?;
                runs::cancel(contexts(), &run).await.map(told)
            }
            "session.continue" => self.go_on(asked, sent, request, grant).await,
            name => self.ask(name, params, asked, request, grant).await.map(told),
        }
    }

    /// Refuses what is about a run of a plan outside of the caller's directories.
    async fn require_visible(&self, run: &str, grant: &Grant) -> Result<(), Failure> {
        let standing = runs::status(Arc::new(self.context(grant)), run).await?;
        visible(&standing, grant)
    }

    /// Asks an operation. A client that gives up ends it.
    async fn ask(
        &self,
        name: &str,
        params: Value,
        asked: &Asked,
        request: &RequestContext<RoleServer>,
        grant: &Grant,
    ) -> Result<Value, Failure> {
        let mut context = self.context(grant);
        context.workdir = asked.workdir.clone();
        let cancel = context.cancel.clone();
        let call = operations::call(Arc::new(context), name, params);
        let mut call = std::pin::pin!(call);
        tokio::select! {
            answer = &mut call => return answer,
            () = request.ct.cancelled() => cancel.cancel(),
        }
        // What was cancelled says so itself, when it has let go of everything.
        call.await
    }

    /// Starts a run. Whoever does the work needs the tasks now; everybody else the end.
    async fn start(
        &self,
        asked: &Asked,
        params: Value,
        request: &RequestContext<RoleServer>,
        grant: &Grant,
    ) -> Result<CallToolResponse, Failure> {
        let waits = params["worker"] == "wait";
        let known = self.0.runs.start(self.context(grant), params).await?;
        if waits {
            known.ready().await;
            let mut standing = runs::status(Arc::new(self.context(grant)), &known.id).await?;
            if let Some(tasks) = standing["tasks"].as_array_mut() {
                tasks.retain(|task| task["kind"] == "leaf" && task["state"] != "done");
            }
            return Ok(answer::of(asked.tool, Ok(standing)).into());
        }
        if request
            .client_capabilities()
            .is_some_and(|client| client.supports_tasks())
        {
            return Ok(CreateTaskResult::new(tasks::begun(&known)).into());
        }
        let outcome = tokio::select! {
            outcome = end(&known, request) => outcome,
            () = request.ct.cancelled() => {
                self.cancel(&known, grant).await;
                Err(cancelled())
            }
        };
        Ok(answer::of(asked.tool, Ok(outcome?)).into())
    }

    async fn cancel(&self, known: &Known, grant: &Grant) {
        let _ = runs::cancel(self.context(grant), &known.id).await;
    }

    /// Goes on with a session. Where only a person's approval is missing and the client can ask, it does.
    async fn go_on(
        &self,
        asked: &Asked,
        sent: &CallToolRequestParams,
        request: &RequestContext<RoleServer>,
        grant: &Grant,
    ) -> Result<CallToolResponse, Failure> {
        let told = |answer: Value| Ok(answer::of(asked.tool, Ok(answer)).into());
        let mut params = asked.params.clone();
        let can_ask = request
            .client_capabilities()
            .is_some_and(|client| client.elicitation.is_some());
        if !can_ask {
            return told(self.ask("session.continue", params, asked, request, grant).await?);
        }
        sessions::without_confirmation(&mut params);
        if let (Some(state), Some(said)) = (&sent.request_state, sessions::said(sent.input_responses.as_ref())) {
            params["token"] = state.as_str().into();
            agreed(&mut params, said)?;
            return told(self.ask("session.continue", params, asked, request, grant).await?);
        }
        let answer = self
            .ask("session.continue", params.clone(), asked, request, grant)
            .await?;
        if !sessions::wants_approval(&answer) {
            return told(answer);
        }
        let round_trips = request
            .protocol_version()
            .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        if round_trips {
            return Ok(sessions::round_trip(&answer).into());
        }
        // Before round trips a server asked while the call waited.
        let said = match request.peer.create_elicitation(sessions::question(&answer)).await {
            Ok(result) => {
                let accepted = result.action == rmcp::model::ElicitationAction::Accept;
                let content = serde_json::to_value(result.content).unwrap_or_default();
                sessions::read(accepted, &content)
            }
            Err(_) => return told(answer),
        };
        params["token"] = answer["token"].clone();
        agreed(&mut params, said)?;
        told(self.ask("session.continue", params, asked, request, grant).await?)
    }
}

fn agreed(params: &mut Value, said: Said) -> Result<(), Failure> {
    match said {
        Said::Yes(statement) => {
            sessions::confirm(params, statement.as_deref());
            Ok(())
        }
        Said::No => Err(Failure::new(
            NOT_GRANTED,
            "the user did not approve this step",
            "ask what should be different, change it, and continue with the token of the last answer",
        )),
    }
}

/// A run of a plan outside of the directories is not shown.
fn visible(standing: &Value, grant: &Grant) -> Result<(), Failure> {
    let plan = standing["plan"].as_str().unwrap_or_default();
    match grant.directories.holds(plan.as_ref()) {
        true => Ok(()),
        false => Err(Failure::new(
            NOT_GRANTED,
            "the plan of this run is outside of the directories that were listed",
            "ask about another run",
        )),
    }
}

fn cancelled() -> Failure {
    Failure::new(failure::codes::CANCELLED, "the call was cancelled", "call again")
}

/// Waits for the end of a run, and tells each change on the way.
async fn end(known: &Known, request: &RequestContext<RoleServer>) -> Result<Value, Failure> {
    let mut standing = known.standing.clone();
    loop {
        let now = standing.borrow_and_update().clone();
        progress(request, &now).await;
        if let Some(outcome) = now.outcome {
            return outcome;
        }
        if standing.changed().await.is_err() {
            return Err(Failure::internal("the run was given up"));
        }
    }
}

async fn progress(request: &RequestContext<RoleServer>, standing: &Standing) {
    let Some(token) = request.meta.get_progress_token() else {
        return;
    };
    if standing.message.is_empty() {
        return;
    }
    let told = ProgressNotificationParam::new(token, standing.finished as f64)
        .with_total(standing.total as f64)
        .with_message(standing.message.clone());
    // A client that does not listen loses nothing but this.
    let _ = request.peer.notify_progress(told).await;
}

fn caller(request: &RequestContext<RoleServer>) -> Option<&Caller> {
    request
        .extensions
        .get::<http::request::Parts>()?
        .extensions
        .get::<Caller>()
}

fn client(request: &RequestContext<RoleServer>) -> Client {
    let named = request
        .client_info()
        .map(|client| format!("{} {}", client.name, client.version));
    Client {
        name: named.unwrap_or_else(|| "unnamed".into()).chars().take(200).collect(),
        caller: caller(request).map(|caller| caller.name.clone()),
    }
}

/// A failure to find or to read, in the protocol's own errors.
fn refused(failure: Failure) -> ErrorData {
    let data = serde_json::to_value(&failure).ok();
    match failure.code.kind {
        failure::Kind::NotFound | failure::Kind::Auth => ErrorData::resource_not_found(failure.message, data),
        failure::Kind::Usage => ErrorData::invalid_params(failure.message, data),
        _ => ErrorData::internal_error(failure.message, data),
    }
}

/// Work that reads directories stays off the thread that answers.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ErrorData> {
    let lost = |lost: tokio::task::JoinError| ErrorData::internal_error(lost.to_string(), None);
    tokio::task::spawn_blocking(work).await.map_err(lost)
}

type Listing = Option<PaginatedRequestParams>;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("workbooks", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(&self, _: Listing, request: RequestContext<RoleServer>) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(listing::tools(&self.grant(&request))))
    }

    async fn call_tool(
        &self,
        sent: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Tool::find(&sent.name) else {
            let name: String = sent.name.chars().take(64).collect();
            return Err(ErrorData::invalid_params(format!("there is no tool `{name}`"), None));
        };
        let outcome = self.perform(tool, sent, &request).await;
        Ok(outcome.unwrap_or_else(|failure| answer::of(tool, Err(failure)).into()))
    }

    async fn list_resources(
        &self,
        _: Listing,
        request: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let (server, grant) = (self.clone(), self.grant(&request));
        let list = move || resources::list(&grant.directories, &server.0.runs, &server.context(&grant));
        Ok(ListResourcesResult::with_all_items(blocking(list).await?))
    }

    async fn list_resource_templates(
        &self,
        _: Listing,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        sent: ReadResourceRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let grant = self.grant(&request);
        let read = resources::read(&grant.directories, self.context(&grant), &sent.uri).await;
        let contents = read.map_err(refused)?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Listing,
        request: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let grant = self.grant(&request);
        let found = blocking(move || prompts::list(&grant.directories)).await?;
        let listed = found.iter().map(prompts::Workflow::prompt).collect();
        Ok(ListPromptsResult::with_all_items(listed))
    }

    async fn get_prompt(
        &self,
        sent: GetPromptRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let grant = self.grant(&request);
        let found = blocking(move || prompts::list(&grant.directories)).await?;
        let Some(workflow) = found.iter().find(|workflow| workflow.id == sent.name) else {
            let name: String = sent.name.chars().take(64).collect();
            return Err(ErrorData::invalid_params(format!("there is no prompt `{name}`"), None));
        };
        let text = workflow.text(sent.arguments.as_ref());
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }

    async fn get_task(
        &self,
        sent: GetTaskParams,
        request: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let (server, grant) = (self.clone(), self.grant(&request));
        let get = move || tasks::get(&server.0.runs, &server.context(&grant), &grant, &sent.task_id);
        Ok(GetTaskResult::new(blocking(get).await??))
    }

    async fn update_task(&self, sent: UpdateTaskParams, request: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        // A run asks for nothing, so there is no answer that anybody waits for.
        let (server, grant) = (self.clone(), self.grant(&request));
        let get = move || tasks::get(&server.0.runs, &server.context(&grant), &grant, &sent.task_id);
        blocking(get).await?.map(drop)
    }

    async fn cancel_task(&self, sent: CancelTaskParams, request: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let grant = self.grant(&request);
        let (server, seen, id) = (self.clone(), grant.clone(), sent.task_id.clone());
        let get = move || tasks::get(&server.0.runs, &server.context(&seen), &seen, &id);
        let task = blocking(get).await??;
        if task.status().is_terminal() {
            return Ok(());
        }
        if let Err(failure) = grant.require(operations::find("run.cancel").map_err(refused)?) {
            return Err(ErrorData::invalid_request(failure.message, None));
        }
        let context = self.context(&grant);
        let noted = self.0.calls.note(&context, &client(&request), "tasks/cancel");
        noted.map_err(|failure| ErrorData::internal_error(failure.message, None))?;
        let ended = runs::cancel(context, &sent.task_id).await;
        ended
            .map(drop)
            .map_err(|failure| ErrorData::internal_error(failure.message, None))
    }

    /// A request of the protocol's own whose parameters cannot be read comes here as well.
    async fn on_custom_request(
        &self,
        sent: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method: String = sent.method.chars().take(64).collect();
        match KNOWN.contains(&sent.method.as_str()) {
            true => Err(ErrorData::invalid_params(
                format!("the parameters of `{method}` cannot be read"),
                None,
            )),
            false => Err(ErrorData::new(
                rmcp::model::ErrorCode::METHOD_NOT_FOUND,
                format!("there is no method `{method}`"),
                None,
            )),
        }
    }
}

/// Methods that a server with our capabilities has.
const KNOWN: [&str; 12] = [
    "completion/complete",
    "initialize",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "tasks/cancel",
    "tasks/get",
    "tasks/update",
    "tools/call",
    "tools/list",
];
