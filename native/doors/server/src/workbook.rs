//! `/w/ID`: a workbook. Its plan is put there and got from there, and the functions of the kernel are asked about it.

use crate::call::Shared;
use crate::refusal::{Refusal, json_response};
use crate::socket::{self, Names};
use crate::{Bearer, body};
use axum::Extension;
use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use failure::Failure;
use failure::codes::BAD_OPTION;
use serde_json::{Value, json};
use std::sync::Arc;

/// `PUT /w/ID`: deploys. The body is the plan, or JSON with the parameters of `workbook.deploy`.
pub(crate) async fn put(
    State(shared): State<Arc<Shared>>,
    Extension(bearer): Extension<Bearer>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let limits = &shared.config.limits;
    let bytes = body::read(body, limits.body, limits.body_time).await?;
    let params = if headers.contains_key(CONTENT_TYPE) && body::is_json(&headers) {
        with_id(body::json(&headers, &bytes)?, &id)?
    } else {
        json!({"id": id, "org": body::text(&bytes)?})
    };
    answered(&shared, &bearer, "workbook.deploy", params).await
}

/// `GET /w/ID`: what is live.
pub(crate) async fn get(
    State(shared): State<Arc<Shared>>,
    Extension(bearer): Extension<Bearer>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    answered(&shared, &bearer, "workbook.show", json!({ "id": id })).await
}

/// `POST /w/ID/call`: `{fn, org, ..}`. Without `org` the plan that is live is meant.
pub(crate) async fn call(
    State(shared): State<Arc<Shared>>,
    Extension(bearer): Extension<Bearer>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let limits = &shared.config.limits;
    let bytes = body::read(body, limits.body, limits.body_time).await?;
    let mut params = body::json(&headers, &bytes)?;
    let name = params.as_object_mut().and_then(|params| params.remove("fn"));
    let Some(Value::String(name)) = name else {
        return Err(
            Failure::new(BAD_OPTION, "`fn` names a function of the kernel", FUNCTIONS)
                .at("/fn")
                .into(),
        );
    };
    let (op, params) = kernel(&shared, &bearer, &id, &name, params).await?;
    answered(&shared, &bearer, &op, params).await
}

/// `GET /w/ID/ws`: frames whose `op` is a function of the kernel.
pub(crate) async fn socket(
    State(shared): State<Arc<Shared>>,
    Extension(bearer): Extension<Bearer>,
    Path(workbook): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Refusal> {
    socket::upgraded(shared, bearer, upgrade, Names::Kernel { workbook })
}

const FUNCTIONS: &str = "say `validate`, or another operation about plans without its `plan.`";

/// The operation behind a function of the kernel, with its parameters.
pub(crate) async fn kernel(
    shared: &Shared,
    bearer: &Bearer,
    workbook: &str,
    function: &str,
    mut params: Value,
) -> Result<(String, Value), Failure> {
    let op = format!("plan.{function}");
    let known = operations::all().iter().any(|row| row.name == op);
    if !known {
        let short: String = function.chars().take(64).collect();
        return Err(Failure::new(BAD_OPTION, format!("the kernel has no function `{short}`"), FUNCTIONS).at("/fn"));
    }
    if params.is_null() {
        params = json!({});
    }
    if let Some(fields) = params.as_object_mut()
        && !["org", "old", "new"].iter().any(|text| fields.contains_key(*text))
    {
        let live = shared.answer(bearer, "workbook.show", json!({"id": workbook})).await?;
        fields.insert("org".into(), live["org"].clone());
    }
    Ok((op, params))
}

fn with_id(mut params: Value, id: &str) -> Result<Value, Failure> {
    match params.as_object_mut() {
        Some(fields) => {
            if fields.get("id").is_some_and(|named| named != id) {
                return Err(
                    Failure::new(BAD_OPTION, "the body names another id than the URL", "leave it out").at("/id"),
                );
            }
            fields.insert("id".into(), id.into());
            Ok(params)
        }
        None => Err(Failure::new(BAD_OPTION, "parameters are an object", "send an object").at("")),
    }
}

async fn answered(shared: &Shared, bearer: &Bearer, op: &str, params: Value) -> Result<Response, Refusal> {
    let answer = shared.answer(bearer, op, params).await?;
    Ok(json_response(StatusCode::OK, &answer))
}
