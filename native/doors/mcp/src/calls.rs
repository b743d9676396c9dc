//! Every call in the ledger, with the name of the client.

use crate::arguments::Asked;
use failure::Failure;
use history::{Call, CallLog};
use operations::{Context, Effect};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The log of this server's calls. It is made with the first call.
#[derive(Default)]
pub(crate) struct Calls {
    log: Mutex<Option<CallLog>>,
    number: AtomicU64,
}

/// Who asks.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    /// What the client calls itself.
    pub name: String,
    /// What whoever checked its token calls it.
    pub caller: Option<String>,
}

/// A call that is written down and not answered yet.
pub(crate) struct Begun {
    number: u64,
    changes: bool,
    line: Value,
    at: Instant,
}

impl Calls {
    /// Writes down what is asked. What may change something is on the disk before it is done; if it cannot be, it is not
    /// done.
    pub fn begin(&self, context: &Context, client: &Client, asked: &Asked) -> Result<Begun, Failure> {
        let row = asked.action.row();
        let params = Sha256::digest(asked.params.to_string());
        let mut line = self.line(client, asked.tool.name);
        line["operation"] = row.name.into();
        line["params_sha256"] = format!("{params:x}").into();
        let begun = Begun {
            number: line["call"].as_u64().unwrap_or_default(),
            changes: row.effect != Effect::Reads,
            line,
            at: Instant::now(),
        };
        if begun.changes {
            self.write(context, &begun.line, true)?;
        }
        Ok(begun)
    }

    /// Writes down what was asked and refused before anything was done.
    pub fn refuse(&self, context: &Context, client: &Client, asked: &str, failure: &Failure) -> Result<(), Failure> {
        let mut line = self.line(client, asked);
        line["error"] = failure.code.name.into();
        self.write(context, &line, false)
    }

    /// Writes down what is asked without a tool, and changes something.
    pub fn note(&self, context: &Context, client: &Client, asked: &str) -> Result<(), Failure> {
        self.write(context, &self.line(client, asked), true)
    }

    fn line(&self, client: &Client, asked: &str) -> Value {
        let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        json!({"kind": "call", "ts": now(), "call": number, "client": client.name, "caller": client.caller, "tool": asked})
    }

    /// Writes down what came of it.
    pub fn end(&self, context: &Context, begun: Begun, outcome: Result<(), &Failure>) -> Result<(), Failure> {
        let took = u64::try_from(begun.at.elapsed().as_millis()).unwrap_or(u64::MAX);
        let code = outcome.err().map(|failure| failure.code.name);
        let line = match begun.changes {
            true => json!({"kind": "answer", "ts": now(), "call": begun.number, "error": code, "dur_ms": took}),
            false => {
                let mut line = begun.line;
                line["error"] = code.into();
                line["dur_ms"] = took.into();
                line
            }
        };
        self.write(context, &line, begun.changes)
    }

    fn write(&self, context: &Context, line: &Value, changes: bool) -> Result<(), Failure> {
        let ts = line["ts"].as_i64().unwrap_or_default();
        let mut log = self
            .log
            .lock()
            .map_err(|_| Failure::internal("the log of calls is lost"))?;
        if log.is_none() {
            let home = context.parts.history(context.history.as_deref())?;
            // Two servers of one process, or of one millisecond, are told apart by the rest.
            let id = format!(
                "mcp-{ts}-{}-{:x}",
                std::process::id(),
                std::ptr::from_ref(self) as usize & 0xffff_ffff
            );
            *log = Some(CallLog::open(&home, &id, ts)?);
        }
        let json = line.to_string();
        let call = Call {
            json: &json,
            ts,
            changes,
        };
        match &*log {
            Some(log) => Ok(log.append(&call)?),
            None => Ok(()),
        }
    }

    /// Seals what was only looked at.
    pub fn finish(&self) {
        if let Ok(log) = self.log.lock()
            && let Some(log) = &*log
        {
            let _ = log.finish(now());
        }
    }
}

impl Drop for Calls {
    fn drop(&mut self) {
        self.finish();
    }
}

fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}
