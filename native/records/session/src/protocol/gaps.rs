//! Closing a gap: what was missing has to be there now. A word alone closes nothing.

use super::advance::known;
use super::answer::{Answer, At, run};
use super::events::{Writing, reports};
use super::request::ContinueRequest;
use super::{Asked, Checker, Engine};
use crate::error::Error;
use crate::event::{Evidence, GapReason};
use crate::judge::{self, Case, Verdict};
use crate::log::Log;
use crate::plan::Builder;
use crate::ports::{Store, Writer};
use crate::render::{Place, sight};
use crate::state::Node;
use crate::workflow::{Check, Compiled};
use crate::{AttemptId, Digest, GapId, NodeId};

/// A gap that can be closed, with the check that was asked for it.
pub(crate) struct Closing {
    pub gap: GapId,
    pub node: NodeId,
    pub step: String,
    pub check: Option<(Check, Verdict)>,
}

impl<S: Store> Engine<S> {
    /// Holds what was sent against what each gap says is missing. A gap that is closed already is passed over.
    pub(crate) fn closings(
        &self,
        log: &Log,
        node: &Node,
        request: &ContinueRequest,
        workflow: &Compiled,
        check: Checker<'_>,
    ) -> Result<Vec<Closing>, Error> {
        let seen = reports(&request.capabilities)?;
        let capabilities = known(&node.capabilities, &seen);
        let mut closings = Vec::new();
        for id in &request.resolves_gaps {
            let gap = log.state.gaps.get(id).ok_or_else(|| unknown(*id))?;
            if gap.resolved {
                continue;
            }
            if request.output.notes.as_deref().is_none_or(str::is_empty) && request.output.artifacts.is_empty() {
                return Err(open(
                    *id,
                    "nothing was sent that closes it",
                    "send what was missing, or notes that say how it was made good",
                ));
            }
            let at = log
                .state
                .node(gap.node)
                .ok_or_else(|| Error::invariant("the gap's node is gone"))?;
            let snapshot = self.store.snapshot(at.snapshot)?;
            let sight = sight(&at.context, at.preferences);
            let place = Place::of(workflow, snapshot.state(), &sight);
            let mut closing = Closing {
                gap: *id,
                node: at.id,
                step: String::new(),
                check: None,
            };
            if let Some(place) = &place {
                closing.step.clone_from(&place.task.id);
                closing.check = place.task.check.as_ref().map(|asked| {
                    let workdir = log.state.charter.workdir.as_deref();
                    (asked.clone(), check(&Asked { check: asked, workdir }))
                });
                let case = Case {
                    workflow,
                    place,
                    notes: request.output.notes.as_deref().unwrap_or_default(),
                    artifacts: &request.output.artifacts,
                    capabilities: &capabilities,
                    check: closing.check.as_ref().map(|(_, verdict)| verdict),
                };
                let mut left = judge::judge(&case).into_iter();
                if let Some(problem) = left.find(|problem| GapReason::from(problem.reason) == gap.reason) {
                    return Err(open(*id, &problem.message, &problem.fix));
                }
            }
            closings.push(closing);
        }
        Ok(closings)
    }

    /// A call on a run that is complete: it may close gaps, and is told that the run is complete.
    pub(crate) fn after_completion(
        &self,
        log: &Log,
        node: &Node,
        attempt: AttemptId,
        request: &ContinueRequest,
        workflow: &Compiled,
        check: Checker<'_>,
    ) -> Result<Answer, Error> {
        let closings = self.closings(log, node, request, workflow, check)?;
        if closings.is_empty() {
            return self.answer(log, At::now(node));
        }
        let node = node.id;
        let mut writer = self.store.lock(log.state.id)?;
        let now = writer.log();
        let closed = |closing: &Closing| now.state.gaps.get(&closing.gap).is_none_or(|gap| gap.resolved);
        if closings.iter().all(closed) {
            let node = now
                .state
                .node(node)
                .ok_or_else(|| Error::invariant("the node is gone"))?;
            return self.answer(now, At::now(node));
        }
        let run = run(now)?;
        let names: Vec<String> = closings.iter().map(|closing| closing.gap.to_string()).collect();
        let digest = Digest::of(names.join(" ").as_bytes()).to_string();
        let mut writing = Writing {
            builder: Builder::new(&now.state, &*self.random),
            run: run.id,
            hash: run.workflow_hash,
            base: AttemptId::derived(&["close", &attempt.to_string(), &digest]).to_string(),
        };
        writing.outputs(node, &request.output);
        writing.closings(now, node, attempt, &closings)?;
        let plan = writing.builder.finish()?;
        writer.append(plan)?;
        let log = writer.log();
        let node = log
            .state
            .node(node)
            .ok_or_else(|| Error::invariant("the node is gone"))?;
        self.answer(log, At::now(node))
    }
}

impl Writing<'_> {
    /// The checks that were asked, and then the gaps that they close.
    pub(crate) fn closings(
        &mut self,
        log: &Log,
        node: NodeId,
        attempt: AttemptId,
        closings: &[Closing],
    ) -> Result<(), Error> {
        let workdir = log.state.charter.workdir.as_deref();
        for closing in closings {
            let gap = log.state.gaps.get(&closing.gap).ok_or_else(|| unknown(closing.gap))?;
            if gap.resolved {
                continue;
            }
            let evidence = closing.check.as_ref().map(|(check, verdict)| {
                let name = format!("gap {}", closing.gap);
                let event_id = self.verdict(closing.node, &name, attempt, (&closing.step, check), workdir, verdict);
                Evidence::Event { event_id }
            });
            self.resolve(node, closing.gap, gap, evidence);
        }
        Ok(())
    }
}

fn unknown(id: GapId) -> Error {
    Error::validation(format!("there is no gap {id}"), "inspect the session to see its gaps")
}

fn open(id: GapId, why: &str, fix: &str) -> Error {
    Error::validation(format!("the gap {id} stays open: {why}"), fix).with(serde_json::json!({"gapId": id}))
}
