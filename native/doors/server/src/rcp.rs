//! `/rcp/toolkit`: toolkits, as `wbx toolkit push`, `build` and `verify` ask for them.

use crate::call::Shared;
use crate::refusal::{Refusal, json_response};
use crate::{Bearer, body};
use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use failure::Failure;
use failure::codes::{BAD_OPTION, NOT_FOUND};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// What a `POST` can do with a toolkit, beside `install`.
const VERBS: [&str; 4] = ["build", "verify", "sign", "run"];

/// `GET /rcp/toolkit`.
pub(crate) async fn list(
    State(shared): State<Arc<Shared>>,
    Extension(bearer): Extension<Bearer>,
) -> Result<Response, Refusal> {
    answered(&shared, &bearer, "toolkit.list", json!({})).await
}

/// `GET /rcp/toolkit/ID`.
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    Extension(bearer): Extension<Bearer>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    answered(&shared, &bearer, "toolkit.show", json!({ "id": id })).await
}

/// `GET /rcp/toolkit/search?q=WORDS`.
pub(crate) async fn search(
    State(shared): State<Arc<Shared>>,
    Extension(bearer): Extension<Bearer>,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, Refusal> {
    let words = query.get("q").or_else(|| query.get("query"));
    let words = words.ok_or_else(|| Failure::new(BAD_OPTION, "there is nothing to look for", "say `?q=WORDS`"))?;
    answered(&shared, &bearer, "toolkit.search", json!({ "query": words })).await
}

/// `POST /rcp/toolkit/install?id=ID`: the body is a zip, or JSON with the parameters of `toolkit.install`.
pub(crate) async fn install(
    State(shared): State<Arc<Shared>>,
    Extension(bearer): Extension<Bearer>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    // First a place, then the body: bodies that wait for a place would fill the memory.
    let admitted = shared.admit(&bearer, "toolkit.install")?;
    let limits = &shared.config.limits;
    let raw = query.get("id");
    let most = if raw.is_some() {
        limits.archive
    } else {
        crate::api::encoded(limits.archive)
    };
    let bytes = body::read(body, most, limits.body_time).await?;
    let params = match raw {
        Some(id) => json!({"id": id, "zip": BASE64_STANDARD.encode(&bytes)}),
        None => body::json(&headers, &bytes)?,
    };
    drop(bytes);
    let answer = shared
        .perform(admitted, params, Arc::new(|_| {}), Default::default())
        .await?;
    Ok(json_response(StatusCode::OK, &answer))
}

/// `POST /rcp/toolkit/VERB`: the body has the parameters of `toolkit.VERB`.
pub(crate) async fn work(
    State(shared): State<Arc<Shared>>,
    Extension(bearer): Extension<Bearer>,
    Path(verb): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    if !VERBS.contains(&verb.as_str()) {
        let known = "POST to install, build, verify, sign or run";
        return Err(Failure::new(NOT_FOUND, "that cannot be done with a toolkit", known).into());
    }
    let limits = &shared.config.limits;
    let bytes = body::read(body, limits.body, limits.body_time).await?;
    answered(
        &shared,
        &bearer,
        &format!("toolkit.{verb}"),
        body::json(&headers, &bytes)?,
    )
    .await
}

async fn answered(shared: &Shared, bearer: &Bearer, op: &str, params: Value) -> Result<Response, Refusal> {
    let answer = shared.answer(bearer, op, params).await?;
    Ok(json_response(StatusCode::OK, &answer))
}
