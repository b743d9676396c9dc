//! The closed set of facts that a session is made of.
//!
//! An event is one canonical JSON line: an envelope that says where it belongs and a payload of its kind. Order is
//! the `eventIndex`; there is no time in it.

mod advance;
mod capability;
mod charter;
mod gap;
mod node;
mod observation;
mod output;
mod preference;
mod trace;
mod verdict;

pub use advance::{Blocker, BlockerCode, Intent, Outcome, Pointer};
pub use capability::{AttemptContext, Capability, FailureCode, Grade, Party, ProbeResult, Provenance, Status};
pub use charter::{Charter, Parent};
pub use gap::{Evidence, GapReason, Resolution, Severity};
pub use node::{Cause, CauseKind, EdgeKind, NodeKind};
pub use observation::{Confidence, ObservedKey, ObservedValue};
pub use output::{Channel, Payload};
pub use preference::{Autonomy, ChangeSource, Delta, Preferences, Risk};
pub use trace::{TraceEntry, TraceKind, TraceRef};
pub use verdict::{AskedCheck, Finding, Judge, Printed};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::canon::canonical;
use crate::workflow::SourceKind;
use crate::{
    AttemptId, CapObsId, ChangeId, ContextId, DedupeKey, DivergenceId, EventId, GapId, NodeId, OutputId, RunId,
    SessionId, SnapshotRef, TraceId, VerdictId, WorkflowHash,
};

/// The newest version of the event format.
///
/// An event carries the oldest version that can say it. What version 1 knew is still written as version 1, so a program of
/// version 1 reads every session that has nothing newer in it; where something newer comes it stops before it, and calls
/// the session `unknown_version`, not damaged.
pub const VERSION: u64 = 2;

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scope {
    /// The run.
    pub run_id: RunId,
    /// The node of the run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub node_id: Option<NodeId>,
}

/// One fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    v: u64,
    /// Its name.
    pub event_id: EventId,
    /// Its place in the session, from 0.
    pub event_index: u64,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// The key that makes it happen once.
    pub dedupe_key: DedupeKey,
    /// What it is about; absent means the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// What happened.
    #[serde(flatten)]
    pub fact: Fact,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", content = "data", rename_all = "snake_case")]
pub enum Fact {
    /// The session exists.
    SessionCreated(Empty),
    /// Something about the workspace was seen.
    ObservationRecorded(Observation),
    /// A run began, pinned to a compiled workflow.
    RunStarted(RunStarted),
    /// A node exists.
    NodeCreated(NodeCreated),
    /// Two nodes are connected.
    EdgeCreated(EdgeCreated),
    /// An attempt to advance had this outcome.
    AdvanceRecorded(AdvanceRecorded),
    /// A node has a new output.
    NodeOutputAppended(NodeOutputAppended),
    /// The preferences changed from this node on.
    PreferencesChanged(PreferencesChanged),
    /// A capability was seen to work or not.
    CapabilityObserved(CapabilityObserved),
    /// Something required is missing, and the run went on.
    GapRecorded(GapRecorded),
    /// The agent left the script on purpose.
    DivergenceRecorded(DivergenceRecorded),
    /// Why the engine chose what it chose.
    DecisionTraceAppended(DecisionTraceAppended),
    /// The whole context from this node on.
    ContextSet(ContextSet),
    /// A check said whether a step is done. Version 2.
    VerdictRecorded(VerdictRecorded),
    /// What the session is for, and what its evidence is bound to. Version 2.
    CharterSet(CharterSet),
}

macro_rules! payloads {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }
    )*};
}

