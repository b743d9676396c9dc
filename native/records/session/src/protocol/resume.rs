//! Coming back with nothing but the name of a branch.

use serde::Serialize;

use super::answer::{At, run, view};
use super::{Engine, NextCall, NextIntent, WorkflowView};
use crate::error::Error;
use crate::event::{ObservedKey, Payload};
use crate::log::Log;
use crate::ports::Store;
use crate::project::{
    Query, RunStatus, Subject, WhyMatched, current_outputs, last_activity, preferred_tip, rank, run_status,
};
use crate::{NodeId, SessionId};

/// A session that can be gone on with.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// The session.
    pub session_id: SessionId,
    /// Its preferred tip.
    pub node_id: NodeId,
    /// Which workflow it runs.
    pub workflow: WorkflowView,
    /// How its run stands.
    pub status: RunStatus,
    /// The step that is pending.
    pub pending_step: Option<String>,
    /// Why it is offered, the best reason first.
    pub why_matched: Vec<WhyMatched>,
    /// The beginning of its latest notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// The one thing to copy.
    pub token: String,
    /// What to do now.
    pub next_intent: NextIntent,
    /// The request that tells where it stands.
    pub next_call: NextCall,
}

impl<S: Store> Engine<S> {
    /// The healthy sessions that fit a query best.
    pub fn resume(&self, query: &Query) -> Result<Vec<Offer>, Error> {
        let mut subjects = Vec::new();
        for id in self.store.sessions()? {
            let log = self.store.read(id)?;
            if log.health.is_healthy() {
                subjects.extend(self.subject(&log));
            }
        }
        let offers = rank(query, &subjects).into_iter().map(|candidate| {
            let log = self.store.read(candidate.session)?;
            let run = run(&log)?;
            let tip = log
                .state
                .node(candidate.tip)
                .ok_or_else(|| Error::invariant("the tip is gone"))?;
            let workflow = self.store.workflow(run.workflow_hash)?;
            let snapshot = self.store.snapshot(tip.snapshot)?;
            let node = log.state.node(tip.actionable()).unwrap_or(tip);
            let token = self.tokens(&log, At::now(node))?.handle;
            Ok(Offer {
                session_id: candidate.session,
                node_id: tip.id,
                workflow: view(&workflow, run),
                status: run_status(&log.state, tip, snapshot.state()),
                pending_step: snapshot.state().pending().map(|step| step.step_id.clone()),
                why_matched: candidate.why_matched,
                snippet: candidate.snippet,
                next_intent: NextIntent::RehydrateOnly,
                next_call: NextCall::to("rehydrate", &token),
                token,
            })
        });
        offers.collect()
    }

    /// A session as the ranking sees it; nothing when its workflow or its tip cannot be read.
    fn subject(&self, log: &Log) -> Option<Subject> {
        let state = &log.state;
        let tip = preferred_tip(state)?;
        let workflow = self.store.workflow(run(log).ok()?.workflow_hash).ok()?;
        self.store.snapshot(tip.snapshot).ok()?;
        let seen = |key| state.observations.get(&key).map(|value| value.text());
        let notes = state.lineage(tip.id).find_map(|node| {
            current_outputs(node)
                .into_iter()
                .find_map(|output| match &output.payload {
                    Payload::Notes { notes_markdown } => Some(notes_markdown.clone()),
                    Payload::Artifact { .. } => None,
                })
        });
        Some(Subject {
            session: state.id,
            tip: tip.id,
            last_activity: last_activity(state).get(&tip.id).copied().unwrap_or(0),
            head_sha: seen(ObservedKey::GitHeadSha),
            branch: seen(ObservedKey::GitBranch),
            notes,
            workflow: format!("{} {}", workflow.workflow_id.replace('.', " "), workflow.name),
        })
    }
}
