//! Durable agent sessions. The fields are those of `docs/sessions.md`.

use crate::row::{Here, ask};
use crate::{Context, check};
use failure::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use session::ports::Clock;
use session::project::Query;
use session::protocol::{
    CheckpointRequest, ContinueRequest, Imported, Inspection, Observations, Offer, Overview, PreferenceChange,
    RewindRequest, Started,
};
use session::workflow::{SentWorkflow, Warning};
use session::{Answer, Error, SessionId, StartRequest, WorkflowHash};
use session_store::{Swept, System, Verified};

macro_rules! same_as {
    ($($(#[$doc:meta])* $name:ident = $request:ty;)*) => {$(
        $(#[$doc])*
        #[derive(Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub(crate) struct $name($request);
    )*};
}

same_as! {
    /// Goes on with a run, or looks where it stands.
    Continue = ContinueRequest;
    /// The call that would be made.
    Check = ContinueRequest;
    /// Makes a checkpoint.
    Checkpoint = CheckpointRequest;
    /// What is known of the session.
    Resume = Query;
    /// Goes back to a node.
    Rewind = RewindRequest;
    /// A workflow.
    Compile = SentWorkflow;
}

/// Starts a run of a workflow in a new session.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Start {
    /// The workflow.
    workflow: SentWorkflow,
    /// What the run is about.
    #[serde(default)]
    context: Map<String, Value>,
    /// How far to go, at what risk.
    #[serde(default)]
    preferences: PreferenceChange,
    /// What is seen of the workspace.
    #[serde(default)]
    observations: Observations,
}

ask!(Start: "session.start", Writes, Write => Answer, [Error], "Starts a run of a workflow in a new session.");

impl Here for Start {
    fn answer(self, context: &Context) -> Result<Answer, Failure> {
        let (workflow, warnings) = self.workflow.compile()?;
        let request = StartRequest {
            workflow,
            source: Started {
                kind: self.workflow.kind,
                reference: self.workflow.reference,
            },
            context: self.context,
            preferences: self.preferences,
            observations: self.observations,
        };
        let mut answer = context.sessions()?.start(&request)?;
        let told = warnings
            .iter()
            .map(|warning| format!("{}; {}", warning.message, warning.hint));
        answer.warnings.extend(told);
        Ok(answer)
    }
}

ask!(Continue: "session.continue", Runs, Run => Answer, [Error], long, "Completes the pending step, whose check runs in the WASM shell; the same token always gives the same answer.");

impl Here for Continue {
    fn answer(self, context: &Context) -> Result<Answer, Failure> {
        let workdir = context.workdir.clone().unwrap_or_else(|| context.here.clone());
        let verdict = |check: &session::workflow::Check| match &context.verdict {
            Some(verdict) => verdict.clone(),
            None => check::run(context, check, &workdir),
        };
        Ok(context.sessions()?.continue_run(&self.0, &verdict)?)
    }
}

/// The check of a step, as it is written in the workflow.
type PendingCheck = Option<Map<String, Value>>;

ask!(Check: "session.check", Reads, Read => PendingCheck, [Error], "Gives the check that a continue would run; null when none would.");

impl Here for Check {
    fn answer(self, context: &Context) -> Result<PendingCheck, Failure> {
        let pending = context.sessions()?.pending_check(&self.0)?;
        match serde_json::to_value(pending) {
            Ok(Value::Object(check)) => Ok(Some(check)),
            Ok(_) => Ok(None),
            Err(e) => Err(Failure::internal(e.to_string())),
        }
    }
}

ask!(Checkpoint: "session.checkpoint", Writes, Write => Answer, [Error], "Keeps notes at the pending step, which stays pending.");

impl Here for Checkpoint {
    fn answer(self, context: &Context) -> Result<Answer, Failure> {
        Ok(context.sessions()?.checkpoint(&self.0)?)
    }
}

/// Sessions that fit, the best first.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Candidates {
    /// At most 5.
    candidates: Vec<Offer>,
}

ask!(Resume: "session.resume", Reads, Read => Candidates, [Error], "Finds the sessions that fit best what is known of them.");

impl Here for Resume {
    fn answer(self, context: &Context) -> Result<Candidates, Failure> {
        Ok(Candidates {
            candidates: context.sessions()?.resume(&self.0)?,
        })
    }
}

ask!(Rewind: "session.rewind", Reads, Read => Answer, [Error], "Mints a token to go on from a node; nothing is written.");

impl Here for Rewind {
    fn answer(self, context: &Context) -> Result<Answer, Failure> {
        Ok(context.sessions()?.rewind(self.0)?)
    }
}

/// Nothing to say.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {}

/// Every session in a line.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Sessions {
    /// The sessions.
    sessions: Vec<Overview>,
}

