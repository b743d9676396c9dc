//! A failure as a response. What went wrong inside us is for the log.

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use failure::Failure;
use failure::codes::INTERNAL;
use operations::door::UNAUTHENTICATED;
use operations::openapi;
use serde::Serialize;

/// Why there is no answer.
pub(crate) struct Refusal {
    failure: Box<Failure>,
    status: Option<StatusCode>,
}

impl Refusal {
    /// With another status than the code's own.
    pub fn with_status(failure: Failure, status: StatusCode) -> Refusal {
        Refusal {
            failure: Box::new(failure),
            status: Some(status),
        }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Refusal {
            failure: Box::new(failure),
            status: None,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Refusal { failure, status } = self;
        let status = status.unwrap_or_else(|| status_of(&failure));
        let mut response = json_response(status, &Wrapped { error: &failure });
        if failure.code == UNAUTHENTICATED {
            response
                .headers_mut()
                .insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
            response
                .headers_mut()
                .insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

fn status_of(failure: &Failure) -> StatusCode {
    StatusCode::from_u16(openapi::status(failure.code)).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// `{error: {code, message, hint, retryable, ..}}`.
#[derive(Serialize)]
struct Wrapped<'a> {
    error: &'a Failure,
}

/// The same failure as a client may see it, after the log has heard what is kept back: the message of a mistake of ours
/// may name files and functions.
pub(crate) fn told(failure: Failure, here: &str, name: &str, log: &(dyn Fn(&str) + Send + Sync)) -> Failure {
    if failure.code == INTERNAL {
        log(&format!("{name}: {}", failure.message));
        return Failure {
            message: "a mistake of Workbooks itself; the log of the engine has more about it".into(),
            details: None,
            ..failure
        };
    }
    // Where the engine's own directory is, is nobody's business; what a client named relative to it stays.
    let message = match here {
        "" | "/" => failure.message,
        here => failure.message.replace(&format!("{here}/"), ""),
    };
    Failure { message, ..failure }
}

/// JSON with its status.
pub(crate) fn json_response(status: StatusCode, value: &impl Serialize) -> Response {
    let headers = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    // Answers are plain data with string keys, which always serialise.
    (status, headers, serde_json::to_vec(value).unwrap_or_default()).into_response()
}