payloads! {
    /// No payload.
    Empty {}
    /// See [`Fact::ObservationRecorded`].
    Observation {
        /// What was looked at.
        key: ObservedKey,
        /// What was seen.
        value: ObservedValue,
        /// How sure it is.
        confidence: Confidence,
    }
    /// See [`Fact::RunStarted`].
    RunStarted {
        /// The workflow's id.
        workflow_id: String,
        /// The compiled workflow that the run follows, whatever happens to the source.
        workflow_hash: WorkflowHash,
        /// Where the source came from.
        workflow_source_kind: SourceKind,
        /// Where the source was; never used to run.
        workflow_source_ref: String,
    }
    /// See [`Fact::NodeCreated`].
    NodeCreated {
        /// What the node stands for.
        node_kind: NodeKind,
        /// The node it comes from; none for the root.
        parent_node_id: Option<NodeId>,
        /// The run's compiled workflow.
        workflow_hash: WorkflowHash,
        /// Where the interpreter stands.
        snapshot_ref: SnapshotRef,
    }
    /// See [`Fact::EdgeCreated`].
    EdgeCreated {
        /// What the edge stands for.
        edge_kind: EdgeKind,
        /// The parent.
        from_node_id: NodeId,
        /// The child.
        to_node_id: NodeId,
        /// Why it exists.
        cause: Cause,
    }
    /// See [`Fact::AdvanceRecorded`].
    AdvanceRecorded {
        /// The attempt.
        attempt_id: AttemptId,
        /// What was attempted.
        intent: Intent,
        /// What came of it.
        outcome: Outcome,
    }
    /// See [`Fact::NodeOutputAppended`].
    NodeOutputAppended {
        /// Its name.
        output_id: OutputId,
        /// The output of the same node and channel that this one corrects.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        supersedes_output_id: Option<OutputId>,
        /// What it is for.
        output_channel: Channel,
        /// What it says.
        payload: Payload,
    }
    /// See [`Fact::PreferencesChanged`].
    PreferencesChanged {
        /// Its name.
        change_id: ChangeId,
        /// Who asked.
        source: ChangeSource,
        /// What changed.
        delta: Vec<Delta>,
        /// What holds now.
        effective: Preferences,
    }
    /// See [`Fact::CapabilityObserved`].
    CapabilityObserved {
        /// Its name.
        cap_obs_id: CapObsId,
        /// What was looked at.
        capability: Capability,
        /// What was seen.
        status: Status,
        /// How it is known.
        provenance: Provenance,
    }
    /// See [`Fact::GapRecorded`].
    GapRecorded {
        /// Its name.
        gap_id: GapId,
        /// How bad it is.
        severity: Severity,
        /// What is missing.
        reason: GapReason,
        /// In a sentence.
        summary: String,
        /// Whether it closes an earlier gap.
        resolution: Resolution,
        /// What it rests on.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        evidence_refs: Vec<Evidence>,
    }
    /// See [`Fact::DivergenceRecorded`].
    DivergenceRecorded {
        /// Its name.
        divergence_id: DivergenceId,
        /// Why.
        reason: DivergenceReason,
        /// In a sentence.
        summary: String,
        /// The step that was left.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        related_step_id: Option<String>,
    }
    /// See [`Fact::DecisionTraceAppended`].
    DecisionTraceAppended {
        /// Its name.
        trace_id: TraceId,
        /// What was decided, in order.
        entries: Vec<TraceEntry>,
    }
    /// See [`Fact::ContextSet`].
    ContextSet {
        /// Its name.
        context_id: ContextId,
        /// The merged whole.
        context: Map<String, Value>,
        /// How it came about.
        source: ContextSource,
    }
    /// See [`Fact::VerdictRecorded`].
    VerdictRecorded {
        /// Its name.
        verdict_id: VerdictId,
        /// The attempt it was asked for.
        attempt_id: AttemptId,
        /// The step.
        step_id: String,
        /// The check.
        check: AskedCheck,
        /// The directory that it saw; absent when somebody else than the shell ran it.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        workdir: Option<String>,
        /// Who ran it.
        judge: Judge,
        /// How it ended.
        status: Finding,
        /// The status that its command ended with.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        exit_status: Option<u8>,
        /// Why it did not pass.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        reason: Option<String>,
        /// What it printed.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        stdout: Option<Printed>,
        /// What it complained about.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        stderr: Option<Printed>,
        /// Files that the check itself changed, the first few. A check proves, it does not do.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        changed: Vec<String>,
    }
    /// See [`Fact::CharterSet`].
    CharterSet {
        /// Its name.
        charter_id: crate::CharterId,
        /// Who set it.
        source: ChangeSource,
        /// All of it.
        charter: Charter,
    }
}

/// Why the agent left the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DivergenceReason {
    /// The user did not say what was needed.
    MissingUserContext,
    /// A capability was not there.
    CapabilityUnavailable,
    /// The step was not worth doing.
    EfficiencySkip,
    /// Going on was not safe.
    SafetyStop,
    /// A policy forbade it.
    PolicyConstraint,
}

/// How a context came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContextSource {
    /// Sent at the start.
    Initial,
    /// Merged from what an advance sent.
    AgentDelta,
}

/// Why a line is not an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadEvent {
    /// It was written by a newer program.
    #[error("the event has version {0}, and this program knows versions 1 to {VERSION}")]
    UnknownVersion(u64),
    /// It cannot be read.
    #[error("the event cannot be read: {0}")]
    Unreadable(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Envelope<'a> {
    v: u64,
    event_id: EventId,
    event_index: u64,
    session_id: SessionId,
    dedupe_key: DedupeKey,
    #[serde(default)]
    scope: Option<Scope>,
    kind: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    data: &'a RawValue,
}

#[derive(Deserialize)]
struct Version {
    v: u64,
}

impl Event {
    /// An event of the oldest version that can say the fact.
    pub fn new(
        event_id: EventId,
        event_index: u64,
        session_id: SessionId,
        dedupe_key: DedupeKey,
        scope: Option<Scope>,
        fact: Fact,
    ) -> Self {
        Event {
            v: fact.version(),
            event_id,
            event_index,
            session_id,
            dedupe_key,
            scope,
            fact,
        }
    }

