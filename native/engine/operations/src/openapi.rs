//! The table as an OpenAPI 3.1 document.

use crate::{Operation, all, door};
use failure::{Code, Kind, codes};
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The document.
///
/// ```
/// let document = operations::openapi::document();
/// let post = &document["paths"]["/api/plan.validate"]["post"];
/// assert_eq!(post["operationId"], "plan.validate");
/// ```
pub fn document() -> Value {
    let mut generator = generator();
    let paths: Map<String, Value> = all()
        .iter()
        .map(|row| {
            (
                format!("/api/{}", row.name),
                json!({"post": operation(row, &mut generator)}),
            )
        })
        .collect();
    let mut schemas = generator.take_definitions(true);
    schemas.insert("Error".into(), error_schema());
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Workbooks", "version": env!("CARGO_PKG_VERSION")},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    })
}

/// Schemas whose parts are found below `components`.
pub(crate) fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .into_generator()
}

fn operation(row: &Operation, generator: &mut SchemaGenerator) -> Value {
    let body = |schema: Schema| json!({"application/json": {"schema": schema}});
    let mut responses = Map::new();
    responses.insert(
        "200".into(),
        json!({"description": "the answer", "content": body(row.answer(generator))}),
    );
    let statuses: BTreeSet<u16> = row.codes().into_iter().chain(REFUSALS).map(status).collect();
    for status in statuses {
        let refused = json!({"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}});
        responses.insert(
            status.to_string(),
            json!({"description": "why there is none", "content": refused}),
        );
    }
    let mut operation = json!({
        "operationId": row.name,
        "summary": row.summary,
        "tags": [row.name.split('.').next()],
        "requestBody": {"required": true, "content": body(row.params(generator))},
        "responses": responses,
        "security": [{"bearer": [row.scope.name()]}],
        "x-effect": row.effect.name(),
        "x-long": row.long,
    });
    if let Some(event) = row.event(generator) {
        operation["x-event"] = event.into();
    }
    operation
}

/// What a server refuses whatever is asked.
const REFUSALS: [Code; 6] = [
    codes::TOO_LARGE,
    door::BAD_REQUEST,
    door::FORBIDDEN,
    door::OVERLOADED,
    door::TOO_MANY_REQUESTS,
    door::UNAUTHENTICATED,
];

/// The status code of a failure. `500` is a mistake of ours, and nothing else.
///
/// ```
/// use failure::codes;
/// assert_eq!(operations::openapi::status(codes::NOT_FOUND), 404);
/// assert_eq!(operations::openapi::status(operations::door::UNAUTHENTICATED), 401);
/// assert_eq!(operations::openapi::status(codes::INTERNAL), 500);
/// ```
pub fn status(code: Code) -> u16 {
    match code.kind {
        _ if code == door::UNAUTHENTICATED => 401,
        _ if code == codes::INTERNAL => 500,
        _ if code == codes::DISK_FULL || code == door::ENGINE_FAILED => 503,
        _ if code == codes::CANCELLED || code == codes::CLOSED => 409,
        Kind::Usage => 400,
        Kind::Auth => 403,
        Kind::NotFound => 404,
        Kind::Conflict => 409,
        Kind::TooLarge => 413,
        Kind::Verification | Kind::Limit | Kind::Other => 422,
        Kind::Busy => 429,
        Kind::Unreachable => 503,
    }
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "required": ["error"],
        "properties": {"error": {
            "type": "object",
            "required": ["code", "message", "hint", "retryable"],
            "properties": {
                "code": {"type": "string", "enum": crate::codes().iter().map(|code| code.name).collect::<Vec<_>>()},
                "message": {"type": "string"},
                "hint": {"type": "string"},
                "retryable": {"type": "boolean"},
                "details": {"type": "object"},
                "pointer": {"type": "string"},
            },
        }},
    })
}
