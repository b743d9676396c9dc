//! One call: its context, its place among what is under way, and its end when nobody waits for it any more.

use crate::budget::{Budget, Permit};
use crate::gate::allow;
use crate::refusal::told;
use crate::stream::Streams;
use crate::{Bearer, Config};
use failure::Failure;
use host::Cancel;
use operations::{Operation, find};
use serde_json::Value;
use std::sync::Arc;

/// What every route has.
pub(crate) struct Shared {
    pub config: Config,
    pub calls: Arc<Budget>,
    pub streams: Arc<Budget>,
    /// Events that may be asked for again.
    pub replays: Streams,
}

/// Who hears the events of a call.
pub(crate) type Heard = Arc<dyn Fn(Value) + Send + Sync>;

/// A call that was admitted.
pub(crate) struct Admitted {
    row: &'static Operation,
    permit: Permit,
}

/// Ends a call when it is dropped.
pub(crate) struct Ends(pub Cancel);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Shared {
    pub fn new(config: Config) -> Shared {
        Shared {
            calls: Budget::new(config.limits.calls),
            streams: Budget::new(config.limits.streams),
            replays: Streams::default(),
            config,
        }
    }

    /// The operation of a name, if the bearer may ask for it and there is room. Operations that the engine answers may
    /// take as long as a run does, so they are counted among what lasts.
    pub fn admit(&self, bearer: &Bearer, name: &str) -> Result<Admitted, Failure> {
        let row = find(name)?;
        allow(bearer, row)?;
        let budget = if row.is_live() { &self.streams } else { &self.calls };
        Ok(Admitted {
            row,
            permit: budget.admit(&bearer.id)?,
        })
    }

    /// Carries a call out. Dropped, it cancels it; its place stays taken until it has really ended.
    pub async fn perform(
        &self,
        admitted: Admitted,
        params: Value,
        heard: Heard,
        cancel: Cancel,
    ) -> Result<Value, Failure> {
        let Admitted { row, permit } = admitted;
        let mut context = (self.config.contexts)();
        let here = context.here.clone();
        // Whoever works for the call has the context, and so its place, until the work is over.
        context.events = Arc::new(move |event| {
            let _place = &permit;
            heard(event);
        });
        context.cancel = cancel.clone();
        let ends = Ends(cancel);
        let answer = match is_quick(row, &params) {
            true => operations::answer(&context, row.name, params),
            false => operations::call(Arc::new(context), row.name, params).await,
        };
        drop(ends);
        answer.map_err(|failure| told(failure, &here.to_string_lossy(), row.name, &*self.config.log))
    }

    /// A call whose events nobody hears.
    pub async fn answer(&self, bearer: &Bearer, name: &str, params: Value) -> Result<Value, Failure> {
        let admitted = self.admit(bearer, name)?;
        self.perform(admitted, params, Arc::new(|_| {}), Cancel::default())
            .await
    }
}

impl Admitted {
    pub fn row(&self) -> &'static Operation {
        self.row
    }
}

/// Functions of the kernel: texts in, an answer out, no file and no guest.
const PURE: [&str; 6] = [
    "plan.check_upgrade",
    "plan.headlines",
    "plan.query",
    "plan.tangle",
    "plan.tasks",
    "plan.validate",
];

/// What the kernel answers in less time than the way to another thread and back takes.
const SMALL: usize = 8 << 10;

fn is_quick(row: &Operation, params: &Value) -> bool {
    let length = |value: &Value| match value {
        Value::String(text) => text.len(),
        Value::Bool(_) | Value::Null => 0,
        _ => SMALL,
    };
    let Value::Object(params) = params else { return false };
    PURE.contains(&row.name) && params.values().map(length).sum::<usize>() < SMALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quick_is_in_the_table_and_only_reads() {
        for name in PURE {
            let row = find(name).unwrap();
            assert!(
                !row.is_live() && !row.long && row.effect == operations::Effect::Reads,
                "{name}"
            );
        }
    }
}
