//! What happens in a run, as everybody hears it: one type for each kind of event.
//!
//! Every event says which run it is of, its number in that run, and when it happened. Numbers grow by one; only a run that
//! goes on after its process was gone leaves numbers out. Where the plan changed, the event carries the new state of every
//! headline that changed, so whoever knows the plan never has to read it again.
//!
//! ```
//! use operations::events::Event;
//! let event: Event = serde_json::from_value(serde_json::json!({
//!     "event": "plan_changed", "run": "r", "seq": 7, "ts": 0,
//!     "changed": [{"id": "ship", "keyword": "DONE", "cookies": ["[2/2]"]}],
//! })).unwrap();
//! assert_eq!((event.name(), event.seq()), ("plan_changed", Some(7)));
//! let broken = serde_json::from_value::<Event>(serde_json::json!({"event": "plan_changed", "run": 7})).unwrap_err();
//! assert!(broken.to_string().contains("`/run`"), "{broken}");
//! ```

use crate::params::pointer;
use crate::runs::Amended;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a headline says since the plan changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Headline {
    /// Its id.
    pub id: String,
    /// Its keyword, if it has one.
    pub keyword: Option<String>,
    /// Its statistics cookies, as they are written: `[1/3]`, `[33%]`.
    pub cookies: Vec<String>,
}

/// A task as a run finds it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// The task.
    pub id: String,
    /// Its place in the plan.
    pub idx: u64,
    /// Its title.
    pub title: String,
    /// What it is.
    pub state: String,
    /// `leaf` or `composite`.
    pub kind: String,
    /// Number of stars.
    pub level: usize,
    /// The line of its headline.
    pub line: usize,
    /// The keyword of its headline.
    pub keyword: Option<String>,
    /// The statistics cookies of its headline.
    pub cookies: Vec<String>,
}