    /// Reads one line. The payload is read by its kind, so nothing is buffered twice.
    pub fn read(line: &str) -> Result<Self, BadEvent> {
        let unreadable = |e: serde_json::Error| match serde_json::from_str::<Version>(line) {
            Ok(Version { v }) if !(1..=VERSION).contains(&v) => BadEvent::UnknownVersion(v),
            _ => BadEvent::Unreadable(e.to_string()),
        };
        let envelope: Envelope = serde_json::from_str(line).map_err(unreadable)?;
        if !(1..=VERSION).contains(&envelope.v) {
            return Err(BadEvent::UnknownVersion(envelope.v));
        }
        let fact = Fact::read(&envelope.kind, envelope.data.get())
            .map_err(|e| BadEvent::Unreadable(e.to_string()))?
            .ok_or_else(|| {
                BadEvent::Unreadable(format!("there is no kind `{}`", crate::text::clip(&envelope.kind, 64)))
            })?;
        if fact.version() != envelope.v {
            return Err(BadEvent::Unreadable(format!(
                "a {} that says this has version {}, and it carries {}",
                envelope.kind,
                fact.version(),
                envelope.v
            )));
        }
        if !fact.fits(envelope.scope.as_ref()) {
            return Err(BadEvent::Unreadable(format!(
                "the scope does not fit a {}",
                envelope.kind
            )));
        }
        Ok(Event::new(
            envelope.event_id,
            envelope.event_index,
            envelope.session_id,
            envelope.dedupe_key,
            envelope.scope,
            fact,
        ))
    }

    /// The event as its canonical line, with the newline.
    pub fn line(&self) -> Vec<u8> {
        let mut line = canonical(self);
        line.push(b'\n');
        line
    }

    /// The node in its scope.
    pub fn node(&self) -> Option<NodeId> {
        self.scope.and_then(|scope| scope.node_id)
    }
}

impl Fact {
    /// The kind as it is written.
    pub const fn kind(&self) -> &'static str {
        match self {
            Fact::SessionCreated(_) => "session_created",
            Fact::ObservationRecorded(_) => "observation_recorded",
            Fact::RunStarted(_) => "run_started",
            Fact::NodeCreated(_) => "node_created",
            Fact::EdgeCreated(_) => "edge_created",
            Fact::AdvanceRecorded(_) => "advance_recorded",
            Fact::NodeOutputAppended(_) => "node_output_appended",
            Fact::PreferencesChanged(_) => "preferences_changed",
            Fact::CapabilityObserved(_) => "capability_observed",
            Fact::GapRecorded(_) => "gap_recorded",
            Fact::DivergenceRecorded(_) => "divergence_recorded",
            Fact::DecisionTraceAppended(_) => "decision_trace_appended",
            Fact::ContextSet(_) => "context_set",
            Fact::VerdictRecorded(_) => "verdict_recorded",
            Fact::CharterSet(_) => "charter_set",
        }
    }

    /// The oldest version of the event format that can say this.
    pub const fn version(&self) -> u64 {
        match self {
            Fact::VerdictRecorded(_) | Fact::CharterSet(_) => 2,
            Fact::PreferencesChanged(change) => change.source.version(),
            _ => 1,
        }
    }

    fn read(kind: &str, data: &str) -> Result<Option<Fact>, serde_json::Error> {
        use serde_json::from_str;
        Ok(Some(match kind {
            "session_created" => Fact::SessionCreated(from_str(data)?),
            "observation_recorded" => Fact::ObservationRecorded(from_str(data)?),
            "run_started" => Fact::RunStarted(from_str(data)?),
            "node_created" => Fact::NodeCreated(from_str(data)?),
            "edge_created" => Fact::EdgeCreated(from_str(data)?),
            "advance_recorded" => Fact::AdvanceRecorded(from_str(data)?),
            "node_output_appended" => Fact::NodeOutputAppended(from_str(data)?),
            "preferences_changed" => Fact::PreferencesChanged(from_str(data)?),
            "capability_observed" => Fact::CapabilityObserved(from_str(data)?),
            "gap_recorded" => Fact::GapRecorded(from_str(data)?),
            "divergence_recorded" => Fact::DivergenceRecorded(from_str(data)?),
            "decision_trace_appended" => Fact::DecisionTraceAppended(from_str(data)?),
            "context_set" => Fact::ContextSet(from_str(data)?),
            "verdict_recorded" => Fact::VerdictRecorded(from_str(data)?),
            "charter_set" => Fact::CharterSet(from_str(data)?),
            _ => return Ok(None),
        }))
    }

    /// Whether a fact of this kind may have this scope.
    fn fits(&self, scope: Option<&Scope>) -> bool {
        let has = (scope.is_some(), scope.is_some_and(|s| s.node_id.is_some()));
        match self {
            Fact::SessionCreated(_) | Fact::ObservationRecorded(_) | Fact::CharterSet(_) => has == (false, false),
            Fact::RunStarted(_) | Fact::EdgeCreated(_) => has == (true, false),
            _ => has == (true, true),
        }
    }
}
