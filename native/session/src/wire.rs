//! JSON in, JSON out: the one door that the command line, Elixir, MCP and HTTP share.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::SessionId;
use crate::error::Error;
use crate::ports::Store;
use crate::project::Query;
use crate::protocol::{
    Checker, CheckpointRequest, ContinueRequest, Engine, Observations, PreferenceChange, RewindRequest, StartRequest,
    Started,
};
use crate::workflow::{Library, Source, SourceKind, compile};

/// A workflow as it is sent.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SentWorkflow {
    /// Its text, JSON or Org.
    pub text: String,
    /// Where it came from.
    #[serde(default)]
    pub kind: SourceKind,
    /// Where it was.
    #[serde(default)]
    pub reference: String,
    /// Texts of workflows whose templates it may use.
    #[serde(default)]
    pub library: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Start {
    workflow: SentWorkflow,
    #[serde(default)]
    context: Map<String, Value>,
    #[serde(default)]
    preferences: PreferenceChange,
    #[serde(default)]
    observations: Observations,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct One {
    session_id: SessionId,
    /// The workflow as it is now, to tell whether it has drifted.
    #[serde(default)]
    workflow: Option<SentWorkflow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bundled {
    bundle: Value,
}

/// The verbs of [`call`].
pub const VERBS: [&str; 11] = [
    "start",
    "continue",
    "checkpoint",
    "resume",
    "rewind",
    "list",
    "inspect",
    "export",
    "import",
    "compile",
    "check",
];

/// Answers a verb. `check` runs the check of a step.
pub fn call(engine: &Engine<impl Store>, verb: &str, params: &Value, check: Checker<'_>) -> Result<Value, Error> {
    match verb {
        "start" => {
            let start: Start = read(params)?;
            let (workflow, warnings) = compiled(&start.workflow)?;
            let source = Started {
                kind: start.workflow.kind,
                reference: start.workflow.reference,
            };
            let request = StartRequest {
                workflow,
                source,
                context: start.context,
                preferences: start.preferences,
                observations: start.observations,
            };
            let mut answer = engine.start(&request)?;
            answer
                .warnings
                .extend(warnings.iter().map(|w| format!("{}; {}", w.message, w.hint)));
            write(&answer)
        }
        "continue" => write(&engine.continue_run(&read::<ContinueRequest>(params)?, check)?),
        "checkpoint" => write(&engine.checkpoint(&read::<CheckpointRequest>(params)?)?),
        "resume" => write(&json!({"candidates": engine.resume(&read::<Query>(params)?)?})),
        "rewind" => write(&engine.rewind(read::<RewindRequest>(params)?)?),
        "list" => write(&json!({"sessions": engine.list()?})),
        "inspect" => {
            let one: One = read(params)?;
            let current = one
                .workflow
                .as_ref()
                .map(compiled)
                .transpose()?
                .map(|(workflow, _)| workflow.hash());
            write(&engine.inspect(one.session_id, current)?)
        }
        "export" => write(&engine.export(read::<One>(params)?.session_id)?),
        "import" => write(&engine.import(read::<Bundled>(params)?.bundle.to_string().as_bytes())?),
        "compile" => {
            let (workflow, warnings) = compiled(&read::<SentWorkflow>(params)?)?;
            Ok(json!({"hash": workflow.hash(), "compiled": workflow, "warnings": warnings}))
        }
        "check" => write(&engine.pending_check(&read::<ContinueRequest>(params)?)?),
        _ => Err(Error::validation(
            format!("there is no verb `{}`", crate::text::clip(verb, 64)),
            format!("use one of {}", VERBS.join(", ")),
        )),
    }
}

fn compiled(sent: &SentWorkflow) -> Result<(crate::Compiled, Vec<crate::workflow::Warning>), Error> {
    let mut library = Library::default();
    for text in &sent.library {
        library.add(&Source::read(text)?);
    }
    Ok(compile(&Source::read(&sent.text)?, sent.kind, &library)?)
}

fn read<T: DeserializeOwned>(params: &Value) -> Result<T, Error> {
    serde_json::from_value(params.clone()).map_err(|e| {
        Error::validation(
            format!("the parameters cannot be read: {e}"),
            "docs/sessions.md lists the fields of each verb",
        )
    })
}

fn write(answer: &impl serde::Serialize) -> Result<Value, Error> {
    serde_json::to_value(answer).map_err(|e| Error::invariant(format!("the answer is no JSON: {e}")))
}