/// Writes down the kinds of events. Those `of a task` have what every task has as well.
macro_rules! events {
    ($($(#[$doc:meta])* $type:ident $name:literal $($of:ident)* {
        $($(#[$field_doc:meta])* $field:ident: $kind:ty,)*
    })*) => {
        $(events!(@struct [$($of)*] $(#[$doc])* $type $name { $($(#[$field_doc])* $field: $kind,)* });)*

        /// What happened in a run.
        #[derive(Debug, Clone, Serialize)]
        #[serde(untagged)]
        pub enum Event {
            $($(#[$doc])* $type($type),)*
        }

        /// The names of the events.
        pub const NAMES: &[&str] = &[$($name),*];

        impl Event {
            /// Its name.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Event::$type(_) => $name,)*
                }
            }

            fn read(value: Value) -> Result<Event, String> {
                match value["event"].as_str() {
                    $(Some($name) => typed(value).map(Event::$type),)*
                    Some(other) => Err(format!("there is no event `{other}`")),
                    None => Err("`/event` is not the name of an event".to_owned()),
                }
            }
        }

        impl JsonSchema for Event {
            fn schema_name() -> Cow<'static, str> {
                "Event".into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let kinds = [$(generator.subschema_for::<$type>()),*];
                json_schema!({"description": "What happened in a run.", "oneOf": kinds})
            }
        }
    };
    (@struct [of a task] $(#[$doc:meta])* $type:ident $name:literal { $($fields:tt)* }) => {
        events!(@struct [of a run] $(#[$doc])* $type $name {
            /// The task.
            id: String,
            /// Its place in the plan.
            idx: u64,
            /// Its title.
            title: String,
            /// What it is now.
            state: String,
            /// `leaf` or `composite`.
            kind: String,
            /// Number of stars.
            level: usize,
            /// The line of its headline.
            line: u64,
            /// The keyword of its headline.
            keyword: Option<String>,
            /// The statistics cookies of its headline.
            cookies: Vec<String>,
            $($fields)*
        });
    };
    (@struct [of a run] $(#[$doc:meta])* $type:ident $name:literal { $($fields:tt)* }) => {
        events!(@struct [] $(#[$doc])* $type $name {
            /// The run.
            run: String,
            /// Its number in the run.
            seq: u64,
            /// When, in milliseconds since 1970.
            ts: i64,
            $($fields)*
        });
    };
    (@struct [] $(#[$doc:meta])* $type:ident $name:literal {
        $($(#[$field_doc:meta])* $field:ident: $kind:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $type {
            #[doc = concat!("`", $name, "`.")]
            #[schemars(extend("const" = $name))]
            pub event: String,
            $($(#[$field_doc])* pub $field: $kind,)*
        }
    };
}

events! {
    /// A run began, or goes on after its process was gone.
    RunStarted "run_started" of a run {
        /// The path of its plan.
        plan: String,
        /// The directory that workers and checks see.
        workdir: String,
        /// Whether it went on after its process was gone.
        resumed: bool,
        /// The tasks, in the order of the plan.
        tasks: Vec<Listed>,
        /// Tasks that are not what was sealed, and that nobody has accepted.
        amendments: Vec<Amended>,
        /// What was noticed on the way.
        warnings: Vec<String>,
    }
    /// A run ended before it began: it could not be recorded.
    RunRefused "run_refused" of a run {
        /// The code of the error.
        code: String,
        /// Why.
        reason: String,
    }
    /// A task began. A composite begins with the first task below it.
    TaskStarted "task_started" of a task {}
    /// Something was put out by a task.
    TaskOutput "task_output" of a task {
        /// `stdout`, `stderr`, or `worker` for what a worker says.
        stream: String,
        /// What.
        text: String,
    }
    /// A task's check began.
    CheckStarted "check_started" of a task {
        /// Whether it said DONE and nobody saw it pass.
        claimed: bool,
    }
    /// A task is over. Its verdict is in the history.
    TaskFinished "task_finished" of a task {
        /// Why.
        reason: Option<String>,
        /// What its worker gave.
        output: String,
        /// How it was earned.
        how: Option<String>,
        /// What the plan says since then: the task's headline and those above it. Empty when the plan is written later,
        /// which `plan_changed` tells, and when it is not written at all.
        changed: Vec<Headline>,
        /// What was noticed on the way.
        warnings: Vec<String>,
    }
    /// The plan was written. A large plan is not written for each verdict.
    PlanChanged "plan_changed" of a run {
        /// What it says since then.
        changed: Vec<Headline>,
    }
    /// Somebody else changed the plan while it is run. Only now is there something to read again.
    PlanEdited "plan_edited" of a run {}
    /// A run is over.
    RunFinished "run_finished" of a run {
        /// `done`, `partial` or `cancelled`.
        state: String,
        /// How many tasks are in which state.
        counts: BTreeMap<String, u64>,
        /// Tasks that are not what was sealed, and that nobody has accepted.
        amendments: Vec<Amended>,
        /// What was noticed on the way.
        warnings: Vec<String>,
    }
    /// An event of another shape: a mistake of ours. Whoever listens is told, not left to wonder.
    Broken "error" {
        /// What is wrong with it.
        reason: String,
    }
}

impl Event {
    /// Its number in the run.
    pub fn seq(&self) -> Option<u64> {
        match self {
            Event::RunStarted(event) => Some(event.seq),
            Event::RunRefused(event) => Some(event.seq),
            Event::TaskStarted(event) => Some(event.seq),
            Event::TaskOutput(event) => Some(event.seq),
            Event::CheckStarted(event) => Some(event.seq),
            Event::TaskFinished(event) => Some(event.seq),
            Event::PlanChanged(event) => Some(event.seq),
            Event::PlanEdited(event) => Some(event.seq),
            Event::RunFinished(event) => Some(event.seq),
            Event::Broken(_) => None,
        }
    }

    /// The event that stands for one of another shape.
    pub(crate) fn broken(reason: &str) -> Value {
        serde_json::json!({"event": "error", "reason": reason})
    }
}

/// The name decides which type it is, so the error can name the field of that type.
impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Event::read(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

fn typed<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| format!("`{}`: {}", pointer(error.path()), error.inner()))
}
