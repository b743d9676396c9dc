//! What anybody may ask.

use crate::call::Shared;
use crate::refusal::json_response;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// `GET /health`: `ok`, or `draining` with 503 when nothing new should be sent here.
pub(crate) async fn health(State(shared): State<Arc<Shared>>) -> Response {
    match shared.config.stop.is_draining() {
        false => json_response(StatusCode::OK, &json!({"status": "ok", "version": VERSION})),
        true => json_response(
            StatusCode::SERVICE_UNAVAILABLE,
            &json!({"status": "draining", "version": VERSION}),
        ),
    }
}

/// `GET /.well-known/workbooks-runtime`: what this is, and how it can be asked.
pub(crate) async fn runtime(State(shared): State<Arc<Shared>>) -> Response {
    let families = operations::all().iter().filter_map(|row| row.name.split('.').next());
    let families: BTreeSet<&str> = families.collect();
    let mut transports = vec!["http", "sse", "websocket"];
    transports.extend(shared.config.mcp.is_some().then_some("mcp"));
    json_response(
        StatusCode::OK,
        &json!({"rcp": "1", "version": VERSION, "transports": transports, "capabilities": families}),
    )
}

/// `GET /openapi.json`. It is made once.
pub(crate) async fn openapi() -> Response {
    static DOCUMENT: OnceLock<String> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| operations::openapi::document().to_string());
    ([(CONTENT_TYPE, "application/json")], document.as_str()).into_response()
}
