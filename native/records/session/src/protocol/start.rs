//! A new session with one run.

use super::Engine;
use super::answer::{Answer, At};
use super::events::Writing;
use super::request::{StartRequest, check_context};
use crate::error::Error;
use crate::event::{ContextSource, Empty, Fact, NodeKind, Preferences, RunStarted, Scope};
use crate::interpret;
use crate::plan::Builder;
use crate::ports::{Store, Writer};
use crate::{NodeId, RunId, SessionId, Snapshot};

impl<S: Store> Engine<S> {
    /// Starts a run of a compiled workflow in a new session.
    pub fn start(&self, request: &StartRequest) -> Result<Answer, Error> {
        check_context(&request.context)?;
        let seen = request.observations.read()?;
        let delta = request.preferences.delta(Preferences::default());
        let preferences = Preferences::default().apply(&delta);
        let blocks = preferences.autonomy.blocks();
        let moved = interpret::begin(&request.workflow, &request.context, blocks)
            .map_err(|problem| Error::validation(problem.message, problem.fix))?;

        let random = &*self.random;
        let (session, run, node) = (SessionId::random(random), RunId::random(random), NodeId::random(random));
        let mut writer = self.store.create(session)?;
        let mut builder = Builder::new(&writer.log().state, random);
        let hash = builder.workflow(&request.workflow);
        let snapshot = Snapshot::new(moved.state);
        let name = builder.snapshot(&snapshot);
        builder.push(None, &[], Fact::SessionCreated(Empty {}));
        let mut writing = Writing {
            builder,
            run,
            hash,
            base: run.to_string(),
        };
        writing.observations(&writer.log().state, seen);
        let started = RunStarted {
            workflow_id: request.workflow.workflow_id.clone(),
            workflow_hash: hash,
            workflow_source_kind: request.source.kind,
            workflow_source_ref: crate::text::clip(&request.source.reference, 512),
        };
        let scope = Scope {
            run_id: run,
            node_id: None,
        };
        writing.builder.push(Some(scope), &[&run], Fact::RunStarted(started));
        writing.node(node, NodeKind::Step, None, name);
        writing.preferences(node, delta, preferences);
        if !request.context.is_empty() {
            writing.context(node, request.context.clone(), ContextSource::Initial);
        }
        writing.gaps(node, &moved.passed);
        writing.trace(node, moved.trace);
        writer.append(writing.builder.finish()?)?;

        let log = writer.log();
        let node = log
            .state
            .node(node)
            .ok_or_else(|| Error::invariant("the first node is gone"))?;
        self.answer_with(log, At::fresh(node), &request.workflow, &snapshot)
    }
}
