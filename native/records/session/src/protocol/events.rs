//! The events of one append, in the one order they have.

use serde_json::{Map, Value};

use super::preferences::Change;
use super::request::{CapabilityReport, Divergence, OutputRequest};
use crate::canon::{Digest, canonical};
use crate::error::Error;
use crate::event::{
    CapabilityObserved, Cause, CauseKind, ChangeSource, Channel, Charter, CharterSet, ContextSet, ContextSource,
    DecisionTraceAppended, DivergenceRecorded, EdgeCreated, EdgeKind, Evidence, Fact, Finding, GapRecorded, Judge,
    NodeCreated, NodeKind, NodeOutputAppended, Observation, ObservedKey, ObservedValue, Payload, PreferencesChanged,
    Resolution, Scope, Severity, Status, TraceEntry, VerdictRecorded,
};
use crate::event::{Confidence, Provenance};
use crate::judge::Verdict;
use crate::plan::Builder;
use crate::reason::Problem;
use crate::state::{Gap, State};
use crate::text::truncate;
use crate::workflow::Check;
use crate::{
    AttemptId, CapObsId, ChangeId, CharterId, ContextId, DivergenceId, EventId, GapId, NodeId, OutputId, RunId,
    SnapshotRef, TraceId, VerdictId, WorkflowHash, limits,
};

/// Writes the events of one call. `base` names the call, so that a retry writes the same names.
pub(crate) struct Writing<'r> {
    pub builder: Builder<'r>,
    pub run: RunId,
    pub hash: WorkflowHash,
    pub base: String,
}

