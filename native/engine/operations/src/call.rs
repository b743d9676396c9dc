//! From a name and parameters to an answer.

use crate::events::Event;
use crate::row::Runs;
use crate::{Asked, Context, find};
use failure::Failure;
use failure::codes::CANCELLED;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Asks, whoever answers. What blocks runs on a thread where it may; this needs a tokio runtime.
pub async fn call(context: Arc<Context>, name: &str, params: Value) -> Result<Value, Failure> {
    let row = find(name)?;
    match row.runs {
        Runs::Here { answer, .. } => {
            let work = move || guarded(|| answer(&context, params));
            let done = tokio::task::spawn_blocking(work).await;
            done.unwrap_or_else(|lost| Err(Failure::internal(lost.to_string())))
        }
        Runs::Live { check, answer, .. } => {
            check(&params)?;
            let heard = context.events.clone();
            let events = move |event: Value| match row.check_event(&event) {
                Ok(()) => heard(event),
                Err(failure) => heard(Event::broken(&failure.message)),
            };
            let asked = Asked {
                name: row.name,
                params,
                events: Arc::new(events),
            };
            // Whoever asked may be gone first; dropping the question tells the engine.
            let answered = tokio::select! {
                answered = context.live.ask(asked) => answered?,
                () = context.cancel.cancelled() => {
                    return Err(Failure::new(CANCELLED, "the call was cancelled", "call again"));
                }
            };
            answer(&answered)?;
            Ok(answered)
        }
    }
}

/// Asks what is answered here, on this thread.
pub fn answer(context: &Context, name: &str, params: Value) -> Result<Value, Failure> {
    let row = find(name)?;
    match row.runs {
        Runs::Here { answer, .. } => guarded(|| answer(context, params)),
        Runs::Live { .. } => Err(Failure::new(
            failure::codes::ENGINE_MISSING,
            format!("`{name}` needs an engine, and none is here"),
            "ask an engine, or start one",
        )),
    }
}

/// A panic is a failure of ours, not the end of the process.
fn guarded(work: impl FnOnce() -> Result<Value, Failure>) -> Result<Value, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Failure::internal(format!(
            "it panicked: {}",
            text.unwrap_or("no message")
        )))
    })
}
