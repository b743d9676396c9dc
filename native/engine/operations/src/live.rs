//! Operations that Elixir owns: runs, deploys, lifecycle, schedules.

use failure::Failure;
use failure::codes::ENGINE_MISSING;
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::sync::Arc;

/// A question for the engine that owns the data directory. Its parameters were checked.
pub struct Asked {
    /// The operation.
    pub name: &'static str,
    /// Its parameters.
    pub params: Value,
    /// Who hears the events.
    pub events: Arc<dyn Fn(Value) + Send + Sync>,
}

/// The way to that engine. Dropping the future ends the call.
pub trait Live: Send + Sync {
    /// Asks.
    fn ask(&self, asked: Asked) -> BoxFuture<'static, Result<Value, Failure>>;
}

/// Where there is no such engine.
pub struct NoEngine;

impl Live for NoEngine {
    fn ask(&self, asked: Asked) -> BoxFuture<'static, Result<Value, Failure>> {
        Box::pin(async move {
            Err(Failure::new(
                ENGINE_MISSING,
                format!("`{}` needs an engine, and none is here", asked.name),
                "ask an engine, or start one",
            ))
        })
    }
}
