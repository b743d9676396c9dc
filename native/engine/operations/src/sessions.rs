//! Durable agent sessions. The fields are those of `docs/sessions.md`.

use crate::catalogue::{Catalogue, CatalogueRow};
use crate::row::{Here, ask};
use crate::{Context, check, session_plan};
use failure::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use session::event::{Autonomy, Charter, Risk};
use session::ports::{Clock, Store};
use session::project::Query;
use session::protocol::{
    CheckpointRequest, ContinueRequest, Extent, Inspection, ListRequest, Listed, Observations, Offer, PreferenceChange,
    RewindRequest, Shown, Started,
};
use session::workflow::{Need, Preview, SentWorkflow, Warning};
use session::{Asked, Error, Intent, NodeId, Policy, SessionId, StartRequest, Token, WorkflowHash};
use session_store::{Remedy, Swept, System, Verified};
use std::path::Path;

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
    /// What is known of the session.
    Resume = Query;
    /// Which sessions.
    List = ListRequest;
    /// A workflow.
    Compile = SentWorkflow;
}

/// A session, by its id or by any token of it.
#[derive(Debug, Clone, Copy, JsonSchema)]
#[schemars(transparent)]
pub(crate) struct Named(#[schemars(with = "String")] SessionId);

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let named = Token::names(&text);
        named.map(Named).ok_or_else(|| {
            serde::de::Error::custom("a session is named by its id, sess_.., or by a token of it, ct_..")
        })
    }
}

/// Starts a run of a workflow in a new session.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Start {
    /// The workflow: its text, or the id of one of the catalogue.
    workflow: SentWorkflow,
    /// What the run is about.
    #[serde(default)]
    context: Map<String, Value>,
    /// How far to go, at what risk. It is recorded as the choice of whoever starts.
    #[serde(default)]
    preferences: PreferenceChange,
    /// What is seen of the workspace.
    #[serde(default)]
    observations: Observations,
    /// The directory that every check of the session will see. It cannot be changed by a later call.
    workdir: Option<String>,
    /// The Org plan that the text was read from: what its history proves done is skipped.
    plan: Option<String>,
    /// Whether verdicts are written into the plan, and into its ledger.
    #[serde(default)]
    write_plan: bool,
    /// A name for people.
    title: Option<String>,
    /// What is to be reached.
    goal: Option<String>,
    /// A token of the session whose step this one works for.
    parent: Option<String>,
    /// Whether the answer tells everything.
    #[serde(default)]
    full: bool,
}

ask!(Start: "session.start", Writes, Write => Shown, [Error, oql::Error, history::Error], "Starts a run of a workflow in a new session.");

impl Here for Start {
    fn answer(self, context: &Context) -> Result<Shown, Failure> {
        let sessions = context.sessions()?;
        let (workflow, warnings, kind, reference) = Catalogue::of(context)?.compile(&self.workflow)?;
        let workdir = match &self.workdir {
            Some(dir) => context.path(dir),
            None => context.workdir.clone().unwrap_or_else(|| context.here.clone()),
        };
        let plan = self
            .plan
            .as_deref()
            .map(|plan| absolute(&context.path(plan)))
            .transpose()?;
        if self.write_plan && plan.is_none() {
            return Err(Error::validation(
                "there is no plan to write verdicts into",
                "start the session from an Org plan that is a file",
            )
            .into());
        }
        let proven = match &plan {
            Some(plan) => session_plan::proven(context, Path::new(plan), &self.workflow.text)?,
            None => Vec::new(),
        };
        let told = format!("what the plan's history proves done is skipped: {}", proven.join(", "));
        let skipped = (!proven.is_empty()).then_some(told);
        let charter = Charter {
            workdir: Some(absolute(&workdir)?),
            plan,
            write_plan: self.write_plan,
            proven,
            title: self.title,
            goal: self.goal,
            parent: self.parent.as_deref().map(|token| sessions.parent(token)).transpose()?,
        };
        let request = StartRequest {
            workflow,
            source: Started { kind, reference },
            context: self.context,
            preferences: self.preferences,
            observations: self.observations,
            charter,
        };
        let mut answer = sessions.start(&request)?;
        let told = warnings
            .iter()
            .map(|warning| format!("{}; {}", warning.message, warning.hint));
        answer.warnings.extend(told.chain(skipped));
        Ok(answer.shown(if self.full { Extent::Full } else { Extent::Meeting }))
    }
}

/// The one true path of what is there: whoever goes on may stand elsewhere.
fn absolute(path: &Path) -> Result<String, Failure> {
    let found = std::fs::canonicalize(path)
        .map_err(|error| Error::validation(format!("{}: {error}", path.display()), "name something that is there"))?;
    match found.into_os_string().into_string() {
        Ok(text) => Ok(text),
        Err(_) => Err(Error::validation("the path is no text in UTF-8", "rename it").into()),
    }
}

ask!(Continue: "session.continue", Runs, Run => Shown, [Error, history::Error], long, "Completes the pending step, whose check runs in the WASM shell; the same token always gives the same answer.");

