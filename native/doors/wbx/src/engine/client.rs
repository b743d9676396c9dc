//! An engine that runs already, asked over HTTP.
//!
//! An answer is JSON; events come as server-sent events: `event`, and last `answer`, `error` or `goodbye`.

use crate::failure::{Code, Failure};
use operations::door;
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read},
    time::Duration,
};
use ureq::{Agent, Body, http::Response};

/// What is said wherever an engine was named, or is needed, and none answers.
pub const NO_ENGINE: &str = "no engine reachable — start one with wbx deploy local or set WB_ENGINE_URL";

/// An engine that does not answer its health in this time is not there.
const PATIENCE: Duration = Duration::from_secs(5);

/// A health that has more is none.
const LONGEST_HEALTH: u64 = 64 << 10;

/// The most that an answer may have.
const LONGEST_ANSWER: u64 = 256 << 20;

/// The way to an engine.
#[derive(Clone)]
pub struct Client {
    url: String,
    token: Option<String>,
    agent: Agent,
}

/// How it goes, or how it went.
pub enum Told {
    Event(Value),
    Answer(Value),
}

impl Client {
    /// The engine at an address, if there is one, and if it is of this version.
    pub fn reach(url: &str, token: Option<String>) -> Result<Client, Failure> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(PATIENCE))
            .max_redirects(0)
            .user_agent(concat!("wbx/", env!("CARGO_PKG_VERSION")))
            .build();
        let client = Client {
            url: url.trim_end_matches('/').to_owned(),
            token,
            agent: config.into(),
        };
        client.check_health()?;
        Ok(client)
    }

    fn check_health(&self) -> Result<(), Failure> {
        let asked = self
            .agent
            .get(format!("{}/health", self.url))
            .config()
            .timeout_global(Some(PATIENCE))
            .build()
            .call();
        let mut response = asked.map_err(|error| self.unreachable(&error.to_string()))?;
        let said = json(&mut response, LONGEST_HEALTH).unwrap_or_default();
        match (said["status"].as_str(), said["version"].as_str()) {
            (Some("ok"), Some(env!("CARGO_PKG_VERSION"))) => Ok(()),
            (Some("ok"), Some(other)) => Err(Failure::new(
                Code::EngineMissing,
                format!(
                    "the engine at {} is version {other}, and this is wbx {}",
                    self.url,
                    env!("CARGO_PKG_VERSION")
                ),
                "use the wbx of that version, or stop the engine and start this one with `wbx deploy local`",
            )),
            (Some("draining"), _) => Err(self.unreachable("it is stopping")),
            _ => Err(self.unreachable("what answers there is no engine")),
        }
    }

    /// Asks, and waits for the answer.
    pub fn ask(&self, operation: &str, params: &Value) -> Result<Value, Failure> {
        let mut response = self.post(operation, params, "application/json")?;
        match response.status().as_u16() {
            200 => json(&mut response, LONGEST_ANSWER).map_err(|why| self.broken(&why)),
            status => Err(self.refusal(status, &mut response)),
        }
    }

    /// Asks for an operation that tells how it goes.
    pub fn listen(&self, operation: &str, params: &Value) -> Result<Telling, Failure> {
        let mut response = self.post(operation, params, "text/event-stream")?;
        match response.status().as_u16() {
            200 => Ok(Telling {
                client: self.clone(),
                lines: BufReader::new(Box::new(response.into_body().into_reader())),
            }),
            status => Err(self.refusal(status, &mut response)),
        }
    }

    fn post(&self, operation: &str, params: &Value, accept: &str) -> Result<Response<Body>, Failure> {
        let mut request = self
            .agent
            .post(format!("{}/api/{operation}", self.url))
            .header("content-type", "application/json")
            .header("accept", accept);
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let sent = request.send(params.to_string());
        sent.map_err(|error| self.unreachable(&error.to_string()))
    }

    /// A failure as the engine tells it. One without a body is told by its status.
    fn refusal(&self, status: u16, response: &mut Response<Body>) -> Failure {
        let said = json(response, LONGEST_ANSWER).unwrap_or_default();
        match (status, said.get("error")) {
            (_, Some(error)) => operations::failure(error.clone()).into(),
            (401 | 403, None) => Failure::new(
                Code::Of(door::UNAUTHENTICATED),
                format!("the engine at {} does not take the token", self.url),
                "set WB_ENGINE_TOKEN to a token of `wbx token create`",
            ),
            (_, None) => self.broken(&format!("status {status} without a reason")),
        }
    }

    fn unreachable(&self, why: &str) -> Failure {
        Failure::new(
            Code::EngineMissing,
            format!("the engine at {} does not answer: {why}", self.url),
            NO_ENGINE,
        )
    }

    fn broken(&self, why: &str) -> Failure {
        Failure::new(
            Code::EngineFailed,
            format!("the engine at {} gave no answer that can be read: {why}", self.url),
            "ask again; a run goes on where it stopped",
        )
    }
}

/// The body of a response, or why it is no JSON.
fn json(response: &mut Response<Body>, limit: u64) -> Result<Value, String> {
    let text = response.body_mut().with_config().limit(limit).read_to_string();
    let text = text.map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// An operation that tells how it goes.
pub struct Telling {
    client: Client,
    lines: BufReader<Box<dyn Read + Send>>,
}

impl Telling {
    /// The next thing that is told. Comments, which keep the line open, are passed over.
    pub fn next(&mut self) -> Result<Told, Failure> {
        let (mut kind, mut data) = (String::new(), String::new());
        loop {
            let mut line = String::new();
            match self.lines.read_line(&mut line) {
                Ok(0) => return Err(self.client.broken("it ended in the middle")),
                Err(error) => return Err(self.client.broken(&error.to_string())),
                Ok(_) => {}
            }
            let line = line.trim_end_matches(['\r', '\n']);
            if let Some(value) = line.strip_prefix("event:") {
                kind = value.trim().to_owned();
            } else if let Some(value) = line.strip_prefix("data:") {
                data.push_str(value.strip_prefix(' ').unwrap_or(value));
            } else if line.is_empty() && !kind.is_empty() {
                return self.told(&kind, &data);
            }
        }
    }

    fn told(&self, kind: &str, data: &str) -> Result<Told, Failure> {
        let value: Value = serde_json::from_str(data).map_err(|error| self.client.broken(&error.to_string()))?;
        match kind {
            "event" => Ok(Told::Event(value)),
            "answer" => Ok(Told::Answer(value)),
            "error" => Err(operations::failure(value).into()),
            "goodbye" => Err(Failure::new(
                Code::EngineFailed,
                format!("the engine at {} stops", self.client.url),
                "start it again with `wbx deploy local`; a run goes on where it stopped",
            )),
            other => Err(self.client.broken(&format!("it told `{other}`"))),
        }
    }
}