impl Writing<'_> {
    pub(crate) fn on(&self, node: NodeId) -> Option<Scope> {
        Some(Scope {
            run_id: self.run,
            node_id: Some(node),
        })
    }

    fn in_run(&self) -> Option<Scope> {
        Some(Scope {
            run_id: self.run,
            node_id: None,
        })
    }

    /// Only what changed; the key ends in the call, so that going back to an old value is recorded too.
    pub(crate) fn observations(&mut self, state: &State, seen: Vec<(ObservedKey, ObservedValue)>) {
        for (key, value) in seen {
            if state.observations.get(&key) != Some(&value) {
                let digest = Digest::of(value.text().as_bytes()).hex();
                let fact = Observation {
                    key,
                    value,
                    confidence: Confidence::High,
                };
                let parts: [&dyn std::fmt::Display; 3] = [&key.as_str(), &digest, &self.base];
                self.builder.push(None, &parts, Fact::ObservationRecorded(fact));
            }
        }
    }

    pub(crate) fn node(
        &mut self,
        node: NodeId,
        kind: NodeKind,
        parent: Option<NodeId>,
        snapshot: SnapshotRef,
    ) -> EventId {
        let fact = NodeCreated {
            node_kind: kind,
            parent_node_id: parent,
            workflow_hash: self.hash,
            snapshot_ref: snapshot,
        };
        self.builder
            .push(self.on(node), &[&self.run, &node], Fact::NodeCreated(fact))
    }

    pub(crate) fn edge(&mut self, from: NodeId, to: NodeId, kind: EdgeKind, cause: CauseKind, event_id: EventId) {
        let fact = EdgeCreated {
            edge_kind: kind,
            from_node_id: from,
            to_node_id: to,
            cause: Cause { kind: cause, event_id },
        };
        let word = if kind == EdgeKind::Checkpoint {
            "checkpoint"
        } else {
            "acked_step"
        };
        let (arrow, scope) = (format!("{from}->{to}"), self.in_run());
        self.builder
            .push(scope, &[&self.run, &arrow, &word], Fact::EdgeCreated(fact));
    }

    /// The recap first, then the artifacts by digest.
    pub(crate) fn outputs(&mut self, node: NodeId, output: &OutputRequest) {
        if let Some(notes) = output.notes.as_ref().filter(|notes| !notes.is_empty()) {
            let payload = Payload::Notes {
                notes_markdown: truncate(notes, limits::NOTES),
            };
            self.output(node, Channel::Recap, "recap", payload, output.supersedes);
        }
        let mut artifacts: Vec<(Digest, u64, &Map<String, Value>)> = output
            .artifacts
            .iter()
            .map(|artifact| {
                let bytes = canonical(artifact);
                (Digest::of(&bytes), bytes.len() as u64, artifact)
            })
            .collect();
        artifacts.sort_by_key(|(sha256, ..)| *sha256);
        artifacts.dedup_by_key(|(sha256, ..)| *sha256);
        for (sha256, byte_length, artifact) in artifacts {
            let content_type = "application/json".to_owned();
            let payload = Payload::Artifact {
                sha256,
                content_type,
                byte_length,
                artifact: artifact.clone(),
            };
            self.output(node, Channel::Artifact, &sha256.hex(), payload, None);
        }
    }

    fn output(&mut self, node: NodeId, channel: Channel, name: &str, payload: Payload, supersedes: Option<OutputId>) {
        let output_id = OutputId::derived(&[&self.base, name]);
        let fact = NodeOutputAppended {
            output_id,
            supersedes_output_id: supersedes,
            output_channel: channel,
            payload,
        };
        self.builder
            .push(self.on(node), &[&output_id], Fact::NodeOutputAppended(fact));
    }

    pub(crate) fn preferences(&mut self, node: NodeId, change: Change) {
        let Change {
            delta,
            effective,
            source,
        } = change;
        if !delta.is_empty() {
            let change_id = ChangeId::derived(&[&self.base]);
            let fact = PreferencesChanged {
                change_id,
                source,
                delta,
                effective,
            };
            self.builder
                .push(self.on(node), &[&change_id], Fact::PreferencesChanged(fact));
        }
    }

    pub(crate) fn context(&mut self, node: NodeId, context: Map<String, Value>, source: ContextSource) {
        let context_id = ContextId::derived(&[&self.base]);
        let fact = ContextSet {
            context_id,
            context,
            source,
        };
        self.builder.push(self.on(node), &[&context_id], Fact::ContextSet(fact));
    }

    pub(crate) fn trace(&mut self, node: NodeId, entries: Vec<TraceEntry>) {
        if !entries.is_empty() {
            let trace_id = TraceId::derived(&[&self.base]);
            let fact = DecisionTraceAppended { trace_id, entries };
            self.builder
                .push(self.on(node), &[&trace_id], Fact::DecisionTraceAppended(fact));
        }
    }

    pub(crate) fn capability(
        &mut self,
        node: NodeId,
        n: usize,
        (capability, status, provenance): (crate::event::Capability, Status, Provenance),
    ) {
        let cap_obs_id = CapObsId::derived(&[&self.base, &n.to_string()]);
        let fact = CapabilityObserved {
            cap_obs_id,
            capability,
            status,
            provenance,
        };
        self.builder
            .push(self.on(node), &[&cap_obs_id], Fact::CapabilityObserved(fact));
    }

    pub(crate) fn divergence(&mut self, node: NodeId, divergence: &Divergence) {
        let divergence_id = DivergenceId::derived(&[&self.base]);
        let fact = DivergenceRecorded {
            divergence_id,
            reason: divergence.reason,
            summary: truncate(&divergence.summary, limits::SUMMARY),
            related_step_id: divergence.related_step_id.clone(),
        };
        self.builder
            .push(self.on(node), &[&divergence_id], Fact::DivergenceRecorded(fact));
    }

    /// What a check said. `name` tells the verdicts of one call apart.
    pub(crate) fn verdict(
        &mut self,
        node: NodeId,
        name: &str,
        attempt_id: AttemptId,
        (step, check): (&str, &Check),
        workdir: Option<&str>,
        verdict: &Verdict,
    ) -> EventId {
        let verdict_id = VerdictId::derived(&[&self.base, name]);
        let own = verdict.judge == Judge::Shell;
        let fact = VerdictRecorded {
            verdict_id,
            attempt_id,
            step_id: step.to_owned(),
            check: check.into(),
            workdir: workdir.filter(|_| own).map(str::to_owned),
            judge: verdict.judge,
            status: if verdict.pass { Finding::Passed } else { Finding::Failed },
            exit_status: verdict.exit_status,
            reason: verdict
                .reason
                .as_deref()
                .map(|reason| truncate(reason, limits::SUMMARY)),
            stdout: verdict.stdout.clone(),
            stderr: verdict.stderr.clone(),
            changed: verdict
                .changed
                .iter()
                .take(5)
                .map(|path| truncate(path, limits::SUMMARY))
                .collect(),
        };
        self.builder
            .push(self.on(node), &[&verdict_id], Fact::VerdictRecorded(fact))
    }

    pub(crate) fn charter(&mut self, source: ChangeSource, charter: Charter) {
        let charter_id = CharterId::derived(&[&self.base]);
        let fact = CharterSet {
            charter_id,
            source,
            charter,
        };
        self.builder.push(None, &[&charter_id], Fact::CharterSet(fact));
    }

    /// What a blocking mode would have stopped at. `evidence` is what the failed check said.
    pub(crate) fn gaps(&mut self, node: NodeId, problems: &[Problem], evidence: Option<EventId>) {
        for (n, problem) in problems.iter().enumerate() {
            let gap_id = GapId::derived(&[&self.base, "gap", &n.to_string()]);
            let fact = GapRecorded {
                gap_id,
                severity: Severity::Critical,
                reason: problem.reason.into(),
                summary: truncate(&problem.message, limits::SUMMARY),
                resolution: Resolution::Unresolved,
                evidence_refs: evidence
                    .map(|event_id| Evidence::Event { event_id })
                    .into_iter()
                    .collect(),
            };
            self.builder.push(self.on(node), &[&gap_id], Fact::GapRecorded(fact));
        }
    }

    pub(crate) fn resolve(&mut self, node: NodeId, closed: GapId, gap: &Gap, evidence: Option<Evidence>) {
        let gap_id = GapId::derived(&[&self.base, "resolves", &closed.to_string()]);
        let fact = GapRecorded {
            gap_id,
            severity: Severity::Info,
            reason: gap.reason,
            summary: truncate(&format!("closed: {}", gap.summary), limits::SUMMARY),
            resolution: Resolution::Resolves {
                resolves_gap_id: closed,
            },
            evidence_refs: evidence.into_iter().collect(),
        };
        self.builder.push(self.on(node), &[&gap_id], Fact::GapRecorded(fact));
    }
}

/// Reports as they are recorded.
pub(crate) fn reports(
    reports: &[CapabilityReport],
) -> Result<Vec<(crate::event::Capability, Status, Provenance)>, Error> {
    reports.iter().map(CapabilityReport::read).collect()
}