impl Here for Continue {
    fn answer(self, context: &Context) -> Result<Shown, Failure> {
        let sessions = context.sessions()?;
        let verdict = |asked: &Asked<'_>| match &context.verdict {
            Some(verdict) => verdict.clone(),
            None => check::run(context, asked),
        };
        let mut answer = sessions.continue_run(&self.0, &verdict)?;
        let looks = self.0.intent == Intent::Rehydrate;
        if !looks && sessions.charter(answer.session_id)?.write_plan {
            let seen = sessions.inspect(answer.session_id, None)?;
            answer.warnings.extend(session_plan::write(context, &seen));
        }
        Ok(answer.shown(match (self.0.full, looks) {
            (true, _) => Extent::Full,
            (false, true) => Extent::Meeting,
            (false, false) => Extent::Step,
        }))
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

/// Makes a checkpoint.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Checkpoint {
    /// The handle or the checkpoint token of the last answer.
    token: String,
    /// What must not be lost.
    notes: Option<String>,
    /// Whether the answer tells everything.
    #[serde(default)]
    full: bool,
}

ask!(Checkpoint: "session.checkpoint", Writes, Write => Shown, [Error], "Keeps notes at the pending step, which stays pending.");

impl Here for Checkpoint {
    fn answer(self, context: &Context) -> Result<Shown, Failure> {
        let request = CheckpointRequest {
            token: self.token,
            notes: self.notes,
        };
        let answer = context.sessions()?.checkpoint(&request)?;
        Ok(answer.shown(if self.full { Extent::Full } else { Extent::Again }))
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

/// Goes back to a node.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Rewind {
    /// The session.
    session_id: Named,
    /// The node; the preferred tip when absent.
    node_id: Option<NodeId>,
    /// Whether the answer tells everything.
    #[serde(default)]
    full: bool,
}

ask!(Rewind: "session.rewind", Reads, Read => Shown, [Error], "Mints a token to go on from a node; nothing is written.");

impl Here for Rewind {
    fn answer(self, context: &Context) -> Result<Shown, Failure> {
        let answer = context.sessions()?.rewind(RewindRequest {
            session_id: self.session_id.0,
            node_id: self.node_id,
        })?;
        Ok(answer.shown(if self.full { Extent::Full } else { Extent::Meeting }))
    }
}

ask!(List: "session.list", Reads, Read => Listed, [Error], "Lists sessions in a line each, the latest written first; 50 unless told otherwise.");

impl Here for List {
    fn answer(self, context: &Context) -> Result<Listed, Failure> {
        Ok(context.sessions()?.listed(&self.0)?)
    }
}

/// A session, and the source of its workflow as it is now.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Inspect {
    /// The session.
    session_id: Named,
    /// The workflow as it is now, to tell whether it has drifted.
    workflow: Option<SentWorkflow>,
}

ask!(Inspect: "session.inspect", Reads, Read => Inspection, [Error], "Shows a session in full.");

impl Here for Inspect {
    fn answer(self, context: &Context) -> Result<Inspection, Failure> {
        let catalogue = self.workflow.as_ref().map(|_| Catalogue::of(context)).transpose()?;
        let now = self
            .workflow
            .zip(catalogue)
            .map(|(sent, all)| all.compile(&sent))
            .transpose()?;
        let hash = now.map(|(workflow, ..)| workflow.hash());
        Ok(context.sessions()?.inspect(self.session_id.0, hash)?)
    }
}

macro_rules! of_a_session {
    ($($name:ident)*) => {$(
        /// A session.
        #[derive(Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub(crate) struct $name {
            /// Its id, or a token of it.
            session_id: Named,
        }
    )*};
}

of_a_session!(Export Verify Quarantine Delete Repair);

ask!(Export: "session.export", Reads, Read => Map<String, Value>, [Error], "Gives a session as one bundle, every part of it hashed.");

impl Here for Export {
    fn answer(self, context: &Context) -> Result<Map<String, Value>, Failure> {
        let bundle = context.sessions()?.export(self.session_id.0)?;
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

/// A session that was imported.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportedView {
    /// Its name here.
    session_id: SessionId,
    /// The name it had, when that was taken here.
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_from: Option<SessionId>,
    /// Where its run stands, with a token of this store.
    answer: Shown,
}

ask!(Import: "session.import", Writes, Write => ImportedView, [Error], "Puts the session of a bundle in place, under another name when its own is taken.");

impl Here for Import {
    fn answer(self, context: &Context) -> Result<ImportedView, Failure> {
        let imported = context.sessions()?.import(self.bundle.to_string().as_bytes())?;
        Ok(ImportedView {
            session_id: imported.session_id,
            renamed_from: imported.renamed_from,
            answer: imported.answer.shown(Extent::Meeting),
        })
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
    fn answer(self, context: &Context) -> Result<CompiledView, Failure> {
        let (workflow, warnings, ..) = Catalogue::of(context)?.compile(&self.0)?;
        Ok(CompiledView {
            hash: workflow.hash(),
            compiled: serde_json::to_value(&workflow).map_err(|e| Failure::internal(e.to_string()))?,
            warnings,
        })
    }
}

/// A workflow, and what a run of it would be about.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PreviewSteps {
    /// The workflow: its text, or the id of one of the catalogue.
    workflow: SentWorkflow,
    /// What the run would be about.
    #[serde(default)]
    context: Map<String, Value>,
}

/// Every step of a workflow as an agent will read it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Previewed {
    /// The workflow's id.
    workflow: String,
    /// What its loops want of the context and the context does not have.
    needs: Vec<Need>,
    /// The steps, in order.
    steps: Vec<Preview>,
    /// What the compiler noticed.
    warnings: Vec<Warning>,
}

