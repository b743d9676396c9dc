//! The shape of a row.

use crate::{Context, params};
use failure::{Code, Failure};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What an operation does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// It only looks.
    Reads,
    /// It changes files.
    Writes,
    /// It runs what somebody wrote.
    Runs,
}

/// What whoever asks has to be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// To look.
    Read,
    /// To change.
    Write,
    /// To run.
    Run,
    /// To decide for the operator.
    Admin,
}

impl Effect {
    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Effect::Reads => "reads",
            Effect::Writes => "writes",
            Effect::Runs => "runs",
        }
    }
}

impl Scope {
    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Write => "write",
            Scope::Run => "run",
            Scope::Admin => "admin",
        }
    }
}

/// One thing that can be asked.
pub struct Operation {
    /// `plan.validate`.
    pub name: &'static str,
    /// What it is for, in a sentence.
    pub summary: &'static str,
    /// What it does to the world.
    pub effect: Effect,
    /// What whoever asks has to be allowed.
    pub scope: Scope,
    /// Whether an answer may take longer than a client likes to wait.
    pub long: bool,
    params: Describe,
    answer: Describe,
    event: Option<Describe>,
    codes: fn() -> Vec<Code>,
    pub(crate) runs: Runs,
}

type Describe = fn(&mut SchemaGenerator) -> Schema;

/// Whether a value is of the type that it should be.
type Judge = fn(&Value) -> Result<(), Failure>;

/// Where an operation is carried out.
pub(crate) enum Runs {
    /// By a function of ours.
    Here {
        check: Judge,
        answer: fn(&Context, Value) -> Result<Value, Failure>,
    },
    /// By the engine that owns the data directory. What it sends back is held against its type.
    Live {
        check: Judge,
        answer: Judge,
        event: Option<Judge>,
    },
}

/// A question. Its parameters are the fields of the type.
pub(crate) trait Ask: DeserializeOwned + JsonSchema {
    const NAME: &'static str;
    const SUMMARY: &'static str;
    const EFFECT: Effect;
    const SCOPE: Scope;
    const LONG: bool;
    type Answer: Serialize + JsonSchema;

    fn codes() -> Vec<Code>;
}

/// A question that is answered here.
pub(crate) trait Here: Ask {
    fn answer(self, context: &Context) -> Result<Self::Answer, Failure>;
}

/// Writes down an [`Ask`]: type, name, effect, scope, answer, errors that it can have, and a sentence. `long` before the
/// sentence marks one that may take its time.
macro_rules! ask {
    (@long) => { false };
    (@long long) => { true };
    ($type:ty: $name:literal, $effect:ident, $scope:ident => $answer:ty, [$($error:ty),*], $($long:ident,)? $summary:literal) => {
        impl $crate::row::Ask for $type {
            const NAME: &'static str = $name;
            const SUMMARY: &'static str = $summary;
            const EFFECT: $crate::Effect = $crate::Effect::$effect;
            const SCOPE: $crate::Scope = $crate::Scope::$scope;
            const LONG: bool = $crate::row::ask!(@long $($long)?);
            type Answer = $answer;

            fn codes() -> Vec<failure::Code> {
                #[allow(unused_mut)]
                let mut all = vec![failure::codes::BAD_OPTION, failure::codes::INTERNAL];
                $(all.extend(<$error as failure::Fails>::codes());)*
                all
            }
        }
    };
}
pub(crate) use ask;

/// The row of a question that is answered here.
pub(crate) const fn here<T: Here>() -> Operation {
    Operation {
        name: T::NAME,
        summary: T::SUMMARY,
        effect: T::EFFECT,
        scope: T::SCOPE,
        long: T::LONG,
        params: |generator| generator.subschema_for::<T>(),
        answer: |generator| generator.subschema_for::<T::Answer>(),
        event: None,
        codes: T::codes,
        runs: Runs::Here {
            check: |params| params::object::<T>(params.clone()).map(drop),
            answer: |context, params| {
                let answer = params::object::<T>(params)?.answer(context)?;
                serde_json::to_value(answer).map_err(|e| Failure::internal(format!("the answer is no JSON: {e}")))
            },
        },
    }
}

/// The row of a question that the engine answers.
pub(crate) const fn live<T: Ask>() -> Operation
where
    T::Answer: DeserializeOwned,
{
    Operation {
        name: T::NAME,
        summary: T::SUMMARY,
        effect: T::EFFECT,
        scope: T::SCOPE,
        long: T::LONG,
        params: |generator| generator.subschema_for::<T>(),
        answer: |generator| generator.subschema_for::<T::Answer>(),
        event: None,
        codes: T::codes,
        runs: Runs::Live {
            check: |params| params::object::<T>(params.clone()).map(drop),
            answer: |answer| params::sound::<T::Answer>("answer", answer),
            event: None,
        },
    }
}

/// The row of a question that the engine answers, and about which it tells how things go meanwhile.
pub(crate) const fn streaming<T: Ask, E: DeserializeOwned + JsonSchema>() -> Operation
where
    T::Answer: DeserializeOwned,
{
    Operation {
        event: Some(|generator| generator.subschema_for::<E>()),
        runs: Runs::Live {
            check: |params| params::object::<T>(params.clone()).map(drop),
            answer: |answer| params::sound::<T::Answer>("answer", answer),
            event: Some(|event| params::sound::<E>("event", event)),
        },
        ..live::<T>()
    }
}

impl Operation {
    /// Whether the engine that owns the data directory answers it.
    pub const fn is_live(&self) -> bool {
        matches!(self.runs, Runs::Live { .. })
    }

    /// Whether it tells how things go before it answers.
    pub const fn streams(&self) -> bool {
        self.event.is_some()
    }

    /// The codes that it can fail with.
    pub fn codes(&self) -> Vec<Code> {
        let mut all = (self.codes)();
        all.sort();
        all.dedup();
        all
    }

    /// Whether the parameters can be understood. The failure points at the field that is wrong.
    pub fn check(&self, params: &Value) -> Result<(), Failure> {
        match self.runs {
            Runs::Here { check, .. } | Runs::Live { check, .. } => check(params),
        }
    }

    /// Whether an event of a live operation is what it should be.
    pub fn check_event(&self, event: &Value) -> Result<(), Failure> {
        match self.runs {
            Runs::Live { event: Some(check), .. } => check(event),
            _ => Err(Failure::internal(format!("`{}` has no events", self.name))),
        }
    }

    /// Whether the answer of a live operation is what it should be.
    pub fn check_answer(&self, answer: &Value) -> Result<(), Failure> {
        match self.runs {
            Runs::Live { answer: check, .. } => check(answer),
            Runs::Here { .. } => Ok(()),
        }
    }

    /// The schema of its parameters.
    pub fn params(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.params)(generator)
    }

    /// The schema of its answer.
    pub fn answer(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.answer)(generator)
    }

    /// The schema of its events.
    pub fn event(&self, generator: &mut SchemaGenerator) -> Option<Schema> {
        self.event.map(|event| event(generator))
    }
}
