//! Bodies, as much of them and for as long as is allowed.

use crate::refusal::Refusal;
use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use failure::Failure;
use failure::codes::{NOT_JSON, NOT_UTF8, TOO_LARGE};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use operations::door::BAD_REQUEST;
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

/// The whole body. It came decompressed, so a small one that grows large is refused where it does.
pub(crate) async fn read(body: Body, most: usize, time: Duration) -> Result<Bytes, Refusal> {
    match timeout(time, Limited::new(body, most).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.downcast_ref::<LengthLimitError>().is_some() => Err(Failure::new(
            TOO_LARGE,
            format!("the body is larger than {most} bytes"),
            "send less at once",
        )
        .into()),
        Ok(Err(_)) => Err(Failure::new(BAD_REQUEST, "the body ended early, or cannot be read", "send it again").into()),
        Err(_) => Err(Refusal::with_status(
            Failure::new(BAD_REQUEST, "the body did not come in time", "send it faster"),
            StatusCode::REQUEST_TIMEOUT,
        )),
    }
}

/// The body as JSON. None at all counts as `{}`.
pub(crate) fn json(headers: &HeaderMap, bytes: &[u8]) -> Result<Value, Refusal> {
    if bytes.is_empty() {
        return Ok(Value::Object(Default::default()));
    }
    if !is_json(headers) {
        return Err(unsupported("the body is JSON: `content-type: application/json`"));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        Failure::new(
            NOT_JSON,
            format!("the body is not JSON: {error}"),
            "check the text at the place named",
        )
        .into()
    })
}

/// The body as text.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, Failure> {
    std::str::from_utf8(bytes).map_err(|error| {
        Failure::new(
            NOT_UTF8,
            format!("the body is not UTF-8: byte {}", error.valid_up_to()),
            "send UTF-8",
        )
    })
}

pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let essence = |value: &str| value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match headers.get(CONTENT_TYPE).map(|value| value.to_str()) {
        Some(Ok(value)) => matches!(essence(value).as_str(), "application/json" | ""),
        Some(Err(_)) => false,
        None => true,
    }
}

/// Whether the body is packed in a way that is understood.
pub(crate) fn check_encoding(headers: &HeaderMap) -> Result<(), Refusal> {
    let mut all = headers.get_all(CONTENT_ENCODING).iter();
    match (
        all.next().map(|value| value.as_bytes().to_ascii_lowercase()),
        all.next(),
    ) {
        (None, _) => Ok(()),
        (Some(one), None) if matches!(one.as_slice(), b"gzip" | b"identity") => Ok(()),
        _ => Err(unsupported("a body is plain or gzip")),
    }
}

fn unsupported(why: &str) -> Refusal {
    Refusal::with_status(
        Failure::new(BAD_REQUEST, why, "send it so"),
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
    )
}
