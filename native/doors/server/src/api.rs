//! `/api`: an operation by its name, and the streams of those that tell how they go.

use crate::call::{Ends, Shared};
use crate::refusal::{Refusal, json_response};
use crate::sse::{self, Live};
use crate::stream::{self, Reader};
use crate::{Bearer, body};
use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use host::Cancel;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc;

/// `POST /api/OPERATION`, the body being its parameters.
pub(crate) async fn call(
    State(shared): State<Arc<Shared>>,
    Extension(bearer): Extension<Bearer>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let streams = operations::find(&name)?.streams();
    if let Some((id, last)) = sse::last_event_id(&headers).and_then(sse::stream_and_number)
        && streams
        && sse::wanted(&headers)
    {
        return resume(&shared, &bearer, id, last);
    }
    // First a place, then the body: bodies that wait for a place would fill the memory.
    let admitted = shared.admit(&bearer, &name)?;
    let limits = &shared.config.limits;
    let most = if name == "toolkit.install" {
        encoded(limits.archive)
    } else {
        limits.body
    };
    let bytes = body::read(body, most, limits.body_time).await?;
    let params = body::json(&headers, &bytes)?;
    drop(bytes);
    let detached = streams && prefers_async(&headers);
    if streams && (detached || sse::wanted(&headers)) {
        // What is refused for its parameters has a status, not a stream.
        admitted.row().check(&params)?;
        let stream = stream::begin(&shared, &bearer, admitted, params, detached)?;
        if detached {
            let events = format!("/api/streams/{}", stream.id);
            return Ok(json_response(
                StatusCode::ACCEPTED,
                &json!({"stream": stream.id, "events": events}),
            ));
        }
        let reader = Reader::new(shared.clone(), stream, 0)?;
        return Ok(sse::replayed(&shared, reader, false));
    }
    let answer = shared
        .perform(admitted, params, Arc::new(|_| {}), Cancel::default())
        .await?;
    Ok(json_response(StatusCode::OK, &answer))
}

/// `GET /api/streams/ID`: the events of a call, from the beginning or after `last-event-id`.
pub(crate) async fn events(
    State(shared): State<Arc<Shared>>,
    Extension(bearer): Extension<Bearer>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let last = sse::last_event_id(&headers).and_then(sse::stream_and_number);
    let last = last.map_or(0, |(_, number)| number);
    resume(&shared, &bearer, &id, last)
}

fn resume(shared: &Arc<Shared>, bearer: &Bearer, id: &str, last: u64) -> Result<Response, Refusal> {
    let stream = shared.replays.find(id, bearer)?;
    let reader = Reader::new(shared.clone(), stream, last)?;
    Ok(sse::replayed(shared, reader, false))
}

/// `GET /api/runs/ID/events`: the events of a run, from its beginning or after `last-event-id`, the number of an event.
pub(crate) async fn run(
    State(shared): State<Arc<Shared>>,
    Extension(bearer): Extension<Bearer>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let after: Option<u64> = sse::last_event_id(&headers).and_then(|id| id.parse().ok());
    subscribe(
        &shared,
        &bearer,
        "run.subscribe",
        json!({"run": id, "after": after.unwrap_or(0)}),
    )
    .await
}

/// Listens to an operation that only tells, until the client is gone.
async fn subscribe(shared: &Arc<Shared>, bearer: &Bearer, name: &str, params: Value) -> Result<Response, Refusal> {
    let admitted = shared.admit(bearer, name)?;
    admitted.row().check(&params)?;
    let (tell, mut hear) = mpsc::channel(shared.config.limits.replay);
    let (cancel, teller) = (Cancel::default(), tell.clone());
    let ends = Ends(cancel.clone());
    let slow = cancel.clone();
    let heard = Arc::new(move |event: Value| {
        if teller.try_send(Live::Event(event)).is_err() {
            slow.cancel();
        }
    });
    let worker = shared.clone();
    tokio::spawn(async move {
        let answer = worker.perform(admitted, params, heard, cancel).await;
        let _ = tell.send(Live::Over(answer)).await;
    });
    // A run that is not there has a status, not a stream.
    let first = hear.recv().await;
    if let Some(Live::Over(Err(failure))) = first {
        return Err(failure.into());
    }
    let (again, hear) = prepended(first, hear, shared.config.limits.replay);
    tokio::spawn(again);
    Ok(sse::live(shared, hear, ends))
}

/// The same channel with its first message back in front.
fn prepended(
    first: Option<Live>,
    mut rest: mpsc::Receiver<Live>,
    room: usize,
) -> (impl Future<Output = ()> + Send, mpsc::Receiver<Live>) {
    let (tell, hear) = mpsc::channel(room);
    let forward = async move {
        let mut next = first;
        while let Some(said) = next {
            if tell.send(said).await.is_err() {
                return;
            }
            next = rest.recv().await;
        }
    };
    (forward, hear)
}

fn prefers_async(headers: &HeaderMap) -> bool {
    let values = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .any(|one| one.trim().eq_ignore_ascii_case("respond-async"))
}

/// How long base64 makes it, with room for the JSON around it.
pub(crate) fn encoded(bytes: usize) -> usize {
    bytes / 3 * 4 + (64 << 10)
}