ask!(List: "session.list", Reads, Read => Sessions, [Error], "Lists every session in a line.");

impl Here for List {
    fn answer(self, context: &Context) -> Result<Sessions, Failure> {
        Ok(Sessions {
            sessions: context.sessions()?.list()?,
        })
    }
}

/// A session, and the source of its workflow as it is now.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Inspect {
    /// The session.
    session_id: SessionId,
    /// The workflow as it is now, to tell whether it has drifted.
    workflow: Option<SentWorkflow>,
}

ask!(Inspect: "session.inspect", Reads, Read => Inspection, [Error], "Shows a session in full.");

impl Here for Inspect {
    fn answer(self, context: &Context) -> Result<Inspection, Failure> {
        let now = self.workflow.map(|sent| sent.compile()).transpose()?;
        let hash = now.map(|(workflow, _)| workflow.hash());
        Ok(context.sessions()?.inspect(self.session_id, hash)?)
    }
}

macro_rules! of_a_session {
    ($($name:ident)*) => {$(
        /// A session.
        #[derive(Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub(crate) struct $name {
            /// Its id.
            session_id: SessionId,
        }
    )*};
}

of_a_session!(Export Verify);

ask!(Export: "session.export", Reads, Read => Map<String, Value>, [Error], "Gives a session as one bundle, every part of it hashed.");

impl Here for Export {
    fn answer(self, context: &Context) -> Result<Map<String, Value>, Failure> {
        let bundle = context.sessions()?.export(self.session_id)?;
        match serde_json::to_value(bundle) {
            Ok(Value::Object(bundle)) => Ok(bundle),
            _ => Err(Failure::internal("a bundle is no object")),
        }
    }
}

/// A bundle.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Import {
    /// What `session.export` gave.
    bundle: Value,
}

ask!(Import: "session.import", Writes, Write => Imported, [Error], "Puts the session of a bundle in place, under another name when its own is taken.");

impl Here for Import {
    fn answer(self, context: &Context) -> Result<Imported, Failure> {
        Ok(context.sessions()?.import(self.bundle.to_string().as_bytes())?)
    }
}

/// A workflow, compiled.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CompiledView {
    /// What it is pinned by.
    hash: WorkflowHash,
    /// Its compiled form.
    compiled: Value,
    /// What the compiler noticed.
    warnings: Vec<Warning>,
}

ask!(Compile: "session.compile", Reads, Read => CompiledView, [Error], "Compiles a workflow, and gives its hash, its compiled form and the warnings.");

impl Here for Compile {
    fn answer(self, _: &Context) -> Result<CompiledView, Failure> {
        let (workflow, warnings) = self.0.compile()?;
        Ok(CompiledView {
            hash: workflow.hash(),
            compiled: serde_json::to_value(&workflow).map_err(|e| Failure::internal(e.to_string()))?,
            warnings,
        })
    }
}

ask!(Verify: "session.verify", Reads, Read => Verified, [Error], "Reads all of a session again, and says what was found.");

impl Here for Verify {
    fn answer(self, context: &Context) -> Result<Verified, Failure> {
        Ok(context.sessions()?.store().verify(self.session_id)?)
    }
}

/// What to sweep.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Sweep {
    /// Days after which a session expires; never when absent.
    ttl_days: Option<u64>,
    /// Whether to only say what would go.
    #[serde(default)]
    dry_run: bool,
}

ask!(Sweep: "session.gc", Writes, Admin => Swept, [Error], "Deletes sessions that expired, and then what no session needs.");

impl Here for Sweep {
    fn answer(self, context: &Context) -> Result<Swept, Failure> {
        let ttl = self.ttl_days.map(|days| days.saturating_mul(24 * 60 * 60));
        Ok(context.sessions()?.store().sweep(&session_store::Sweep {
            now: System.now(),
            ttl,
            dry_run: self.dry_run,
        })?)
    }
}

/// A session, and whether it expires.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Keep {
    /// The session.
    session_id: SessionId,
    /// Whether it never expires.
    keep: bool,
}

ask!(Keep: "session.keep", Writes, Write => Keep, [Error], "Says that a session never expires, or that it does.");

impl Here for Keep {
    fn answer(self, context: &Context) -> Result<Keep, Failure> {
        context.sessions()?.store().keep(self.session_id, self.keep)?;
        Ok(self)
    }
}

/// Nothing to say.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RotateKeys {}

ask!(RotateKeys: "session.rotate_keys", Writes, Admin => RotateKeys, [Error], "Makes a fresh key for tokens; those of the key before hold until the next rotation.");

impl Here for RotateKeys {
    fn answer(self, context: &Context) -> Result<RotateKeys, Failure> {
        context.sessions()?.store().rotate_keys()?;
        Ok(self)
    }
}
