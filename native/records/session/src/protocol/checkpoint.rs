//! A safe place with notes. The step stays pending.

use super::answer::{Answer, At, run};
use super::events::Writing;
use super::request::{CheckpointRequest, OutputRequest};
use super::target::Target;
use super::{Engine, NextCall, NextIntent};
use crate::error::Error;
use crate::event::{CauseKind, EdgeKind, NodeKind};
use crate::log::Log;
use crate::plan::Builder;
use crate::ports::{Store, Writer};
use crate::state::Node;
use crate::{AttemptId, Digest, NodeId};

impl<S: Store> Engine<S> {
    /// Makes a checkpoint on the node of a token.
    pub fn checkpoint(&self, request: &CheckpointRequest) -> Result<Answer, Error> {
        self.make_checkpoint(request).map_err(Error::for_token)
    }

    fn make_checkpoint(&self, request: &CheckpointRequest) -> Result<Answer, Error> {
        let target = Target::read(self, &request.token, None)?;
        let log = self.store.read(target.session)?;
        let (node, attempt) = target.find(&log)?;
        let attempt = attempt
            .ok_or_else(|| Error::validation("a state token cannot make a checkpoint", "send ct_.. or chk.v1."))?;
        // A handle stands for any number of checkpoints; the notes tell a retry from the next one.
        let attempt = if target.is_checkpoint() {
            attempt
        } else {
            by_notes(attempt, request)
        };
        let made = made_by(node.id, attempt);
        if log.state.node(made).is_some() {
            return self.checkpoint_answer(&log, made);
        }
        let node = node.id;
        drop(log);

        let mut writer = self.store.lock(target.session)?;
        let log = writer.log();
        if log.state.node(made).is_some() {
            return self.checkpoint_answer(log, made);
        }
        let known = log
            .state
            .node(node)
            .ok_or_else(|| Error::invariant("the node is gone"))?;
        let plan = self.checkpoint_plan(log, known, made, attempt, request)?;
        writer.append(plan)?;
        self.checkpoint_answer(writer.log(), made)
    }

    fn checkpoint_plan(
        &self,
        log: &Log,
        node: &Node,
        made: NodeId,
        attempt: AttemptId,
        request: &CheckpointRequest,
    ) -> Result<crate::Plan, Error> {
        let run = run(log)?;
        let builder = Builder::new(&log.state, &*self.random);
        let mut writing = Writing {
            builder,
            run: run.id,
            hash: run.workflow_hash,
            base: attempt.to_string(),
        };
        let event = writing.node(made, NodeKind::Checkpoint, Some(node.id), node.snapshot);
        writing.edge(node.id, made, EdgeKind::Checkpoint, CauseKind::CheckpointCreated, event);
        writing.outputs(
            made,
            &OutputRequest {
                notes: request.notes.clone(),
                ..OutputRequest::default()
            },
        );
        writing.builder.finish()
    }

    /// The run stands where it stood; the answer is about the checkpoint, from which it can be gone on with.
    fn checkpoint_answer(&self, log: &Log, made: NodeId) -> Result<Answer, Error> {
        let node = log.state.node(made).filter(|node| node.edge.is_some());
        let node = node.ok_or_else(|| Error::invariant("the checkpoint or its edge is gone"))?;
        let mut answer = self.answer(log, At::fresh(node))?;
        if answer.pending.is_some() {
            answer.next_intent = NextIntent::RehydrateOnly;
            answer.next_call = Some(NextCall::to("rehydrate", &answer.token));
        }
        Ok(answer)
    }
}

fn by_notes(attempt: AttemptId, request: &CheckpointRequest) -> AttemptId {
    let notes = Digest::of(request.notes.as_deref().unwrap_or_default().as_bytes());
    AttemptId::derived(&["checkpoint", &attempt.to_string(), &notes.to_string()])
}

/// The node that a checkpoint attempt makes: derived, so that a retry finds it.
fn made_by(node: NodeId, attempt: AttemptId) -> NodeId {
    NodeId::derived(&["checkpoint", &node.to_string(), &attempt.to_string()])
}