ask!(PreviewSteps: "session.preview", Reads, Read => Previewed, [Error], "Walks a workflow for its author, and shows each prompt; nothing is started.");

impl Here for PreviewSteps {
    fn answer(self, context: &Context) -> Result<Previewed, Failure> {
        let (workflow, warnings, ..) = Catalogue::of(context)?.compile(&self.workflow)?;
        Ok(Previewed {
            needs: workflow.needs(&self.context),
            steps: workflow.preview(&self.context),
            workflow: workflow.workflow_id,
            warnings,
        })
    }
}

/// What to show of the catalogue.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Workflows {
    /// Only those with this tag.
    tag: Option<String>,
}

/// The workflows that can be started by their id.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Catalogued {
    /// In the order of the ids.
    workflows: Vec<CatalogueRow>,
}

ask!(Workflows: "session.workflows", Reads, Read => Catalogued, [Error], "Lists the workflows that can be started by their id: bundled, the project's, the user's.");

impl Here for Workflows {
    fn answer(self, context: &Context) -> Result<Catalogued, Failure> {
        let mut workflows = Catalogue::of(context)?.rows();
        workflows.retain(|row| self.tag.as_ref().is_none_or(|tag| row.has(tag)));
        Ok(Catalogued { workflows })
    }
}

/// A session, and the directory that its checks see from now on.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Pin {
    /// The session.
    session_id: Named,
    /// The directory.
    workdir: String,
}

ask!(Pin: "session.pin", Writes, Admin => Charter, [Error], "Binds the checks of a session to another directory, as the operator; it is recorded.");

impl Here for Pin {
    fn answer(self, context: &Context) -> Result<Charter, Failure> {
        let workdir = absolute(&context.path(&self.workdir))?;
        Ok(context.sessions()?.pin(self.session_id.0, &workdir)?)
    }
}

/// What to change of the policy; nothing only shows it.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SetPolicy {
    /// How far a session may go at all, whoever asks.
    most_autonomy: Option<Autonomy>,
    /// How far an agent may raise its autonomy without the user's word.
    agent_autonomy: Option<Autonomy>,
    /// The risk that an agent may take without the user's word.
    agent_risk: Option<Risk>,
    /// Directories of workflows that count as bundled.
    libraries: Option<Vec<String>>,
}

ask!(SetPolicy: "session.policy", Writes, Admin => Policy, [Error], "Shows what the operator lets agents do, and changes it.");

impl Here for SetPolicy {
    fn answer(self, context: &Context) -> Result<Policy, Failure> {
        let sessions = context.sessions()?;
        let before = sessions.store().policy()?;
        let libraries = self.libraries.map(|dirs| {
            let absolute = |dir: &String| absolute(&context.path(dir));
            dirs.iter().map(absolute).collect::<Result<Vec<_>, _>>()
        });
        let policy = Policy {
            v: before.v,
            most_autonomy: self.most_autonomy.unwrap_or(before.most_autonomy),
            agent_autonomy: self.agent_autonomy.unwrap_or(before.agent_autonomy),
            agent_risk: self.agent_risk.unwrap_or(before.agent_risk),
            libraries: libraries.transpose()?.unwrap_or_else(|| before.libraries.clone()),
        };
        if policy != before {
            sessions.store().set_policy(&policy)?;
        }
        Ok(policy)
    }
}

ask!(Quarantine: "session.quarantine", Writes, Admin => Remedy, [Error], "Moves a session aside, whole; nothing is deleted.");

impl Here for Quarantine {
    fn answer(self, context: &Context) -> Result<Remedy, Failure> {
        Ok(context.sessions()?.store().quarantine(self.session_id.0)?)
    }
}

ask!(Delete: "session.delete", Writes, Admin => Remedy, [Error], "Deletes a session, or what was moved aside of it.");

impl Here for Delete {
    fn answer(self, context: &Context) -> Result<Remedy, Failure> {
        Ok(context.sessions()?.store().delete(self.session_id.0)?)
    }
}

ask!(Repair: "session.repair", Writes, Admin => Remedy, [Error], "Puts the valid beginning of a damaged session in its place; the damaged files are moved aside.");

impl Here for Repair {
    fn answer(self, context: &Context) -> Result<Remedy, Failure> {
        Ok(context.sessions()?.store().repair(self.session_id.0)?)
    }
}

ask!(Verify: "session.verify", Reads, Read => Verified, [Error], "Reads all of a session again, and says what was found.");

impl Here for Verify {
    fn answer(self, context: &Context) -> Result<Verified, Failure> {
        Ok(context.sessions()?.store().verify(self.session_id.0)?)
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
