//! The engine that runs already, asked over HTTP.

use crate::engine::client::{Client, Told};
use failure::Failure;
use futures_util::future::BoxFuture;
use operations::{Asked, Live};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::thread;

/// The way to it.
pub struct Attached(pub Client);

impl Live for Attached {
    fn ask(&self, asked: Asked) -> BoxFuture<'static, Result<Value, Failure>> {
        let client = self.0.clone();
        Box::pin(async move {
            let run = Arc::new(Mutex::new(None));
            let mut question = Question {
                client: client.clone(),
                run: run.clone(),
                begins_run: matches!(asked.name, "run.start" | "run.resume"),
            };
            let answered = tokio::task::spawn_blocking(move || answer(&client, &asked, &run)).await;
            question.begins_run = false;
            answered.unwrap_or_else(|lost| Err(Failure::internal(lost.to_string())))
        })
    }
}

/// Waits for the answer on a thread where that may be.
fn answer(client: &Client, asked: &Asked, run: &Mutex<Option<String>>) -> Result<Value, Failure> {
    if !operations::find(asked.name)?.streams() {
        return Ok(client.ask(asked.name, &asked.params)?);
    }
    let mut telling = client.listen(asked.name, &asked.params)?;
    loop {
        match telling.next()? {
            Told::Answer(answer) => return Ok(answer),
            Told::Event(event) => {
                if let (Some(id), Ok(mut run)) = (event["run"].as_str(), run.lock()) {
                    *run = Some(id.to_owned());
                }
                (asked.events)(event);
            }
        }
    }
}

/// A question under way. Whoever stops waiting for a run that they began ends it; it can be resumed.
struct Question {
    client: Client,
    run: Arc<Mutex<Option<String>>>,
    begins_run: bool,
}

impl Drop for Question {
    fn drop(&mut self) {
        if !self.begins_run {
            return;
        }
        let Some(run) = self.run.lock().ok().and_then(|run| run.clone()) else {
            return;
        };
        let client = self.client.clone();
        // Nobody waits for this answer, and a future may not.
        thread::spawn(move || client.ask("run.cancel", &json!({"run": run})));
    }
}
