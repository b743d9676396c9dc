//! Coming back with nothing but the name of a branch.

use serde::Serialize;

use super::answer::{At, run};
use super::{Engine, NextIntent};
use crate::error::{Code, Error};
use crate::ports::Store;
use crate::project::{Candidate, Entry, Query, RunStatus, Subject, WhyMatched, order, run_status};
use crate::{SessionId, limits};

/// A session that can be gone on with.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// The session.
    pub session_id: SessionId,
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Which workflow it runs.
    pub workflow: String,
    /// How its run stands.
    pub status: RunStatus,
    /// The step that is pending.
    pub pending_step: Option<String>,
    /// Why it is offered, the best reason first.
    pub why_matched: Vec<WhyMatched>,
    /// The beginning of its latest notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// The one thing to copy: `continue` with the intent `rehydrate` tells where it stands.
    pub token: String,
    /// What to do now.
    pub next_intent: NextIntent,
}

impl<S: Store> Engine<S> {
    /// The healthy sessions that fit a query best. Each is read in full before it is offered.
    pub fn resume(&self, query: &Query) -> Result<Vec<Offer>, Error> {
        let entries = self.store.entries()?;
        let subjects: Vec<Subject<'_>> = entries.iter().filter_map(Entry::subject).collect();
        let mut offers = Vec::new();
        for candidate in order(query, &subjects) {
            if offers.len() == limits::CANDIDATES {
                break;
            }
            offers.extend(self.offer(candidate)?);
        }
        Ok(offers)
    }

    /// An offer; nothing when the session turns out not to be whole.
    fn offer(&self, candidate: Candidate) -> Result<Option<Offer>, Error> {
        let log = match self.store.read(candidate.session) {
            Ok(log) if log.health.is_healthy() => log,
            Ok(_) => return Ok(None),
            Err(error) if error.code == Code::SessionNotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let run = run(&log)?;
        let Some(tip) = log.state.node(candidate.tip) else {
            return Ok(None);
        };
        let (Ok(workflow), Ok(snapshot)) = (
            self.store.workflow(run.workflow_hash),
            self.store.snapshot(tip.snapshot),
        ) else {
            return Ok(None);
        };
        let node = log.state.node(tip.actionable()).unwrap_or(tip);
        let token = self.tokens(&log, At::now(node))?.handle;
        Ok(Some(Offer {
            session_id: candidate.session,
            title: log.state.charter.title.clone(),
            workflow: workflow.workflow_id.clone(),
            status: run_status(&log.state, tip, snapshot.state()),
            pending_step: snapshot.state().pending().map(|step| step.step_id.clone()),
            why_matched: candidate.why_matched,
            snippet: candidate.snippet,
            next_intent: NextIntent::RehydrateOnly,
            token,
        }))
    }
}
