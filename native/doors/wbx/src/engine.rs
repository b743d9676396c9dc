//! Who answers what is live: an engine that runs already, or one of our own for this call.

pub mod attach;
pub mod client;
mod private;

use crate::failure::Failure;
use client::{Client, Telling, Told};
use operations::events::Event;
use private::Private;
pub use private::{PROGRAMS, command, conversation, on_path, require};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::sync::Arc;

/// An engine that was asked for an operation.
pub enum Engine {
    /// A VM of our own. It ends with this.
    Private(Private),
    /// Somebody else's, which goes on.
    Attached { client: Client, telling: Telling },
}

/// What an engine says about the operation that it was asked for.
pub enum Message {
    /// How it goes, as the engine said it and as it is understood.
    Event(Value, Box<Event>),
    /// What somebody reported was refused: the line, and why.
    Refused { line: u64, reason: String },
    /// The answer.
    Answer(Value),
}

/// Hands on what somebody says about the tasks of a run. `false` when nobody listens any more.
pub type Reports = Arc<dyn Fn(Report) -> bool + Send + Sync>;

/// What somebody says about the tasks of a run.
pub enum Report {
    /// About one task: the parameters of `run.report`, and the line that it came from.
    Task { line: u64, params: Value },
    /// No more reports come: the parameters of `run.close`.
    Over(Value),
}

impl Engine {
    /// Asks for one operation, and gives the answer.
    pub fn ask<T: DeserializeOwned>(operation: &str, params: &impl Serialize) -> Result<T, Failure> {
        let params = checked(operation, params)?;
        if let Some(client) = attach::find()? {
            return understood("an answer", client.ask(operation, &params)?);
        }
        let mut engine = Private::start(operation, params)?;
        loop {
            if let Message::Answer(answer) = engine.next()? {
                return understood("an answer", answer);
            }
        }
    }

    /// Asks for an operation that tells how it goes.
    pub fn start(operation: &str, params: &impl Serialize) -> Result<Self, Failure> {
        let params = checked(operation, params)?;
        match attach::find()? {
            None => Private::start(operation, params).map(Engine::Private),
            Some(client) => Ok(Engine::Attached {
                telling: client.listen(operation, &params)?,
                client,
            }),
        }
    }

    /// The next thing that the engine says about its operation.
    pub fn next(&mut self) -> Result<Message, Failure> {
        match self {
            Engine::Private(engine) => engine.next(),
            Engine::Attached { telling, .. } => match telling.next()? {
                Told::Event(said) => event(said),
                Told::Answer(answer) => Ok(Message::Answer(answer)),
            },
        }
    }

    /// Where reports about the tasks of its run go.
    pub fn reports(&self) -> Reports {
        match self {
            Engine::Private(engine) => engine.reports(),
            Engine::Attached { client, .. } => {
                let client = client.clone();
                Arc::new(move |report| match report {
                    Report::Task { line, params } => {
                        if let Err(failure) = client.ask("run.report", &params) {
                            crate::reports::refused(Some(line), &failure.message);
                        }
                        true
                    }
                    // A run that is over already refuses it, which is as well.
                    Report::Over(params) => client.ask("run.close", &params).is_ok(),
                })
            }
        }
    }
}

/// What is asked is checked before anybody is asked.
fn checked(operation: &str, params: &impl Serialize) -> Result<Value, Failure> {
    let params = serde_json::to_value(params).map_err(|e| failure::Failure::internal(e.to_string()))?;
    operations::find(operation)?.check(&params)?;
    Ok(params)
}

/// An event as it is understood. One that is not is a failure that names the field.
fn event(said: Value) -> Result<Message, Failure> {
    let known = understood("an event", said.clone())?;
    Ok(Message::Event(said, Box::new(known)))
}

/// What the engine sent, as its type. If it is not of it, that is a mistake of ours and not of whoever asked.
fn understood<T: DeserializeOwned>(what: &str, sent: Value) -> Result<T, Failure> {
    operations::read(sent).map_err(|at| {
        let message = format!("the engine sent {what} that cannot be read: {}", at.message);
        let failure = failure::Failure::internal(message);
        failure.at(at.pointer.unwrap_or_default()).into()
    })
}

/// A refused report, as a line for a program.
pub fn refused_line(line: u64, reason: &str) -> String {
    json!({"event": "refused", "line": line, "reason": reason}).to_string()
}
