//! The frames of a conversation: `{id, op, params}` one way, `{id, ok | error}` and `{id, event}` the other. A line of
//! JSON each on a pipe, a message each on a WebSocket.

use crate::{code, params};
use failure::{Failure, codes};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A question in a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// What the answers to it are marked with.
    pub id: u64,
    /// The operation.
    pub op: String,
    /// Its parameters.
    #[serde(default)]
    pub params: Value,
}

/// Something that is said about a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The question.
    pub id: u64,
    /// What is said.
    pub message: Message,
}

/// What is said about a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// How it goes.
    Event(Value),
    /// The answer.
    Ok(Value),
    /// Why there is none.
    Error(Failure),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    id: u64,
    /// An answer may well be null.
    #[serde(default, deserialize_with = "present")]
    ok: Option<Value>,
    error: Option<SentFailure>,
    event: Option<Value>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SentFailure {
    code: String,
    message: String,
    #[serde(default)]
    hint: String,
    #[serde(default)]
    retryable: bool,
    #[serde(default)]
    details: Option<Value>,
    #[serde(default)]
    pointer: Option<String>,
}

impl Reply {
    /// Reads a line. One that is no reply is an error that names the field.
    ///
    /// ```
    /// use operations::{Message, Reply};
    /// let reply = Reply::read(r#"{"id":1,"event":{"event":"task_started"}}"#).unwrap();
    /// assert!(matches!(reply.message, Message::Event(_)));
    /// let broken = Reply::read(r#"{"id":1,"error":{"code":7}}"#).unwrap_err();
    /// assert_eq!(broken.pointer.as_deref(), Some("/error/code"));
    /// assert!(Reply::read("hello").is_err());
    /// ```
    pub fn read(line: &str) -> Result<Reply, Failure> {
        let broken = |why: String| Failure::internal(format!("the engine said what is no frame: {why}"));
        let value: Value = serde_json::from_str(line).map_err(|e| broken(e.to_string()))?;
        let Sent { id, ok, error, event } =
            params::read(value).map_err(|at| broken(at.message).at(at.pointer.unwrap_or_default()))?;
        let message = match (ok, error, event) {
            (Some(ok), None, None) => Message::Ok(ok),
            (None, Some(error), None) => Message::Error(error.into()),
            (None, None, Some(event)) => Message::Event(event),
            _ => return Err(broken("it has not one of `ok`, `error` and `event`".into())),
        };
        Ok(Reply { id, message })
    }
}

/// A failure that somebody sent: `{code, message, hint, ..}`. One that is none is a mistake of ours.
///
/// ```
/// let sent = serde_json::json!({"code": "unknown_run", "message": "there is no run `r`"});
/// assert_eq!(operations::failure(sent).code.name, "unknown_run");
/// assert_eq!(operations::failure(serde_json::json!(7)).code.name, "internal");
/// ```
pub fn failure(sent: Value) -> Failure {
    match params::read::<SentFailure>(sent) {
        Ok(sent) => sent.into(),
        Err(at) => Failure::internal(format!("an error that cannot be read: {}", at.message)),
    }
}

impl From<SentFailure> for Failure {
    fn from(sent: SentFailure) -> Self {
        let known = code(&sent.code);
        let message = match known {
            Some(_) => sent.message,
            None => format!("an unknown error `{}`: {}", sent.code, sent.message),
        };
        Failure {
            code: known.unwrap_or(codes::INTERNAL),
            message,
            hint: sent.hint,
            retryable: sent.retryable,
            details: sent
                .details
                .filter(|details| details.as_object().is_some_and(|d| !d.is_empty()))
                .map(Box::new),
            pointer: sent.pointer.map(Into::into),
        }
    }
}
