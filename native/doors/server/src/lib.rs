//! The operations over HTTP, WebSocket and server-sent events.
//!
//! [`router`] is a tower service with no socket of its own: every row of the table of operations below `/api`, frames on
//! `/ws`, the doors of workbooks and toolkits, and the few public routes. [`Server`] gives it threads, and a listener
//! when one is wanted; an Elixir supervisor starts and stops it. What is answered is up to `operations`; here is only how
//! it is asked: who may ([`Gate`]), how much at once ([`Limits`]), for which host ([`Hosts`]), and how long a slow client
//! is waited for.
//!
//! | route | what |
//! |---|---|
//! | `GET /health`, `/.well-known/workbooks-runtime`, `/openapi.json` | public |
//! | `POST /api/OPERATION` | an operation; its events with `accept: text/event-stream` |
//! | `GET /api/streams/ID` | the events of a call again, after `last-event-id` |
//! | `GET /api/runs/ID/events` | the events of a run |
//! | `GET /ws` | frames: `{id, op, params}`, `{id, cancel: true}` |
//! | `PUT`, `GET /w/ID`, `POST /w/ID/call`, `GET /w/ID/ws` | a workbook |
//! | `/rcp/toolkit` | toolkits |
//! | `/mcp` | whatever service the configuration nests there |
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod api;
mod body;
mod budget;
mod call;
mod config;
mod gate;
mod hosts;
mod listener;
mod public;
mod rcp;
mod refusal;
mod router;
mod server;
mod socket;
mod sse;
mod stop;
mod stream;
mod tls;
mod workbook;

pub use access::{Bearer, Scope};
pub use axum::Router;
pub use axum::body::Body;
pub use axum::http;
pub use budget::Share;
pub use config::{Config, Contexts, Limits};
pub use gate::Gate;
pub use hosts::Hosts;
pub use listener::Listen;
pub use router::{InProcess, router};
pub use server::{Error, Server};
pub use stop::Stop;
