//! Which request goes where, and what every one of them passes on the way.

use crate::call::Shared;
use crate::refusal::Refusal;
use crate::{Config, api, body, public, rcp, socket, workbook};
use access::{Bearer, Scope};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use failure::Failure;
use failure::codes::NOT_FOUND;
use operations::door::{BAD_REQUEST, FORBIDDEN, OVERLOADED};
use std::sync::Arc;
use tower_http::compression::CompressionLayer;
use tower_http::decompression::RequestDecompressionLayer;

/// Marks a request that came from the program itself, which answers for host and origin. No request from a socket can
/// have it. A [`Bearer`] beside it stands for a token.
#[derive(Debug, Clone, Copy)]
pub struct InProcess;

/// No page of ours has scripts or styles but from files of ours, and nothing frames it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every response that does not have its own.
const HEADERS: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
];

/// The routes, over the table of operations. It has no socket of its own.
pub fn router(config: Config) -> Router {
    let mcp = config.mcp.clone();
    let pages = config.pages.clone();
    let shared = Arc::new(Shared::new(config));

    let mut guarded: Router<Arc<Shared>> = Router::new()
        .route("/api/{operation}", post(api::call))
        .route("/api/streams/{id}", get(api::events))
        .route("/api/runs/{id}/events", get(api::run))
        .route("/ws", get(socket::open))
        .route("/w/{id}", get(workbook::get).put(workbook::put))
        .route("/w/{id}/call", post(workbook::call))
        .route("/w/{id}/ws", get(workbook::socket))
        .route("/rcp/toolkit", get(rcp::list))
        .route("/rcp/toolkit/search", get(rcp::search))
        .route("/rcp/toolkit/install", post(rcp::install))
        .route("/rcp/toolkit/{id}", get(rcp::show).post(rcp::work));
    if let Some(mcp) = mcp {
        guarded = guarded.nest_service("/mcp", mcp.layer(from_fn(reader)));
    }
    let guarded = guarded.route_layer(from_fn_with_state(shared.clone(), known));

    let mut open: Router<Arc<Shared>> = Router::new()
        .route("/health", get(public::health))
        .route("/.well-known/workbooks-runtime", get(public::runtime))
        .route("/openapi.json", get(public::openapi));
    if let Some(pages) = pages {
        open = open.merge(pages.with_state(()));
    }

    open.merge(guarded)
        .fallback(nowhere)
        .method_not_allowed_fallback(not_so)
        // Bodies are limited where they are read, each by its own limit.
        .layer(DefaultBodyLimit::disable())
        .layer(RequestDecompressionLayer::new())
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(shared.clone(), sound))
        .with_state(shared)
}

/// Only requests for us, from nobody's page but ours, in an encoding that we know.
async fn sound(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let config = &shared.config;
    let checked = match request.extensions().get::<InProcess>() {
        Some(InProcess) => Ok(()),
        None => config.hosts.check(&request, config.limits.url).map_err(Refusal::from),
    };
    let foreign = request.uri().path().starts_with("/mcp");
    let checked = checked.and_then(|()| body::check_encoding(request.headers()));
    let mut response = match checked {
        Ok(()) if foreign => next.run(request).await,
        Ok(()) => in_json(next.run(request).await),
        Err(refusal) => refusal.into_response(),
    };
    for (name, value) in HEADERS {
        response
            .headers_mut()
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

/// What a layer or an extractor refused in words of its own is said as everything else is.
fn in_json(response: Response) -> Response {
    let status = response.status();
    let kind = response.headers().get(CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let why = status.canonical_reason().unwrap_or("refused").to_ascii_lowercase();
    let failure = Failure::new(
        BAD_REQUEST,
        format!("the request is refused: {why}"),
        "see docs/server.md",
    );
    Refusal::with_status(failure, status).into_response()
}

/// Only those who hold a token.
async fn known(State(shared): State<Arc<Shared>>, mut request: Request, next: Next) -> Response {
    if shared.config.stop.is_draining() {
        let failure = Failure::new(OVERLOADED, "the engine stops", "ask again when it is back");
        return Refusal::from(failure).into_response();
    }
    let in_process = request.extensions().get::<InProcess>().is_some();
    if !(in_process && request.extensions().get::<Bearer>().is_some()) {
        match shared.config.gate.bearer(request.headers()) {
            Ok(bearer) => request.extensions_mut().insert(bearer),
            Err(failure) => return Refusal::from(failure).into_response(),
        };
    }
    next.run(request).await
}

/// Only those whose token allows to look: that is the least that an agent does.
async fn reader(request: Request, next: Next) -> Response {
    match request.extensions().get::<Bearer>() {
        Some(bearer) if bearer.may(Scope::Read) => next.run(request).await,
        _ => Refusal::from(Failure::new(
            FORBIDDEN,
            "`/mcp` needs the scope `read`, and the token does not have it",
            "ask with a token that has it",
        ))
        .into_response(),
    }
}

async fn nowhere() -> Refusal {
    Failure::new(
        NOT_FOUND,
        "there is nothing at this address",
        "`/openapi.json` lists what there is",
    )
    .into()
}

async fn not_so() -> Refusal {
    Refusal::with_status(
        Failure::new(
            BAD_REQUEST,
            "this address is asked with another method",
            "see docs/server.md",
        ),
        StatusCode::METHOD_NOT_ALLOWED,
    )
}
