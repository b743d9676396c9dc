//! A session as lists and searches see it: a function of its log, small enough to keep for ten thousand of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{RunStatus, Subject, current_outputs, last_activity, preferred_tip, run_status};
use crate::event::{ObservedKey, Parent, Payload};
use crate::log::{Health, Log};
use crate::ports::Store;
use crate::state::Node;
use crate::{NodeId, SessionId};

/// A session in a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// The session.
    pub session_id: SessionId,
    /// Whether it can be trusted, as far as it was last read in full.
    pub health: Health,
    /// What to read before the rest, when it is not whole.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub banner: Option<String>,
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// What is to be reached.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<String>,
    /// The session whose step it works for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<Parent>,
    /// Which workflow it runs.
    pub workflow_id: Option<String>,
    /// How its run stands.
    pub status: Option<RunStatus>,
    /// The step that is pending at its tip.
    pub pending_step: Option<String>,
    /// How many events it has.
    pub events: u64,
    /// When it was last written, in milliseconds since 1970; absent when its store does not know.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub written_at: Option<u64>,
    /// What was last seen of the workspace.
    pub observations: BTreeMap<String, String>,
}

/// A session as lists and searches see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// In a line.
    pub overview: Overview,
    tip: Option<NodeId>,
    last_activity: u64,
    workflow: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    notes: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    checkpoints: Vec<String>,
}

impl Entry {
    /// The entry of a session.
    pub fn of(store: &impl Store, log: &Log, written_at: Option<u64>) -> Entry {
        let state = &log.state;
        let tip = preferred_tip(state);
        let snapshot = tip.and_then(|tip| store.snapshot(tip.snapshot).ok());
        let workflow = state
            .run
            .as_ref()
            .and_then(|run| store.workflow(run.workflow_hash).ok());
        let text = |node: &Node| {
            current_outputs(node)
                .into_iter()
                .find_map(|output| match &output.payload {
                    Payload::Notes { notes_markdown } => Some(notes_markdown.clone()),
                    Payload::Artifact { .. } => None,
                })
        };
        let lineage: Vec<&Node> = tip.into_iter().flat_map(|tip| state.lineage(tip.id)).collect();
        let mut beside: Vec<NodeId> = lineage
            .iter()
            .flat_map(|node| node.checkpoints.iter().copied())
            .collect();
        let mut checkpoints = Vec::new();
        while let Some(checkpoint) = beside.pop().and_then(|id| state.node(id)) {
            checkpoints.extend(text(checkpoint));
            beside.extend(&checkpoint.checkpoints);
        }
        let overview = Overview {
            session_id: state.id,
            health: log.health.clone(),
            banner: log.health.banner(),
            title: state.charter.title.clone(),
            goal: state.charter.goal.clone(),
            parent: state.charter.parent,
            workflow_id: state.run.as_ref().map(|run| run.workflow_id.clone()),
            status: tip
                .zip(snapshot.as_ref())
                .map(|(tip, s)| run_status(state, tip, s.state())),
            pending_step: snapshot
                .as_ref()
                .and_then(|s| s.state().pending().map(|step| step.step_id.clone())),
            events: state.next_index,
            written_at,
            observations: state
                .observations
                .iter()
                .map(|(key, value)| (key.as_str().to_owned(), value.text()))
                .collect(),
        };
        Entry {
            overview,
            tip: tip.filter(|_| snapshot.is_some()).map(|tip| tip.id),
            last_activity: tip
                .and_then(|tip| last_activity(state).get(&tip.id).copied())
                .unwrap_or(0),
            workflow: workflow.map(|w| format!("{} {}", w.workflow_id.replace('.', " "), w.name)),
            notes: lineage.iter().find_map(|node| text(node)),
            checkpoints,
        }
    }

    /// The session as the ranking sees it; nothing when it is not healthy, or its workflow or its tip cannot be read.
    pub fn subject(&self) -> Option<Subject<'_>> {
        let seen = |key: ObservedKey| self.overview.observations.get(key.as_str()).map(String::as_str);
        if !self.overview.health.is_healthy() {
            return None;
        }
        Some(Subject {
            session: self.overview.session_id,
            tip: self.tip?,
            last_activity: self.last_activity,
            head_sha: seen(ObservedKey::GitHeadSha),
            branch: seen(ObservedKey::GitBranch),
            notes: self.notes.as_deref(),
            checkpoints: &self.checkpoints,
            workflow: self.workflow.as_deref()?,
            about: [&self.overview.title, &self.overview.goal].map(|text| text.as_deref().unwrap_or_default()),
        })
    }
}
