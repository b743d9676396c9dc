//! A new session with one run.

use super::answer::{Answer, At};
use super::events::Writing;
use super::request::{StartRequest, check_context};
use super::{Engine, preferences};
use crate::error::Error;
use crate::event::{ChangeSource, Charter, ContextSource, Empty, Fact, NodeKind, RunStarted, Scope};
use crate::interpret;
use crate::plan::Builder;
use crate::ports::{Store, Writer};
use crate::render::sight;
use crate::{NodeId, RunId, SessionId, Snapshot, limits};

impl<S: Store> Engine<S> {
    /// Starts a run of a compiled workflow in a new session.
    pub fn start(&self, request: &StartRequest) -> Result<Answer, Error> {
        check_context(&request.context)?;
        check_charter(&request.charter)?;
        let seen = request.observations.read()?;
        let change = preferences::at_start(&request.preferences, &self.store.policy()?)?;
        let blocks = change.effective.autonomy.blocks();
        let sight = sight(&request.context, change.effective);
        let moved = interpret::begin(&request.workflow, &sight, blocks, &request.charter.proven)
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
        if !request.charter.is_empty() {
            writing.charter(ChangeSource::Starter, request.charter.clone());
        }
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
        writing.preferences(node, change);
        if !request.context.is_empty() {
            writing.context(node, request.context.clone(), ContextSource::Initial);
        }
        writing.gaps(node, &moved.passed, None);
        writing.trace(node, moved.trace);
        writer.append(writing.builder.finish()?)?;

        let log = writer.log();
        let node = log
            .state
            .node(node)
            .ok_or_else(|| Error::invariant("the first node is gone"))?;
        let mut answer = self.answer_with(log, At::now(node), &request.workflow, &snapshot)?;
        answer.needs = request.workflow.needs(&request.context);
        Ok(answer)
    }
}

/// Texts within their budgets, and paths that mean the same to everybody.
fn check_charter(charter: &Charter) -> Result<(), Error> {
    for (what, text, most) in [
        ("the title", &charter.title, limits::TITLE),
        ("the goal", &charter.goal, limits::GOAL),
        ("the working directory", &charter.workdir, limits::OBSERVED_PATH * 8),
        ("the plan", &charter.plan, limits::OBSERVED_PATH * 8),
    ] {
        if let Some(text) = text.as_ref().filter(|text| text.len() > most) {
            return Err(Error::too_large(what, text.len(), most, "UTF-8 bytes"));
        }
    }
    let relative = |path: &&String| !path.starts_with('/');
    match charter.workdir.iter().chain(&charter.plan).find(relative) {
        Some(path) => Err(Error::validation(
            format!("`{}` is no absolute path", crate::text::clip(path, 120)),
            "name the directory from the root: a session is continued from anywhere",
        )),
        None => Ok(()),
    }
}
