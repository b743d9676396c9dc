//! Server-sent events: how things go, as a response that stays open.
//!
//! An event is `event: event`, `answer` or `error` with its JSON as data. The last one is the answer or the error, or
//! `goodbye` when the engine stops. Quiet streams are heard of now and then, so that a client that is gone is noticed.

use crate::call::{Ends, Shared};
use crate::stream::{Reader, Said};
use axum::body::Body;
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use failure::Failure;
use futures_util::stream::unfold;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc::Receiver;
use tokio::time::sleep;

/// Whether the client wants events.
pub(crate) fn wanted(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepts.flat_map(|value| value.split(',')).any(|kind| {
        kind.split(';')
            .next()
            .is_some_and(|kind| kind.trim() == "text/event-stream")
    })
}

/// The last event that a client saw, if it says so.
pub(crate) fn last_event_id(headers: &HeaderMap) -> Option<&str> {
    headers.get("last-event-id")?.to_str().ok()
}

/// `STREAM.NUMBER`.
pub(crate) fn stream_and_number(id: &str) -> Option<(&str, u64)> {
    let (stream, number) = id.split_once('.')?;
    Some((stream, number.parse().ok()?))
}

/// The events of a call that is kept.
pub(crate) fn replayed(shared: &Arc<Shared>, reader: Reader, only_listens: bool) -> Response {
    let shared = shared.clone();
    let beginning = (reader, shared, false);
    let pieces = unfold(beginning, move |(mut reader, shared, over)| async move {
        if over {
            return None;
        }
        let stop = shared.config.stop.clone();
        let goodbye = async {
            match only_listens {
                true => stop.draining().await,
                false => stop.over().await,
            }
        };
        let (piece, over) = tokio::select! {
            biased;
            said = reader.next() => match said {
                None => return None,
                Some(Ok(said)) => {
                    let last = said.kind != "event";
                    (written(&reader.stream.id, &said), last)
                }
                Some(Err(failure)) => (event(None, "error", &json!(failure).to_string()), true),
            },
            () = goodbye => (farewell(), true),
            () = sleep(shared.config.limits.heartbeat) => (heartbeat(), false),
        };
        Some((Ok::<_, Infallible>(piece), (reader, shared, over)))
    });
    response(Body::from_stream(pieces))
}

/// What is said on a stream that is not kept: its events have numbers of their own, by which they can be asked for again.
pub(crate) enum Live {
    Event(Value),
    Over(Result<Value, Failure>),
}

/// The events of a subscription, while they happen.
pub(crate) fn live(shared: &Arc<Shared>, hear: Receiver<Live>, ends: Ends) -> Response {
    let shared = shared.clone();
    let pieces = unfold(
        (hear, shared, ends, false),
        |(mut hear, shared, ends, over)| async move {
            if over {
                return None;
            }
            let (piece, over) = tokio::select! {
                biased;
                said = hear.recv() => match said {
                    // The sender gave up: the reader is slower than the events come.
                    None => (event(None, "error", &json!(slow()).to_string()), true),
                    Some(Live::Event(value)) => {
                        let id = value.get("seq").and_then(Value::as_u64).map(|seq| seq.to_string());
                        (event(id.as_deref(), "event", &value.to_string()), false)
                    }
                    Some(Live::Over(Ok(answer))) => (event(None, "answer", &answer.to_string()), true),
                    Some(Live::Over(Err(failure))) => (event(None, "error", &json!(failure).to_string()), true),
                },
                () = shared.config.stop.draining() => (farewell(), true),
                () = sleep(shared.config.limits.heartbeat) => (heartbeat(), false),
            };
            Some((Ok::<_, Infallible>(piece), (hear, shared, ends, over)))
        },
    );
    response(Body::from_stream(pieces))
}

fn slow() -> Failure {
    Failure::new(
        operations::door::EVENTS_LOST,
        "the reader is slower than the events come",
        "read how things stand anew, and go on from there",
    )
}

fn response(body: Body) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, body).into_response()
}

fn written(stream: &str, said: &Said) -> Bytes {
    event(Some(&format!("{stream}.{}", said.n)), said.kind, &said.data)
}

/// JSON has no line breaks of its own, so the data is one line.
fn event(id: Option<&str>, kind: &str, data: &str) -> Bytes {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    format!("{id}event: {kind}\ndata: {data}\n\n").into()
}

fn heartbeat() -> Bytes {
    Bytes::from_static(b": still here\n\n")
}

fn farewell() -> Bytes {
    event(None, "goodbye", "{\"reason\":\"the engine stops\"}")
}
