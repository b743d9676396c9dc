//! Frames on a WebSocket: `{id, op, params}` one way, `{id, ok}`, `{id, error}` and `{id, event}` the other.
//!
//! `{id, cancel: true}` ends the call of that id, whose answer is then an error `cancelled`. A frame that cannot be read
//! is answered with id 0, or with its own where that can be read, and the conversation goes on. When the client is gone,
//! everything it asked for is cancelled. A client that does not read what it is sent is cut off.

use crate::Bearer;
use crate::call::{Ends, Shared};
use crate::gate::allow;
use crate::refusal::Refusal;
use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::response::{IntoResponse, Response};
use failure::Failure;
use failure::codes::{BAD_OPTION, NOT_JSON};
use futures_util::{SinkExt, StreamExt};
use host::Cancel;
use operations::Frame;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Notify;
use tokio::sync::mpsc::{self, Sender};
use tokio::time::{Instant, interval_at};

/// How a socket names operations: all of them, or the functions of the kernel by their own names, about one workbook.
#[derive(Clone)]
pub(crate) enum Names {
    All,
    Kernel { workbook: String },
}

/// `GET /ws`.
pub(crate) async fn open(
    State(shared): State<Arc<Shared>>,
    Extension(bearer): Extension<Bearer>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Refusal> {
    upgraded(shared, bearer, upgrade, Names::All)
}

/// Turns a request into a conversation.
pub(crate) fn upgraded(
    shared: Arc<Shared>,
    bearer: Bearer,
    upgrade: WebSocketUpgrade,
    names: Names,
) -> Result<Response, Refusal> {
    let permit = shared.streams.admit(&bearer.id)?;
    let open = shared.config.stop.converse();
    let most = shared.config.limits.body;
    let upgrade = upgrade
        .max_message_size(most)
        .max_frame_size(most)
        .write_buffer_size(0)
        .max_write_buffer_size(2 * most)
        .protocols(["workbooks"]);
    Ok(upgrade
        .on_upgrade(move |socket| async move {
            converse(shared, bearer, socket, names).await;
            drop((permit, open));
        })
        .into_response())
}

/// What is under way on one socket.
type UnderWay = Arc<Mutex<HashMap<u64, Cancel>>>;

struct Conversation {
    shared: Arc<Shared>,
    bearer: Bearer,
    names: Names,
    under_way: UnderWay,
    outbox: Sender<Message>,
    /// Thrown when the client does not read.
    slow: Cancel,
    /// Told when a call is answered.
    answered: Arc<Notify>,
}

async fn converse(shared: Arc<Shared>, bearer: Bearer, socket: WebSocket, names: Names) {
    let (mut write, mut read) = socket.split();
    let (outbox, mut inbox) = mpsc::channel::<Message>(shared.config.limits.outbox);
    let conversation = Conversation {
        shared: shared.clone(),
        bearer,
        names,
        under_way: UnderWay::default(),
        outbox,
        slow: Cancel::default(),
        answered: Arc::default(),
    };
    let writer = tokio::spawn(async move {
        while let Some(message) = inbox.recv().await {
            let last = matches!(message, Message::Close(_));
            if write.send(message).await.is_err() || last {
                break;
            }
        }
    });
    let stop = shared.config.stop.clone();
    let pause = shared.config.limits.heartbeat;
    let mut beat = interval_at(Instant::now() + pause, pause);
    // Whether anything was heard since the last beat: a client that is gone does not even answer a ping.
    let mut heard = true;
    let mut draining = false;
    let goodbye = loop {
        if draining && conversation.under_way.lock().is_empty() {
            break Some((1001, "the engine stops"));
        }
        tokio::select! {
            message = read.next() => match message {
                Some(Ok(Message::Text(text))) => {
                    heard = true;
                    conversation.frame(text.as_str()).await;
                }
                Some(Ok(Message::Binary(_))) => break Some((1003, "frames are text")),
                Some(Ok(Message::Close(_))) | None => break None,
                Some(Ok(_)) => heard = true,
                Some(Err(_)) => break Some((1002, "that is no WebSocket message, or too large")),
            },
            _ = beat.tick() => {
                if !heard {
                    break Some((1001, "nothing was heard"));
                }
                heard = false;
                draining |= stop.is_draining();
                if conversation.outbox.try_send(Message::Ping(Default::default())).is_err() {
                    break None;
                }
            }
            () = conversation.slow.cancelled() => break None,
            () = stop.draining(), if !draining => draining = true,
            () = conversation.answered.notified(), if draining => {}
            () = stop.over() => break Some((1001, "the engine stops")),
        }
    };
    for (_, cancel) in conversation.under_way.lock().drain() {
        cancel.cancel();
    }
    if let Some((code, reason)) = goodbye {
        let close = Message::Close(Some(CloseFrame {
            code,
            reason: reason.into(),
        }));
        let _ = conversation.outbox.try_send(close);
    }
    drop(conversation);
    // A client that reads gets what is in the outbox; one that does not is not waited for.
    let abort = writer.abort_handle();
    if tokio::time::timeout(std::time::Duration::from_secs(5), writer)
        .await
        .is_err()
    {
        abort.abort();
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cancelled {
    id: u64,
    cancel: bool,
}

impl Conversation {
    async fn frame(&self, text: &str) {
        if let Err((id, failure)) = self.take(text).await {
            self.say(json!({"id": id, "error": failure})).await;
        }
    }

    async fn take(&self, text: &str) -> Result<(), (u64, Failure)> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            (
                0,
                Failure::new(
                    NOT_JSON,
                    format!("the frame is not JSON: {error}"),
                    "send a JSON object",
                ),
            )
        })?;
        let id = value.get("id").and_then(Value::as_u64).unwrap_or(0);
        if value.get("cancel").is_some() {
            let order: Cancelled = operations::read(value).map_err(|failure| (id, failure))?;
            let found = self.under_way.lock().get(&order.id).cloned();
            return match (found, order.cancel) {
                (Some(cancel), true) => {
                    cancel.cancel();
                    Ok(())
                }
                (_, false) => Err((
                    id,
                    Failure::new(BAD_OPTION, "`cancel` is true", "leave it out to ask").at("/cancel"),
                )),
                // It is answered already.
                (None, true) => Ok(()),
            };
        }
        let frame: Frame = operations::read(value).map_err(|failure| (id, failure))?;
        self.start(frame).await.map_err(|failure| (id, failure))
    }

    async fn start(&self, frame: Frame) -> Result<(), Failure> {
        let Frame { id, op, params } = frame;
        let (op, params) = self.named(op, params).await?;
        allow(&self.bearer, operations::find(&op)?)?;
        let admitted = self.shared.admit(&self.bearer, &op)?;
        let cancel = Cancel::default();
        {
            let mut under_way = self.under_way.lock();
            if under_way.contains_key(&id) {
                return Err(Failure::new(
                    BAD_OPTION,
                    format!("a call with the id {id} is under way"),
                    "give each its own",
                )
                .at("/id"));
            }
            under_way.insert(id, cancel.clone());
        }
        let (shared, outbox, under_way) = (self.shared.clone(), self.outbox.clone(), self.under_way.clone());
        let (teller, slow, answered) = (self.outbox.clone(), self.slow.clone(), self.answered.clone());
        let heard = Arc::new(move |event: Value| {
            let message = Message::Text(json!({"id": id, "event": event}).to_string().into());
            if teller.try_send(message).is_err() {
                slow.cancel();
            }
        });
        tokio::spawn(async move {
            let ends = Ends(cancel.clone());
            let answer = shared.perform(admitted, params, heard, cancel).await;
            drop(ends);
            let reply = match answer {
                Ok(answer) => json!({"id": id, "ok": answer}),
                Err(failure) => json!({"id": id, "error": failure}),
            };
            let reply = Message::Text(reply.to_string().into());
            let room = outbox.reserve().await;
            // The id is free when its answer is out, and not before: both happen under the lock.
            let mut under_way = under_way.lock();
            under_way.remove(&id);
            if let Ok(room) = room {
                room.send(reply);
            }
            drop(under_way);
            answered.notify_one();
        });
        Ok(())
    }

    /// The operation that is meant.
    async fn named(&self, op: String, params: Value) -> Result<(String, Value), Failure> {
        match &self.names {
            Names::All => Ok((op, params)),
            Names::Kernel { workbook } => {
                crate::workbook::kernel(&self.shared, &self.bearer, workbook, &op, params).await
            }
        }
    }

    /// Waits until there is room: a client that does not read what it is told is not read from either.
    async fn say(&self, reply: Value) {
        let _ = self.outbox.send(Message::Text(reply.to_string().into())).await;
    }
}
