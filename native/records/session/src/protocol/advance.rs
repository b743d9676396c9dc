//! Completing a step: once, whatever is retried.

use std::collections::BTreeMap;

use super::answer::{Answer, At, run};
use super::events::{Writing, reports};
use super::request::{ContinueRequest, Intent, check_context, merge};
use super::target::Target;
use super::{Checker, Engine};
use crate::error::Error;
use crate::event::{
    AdvanceRecorded, Blocker, Capability, CauseKind, ContextSource, EdgeKind, Fact, Grade, Intent as Attempted,
    NodeKind, Outcome, Provenance, Status, TraceEntry, TraceKind,
};
use crate::interpret::{self, Moved};
use crate::judge::{self, Case, Verdict};
use crate::log::Log;
use crate::plan::Builder;
use crate::ports::{Store, Writer};
use crate::reason::Problem;
use crate::render::{Place, recovery, requirements};
use crate::state::{Advance, Known, Node};
use crate::workflow::Compiled;
use crate::{AttemptId, NodeId, Snapshot, limits};

impl<S: Store> Engine<S> {
    /// Completes the pending step, or tells it again.
    pub fn continue_run(&self, request: &ContinueRequest, check: Checker<'_>) -> Result<Answer, Error> {
        let target = Target::read(self, &request.token, request.ack_token.as_deref())?;
        match request.intent {
            Intent::Rehydrate => self.rehydrate(&target),
            Intent::Advance => self.advance(&target, request, check).map_err(Error::for_token),
        }
    }

    /// The check that the pending step of a token carries, when completing it would run one.
    pub fn pending_check(&self, request: &ContinueRequest) -> Result<Option<crate::workflow::Check>, Error> {
        let target = Target::read(self, &request.token, request.ack_token.as_deref())?;
        let log = self.store.read(target.session)?;
        let (node, attempt) = target.find(&log)?;
        if request.intent == Intent::Rehydrate || attempt.is_some_and(|attempt| node.advance(attempt).is_some()) {
            return Ok(None);
        }
        let workflow = self.store.workflow(run(&log)?.workflow_hash)?;
        let snapshot = self.store.snapshot(node.snapshot)?;
        Ok(Place::of(&workflow, snapshot.state(), &node.context).and_then(|place| place.task.check.clone()))
    }

    fn rehydrate(&self, target: &Target) -> Result<Answer, Error> {
        let log = self.store.read(target.session)?;
        let (node, _) = target.find(&log)?;
        let mut answer = self.answer(&log, At::now(node))?;
        answer.recovery = recovery(&log.state, node.id);
        answer.warnings.extend(log.warnings.iter().cloned());
        Ok(answer)
    }

    fn advance(&self, target: &Target, request: &ContinueRequest, check: Checker<'_>) -> Result<Answer, Error> {
        // A hit without the lock is always right: what is recorded stays recorded.
        let log = self.store.read(target.session)?;
        let (node, attempt) = target.find(&log)?;
        let attempt = attempt.ok_or_else(|| {
            Error::validation(
                "a state token alone cannot advance",
                "send ackToken too, or the one token ct_..",
            )
        })?;
        if target.is_checkpoint() {
            return Err(Error::validation(
                "a checkpoint token cannot advance",
                "send the one token ct_..",
            ));
        }
        if let Some(answer) = self.replay(&log, node, attempt)? {
            return Ok(answer);
        }
        check_request(request, node)?;
        let workflow = self.store.workflow(run(&log)?.workflow_hash)?;
        let snapshot = self.store.snapshot(node.snapshot)?;
        let place = Place::of(&workflow, snapshot.state(), &node.context).ok_or_else(complete)?;
        // The check may take long, so it is run before anybody is kept waiting.
        let verdict = place.task.check.as_ref().map(check);
        let node = node.id;
        drop(log);

        let mut writer = self.store.lock(target.session)?;
        let log = writer.log();
        let known = log
            .state
            .node(node)
            .ok_or_else(|| Error::invariant("the node is gone"))?;
        if let Some(answer) = self.replay(log, known, attempt)? {
            return Ok(answer);
        }
        let call = Call {
            request,
            attempt,
            workflow: &workflow,
            snapshot: &snapshot,
            verdict: verdict.as_ref(),
        };
        let (plan, made) = self.plan(log, known, &call)?;
        let warnings = log.warnings.clone();
        writer.append(plan)?;
        let log = writer.log();
        let node = log
            .state
            .node(node)
            .ok_or_else(|| Error::invariant("the node is gone"))?;
        let advance = node
            .advance(attempt)
            .ok_or_else(|| Error::invariant("the advance was not recorded"))?;
        let mut answer = self.outcome(log, node, advance, &workflow, made.as_ref().unwrap_or(&snapshot))?;
        answer.warnings.extend(warnings);
        Ok(answer)
    }

    /// The answer that was recorded for this attempt.
    fn replay(&self, log: &Log, node: &Node, attempt: AttemptId) -> Result<Option<Answer>, Error> {
        let Some(advance) = node.advance(attempt) else {
            let next = AttemptId::on(node.id, node.advances.len() as u32);
            // A token is made only for what is recorded or comes next.
            return if attempt == next {
                Ok(None)
            } else {
                Err(Error::invariant("the attempt of the token was lost"))
            };
        };
        let workflow = self.store.workflow(run(log)?.workflow_hash)?;
        let made = log
            .state
            .node(advance.outcome.node())
            .ok_or_else(|| Error::invariant("the recorded node is gone"))?;
        let snapshot = self.store.snapshot(made.snapshot)?;
        self.outcome(log, node, advance, &workflow, &snapshot).map(Some)
    }

    /// The answer to a recorded attempt: a function of what is recorded, so it is the same every time.
    fn outcome(
        &self,
        log: &Log,
        node: &Node,
        advance: &Advance,
        workflow: &Compiled,
        snapshot: &Snapshot,
    ) -> Result<Answer, Error> {
        let made = log
            .state
            .node(advance.outcome.node())
            .filter(|made| made.edge.is_some());
        let made = made.ok_or_else(|| Error::invariant("the recorded node or its edge is gone"))?;
        match &advance.outcome {
            Outcome::Advanced { .. } => self.answer_with(log, At::fresh(made), workflow, snapshot),
            Outcome::Blocked { blockers, required, .. } => {
                let ordinal = node
                    .advances
                    .iter()
                    .position(|a| a.attempt == advance.attempt)
                    .unwrap_or(0)
                    + 1;
                let before = |id: &&NodeId| log.state.node(**id).is_some_and(|n| n.created_at < made.created_at);
                let checkpoints = node.checkpoints.iter().filter(before).count();
                let at = At {
                    node,
                    ordinal,
                    checkpoints,
                };
                Ok(self
                    .answer_with(log, at, workflow, snapshot)?
                    .blocked(blockers, required))
            }
        }
    }

    /// The plan of an attempt, and the snapshot it makes when the run goes on.
    fn plan(&self, log: &Log, node: &Node, call: &Call<'_>) -> Result<(crate::Plan, Option<Snapshot>), Error> {
        let request = call.request;
        let context = request.context.as_ref().map(|change| merge(&node.context, change));
        if let Some(context) = &context {
            check_context(context)?;
        }
        let now = context.as_ref().unwrap_or(&node.context);
        let place = Place::of(call.workflow, call.snapshot.state(), now).ok_or_else(complete)?;
        let delta = request.preferences.delta(node.preferences);
        let preferences = node.preferences.apply(&delta);

        let mut seen = reports(&request.capabilities)?;
        let none = BTreeMap::new();
        let mut case = call.case(&place, &none);
        seen.extend(judge::probed(&case).map(|probed| probe(&place, probed)));
        let capabilities = known(&node.capabilities, &seen);
        case.capabilities = &capabilities;

        let (decisions, mut problems) = judge::decisions(&case);
        problems.extend(judge::judge(&case));
        let blocks = preferences.autonomy.blocks();
        let moved = match interpret::advance(call.workflow, call.snapshot.state(), &decisions, now, blocks) {
            Ok(moved) => Some(moved),
            Err(problem) => {
                problems.push(problem);
                None
            }
        };

        let run = run(log)?;
        let random = &*self.random;
        let mut writing = Writing {
            builder: Builder::new(&log.state, random),
            run: run.id,
            hash: run.workflow_hash,
            base: call.attempt.to_string(),
        };
        writing.observations(&log.state, request.observations.read()?);
        let to = NodeId::random(random);
        let made = match moved {
            Some(moved) if problems.is_empty() || !blocks => {
                Some(advanced(&mut writing, node, to, moved, &problems, call))
            }
            _ => {
                let required = requirements(call.workflow, &place);
                blocked(&mut writing, node, to, problems, required, call)?;
                None
            }
        };
        writing.preferences(to, delta, preferences);
        if let Some(context) = context {
            writing.context(to, context, ContextSource::AgentDelta);
        }
        for (n, seen) in seen.into_iter().enumerate() {
            writing.capability(to, n, seen);
        }
        if let Some(divergence) = &request.divergence {
            writing.divergence(to, divergence);
        }
        if made.is_some() {
            for closed in &request.resolves_gaps {
                let gap = log
                    .state
                    .gaps
                    .get(closed)
                    .ok_or_else(|| unknown_gap(&closed.to_string()))?;
                writing.resolve(node.id, *closed, gap);
            }
        }
        Ok((writing.builder.finish()?, made))
    }
}

/// One attempt with what it needs.
struct Call<'a> {
    request: &'a ContinueRequest,
    attempt: AttemptId,
    workflow: &'a Compiled,
    snapshot: &'a Snapshot,
    verdict: Option<&'a Verdict>,
}

impl<'a> Call<'a> {
    fn case(&self, place: &'a Place<'a>, capabilities: &'a BTreeMap<Capability, Known>) -> Case<'a> {
        Case {
            workflow: self.workflow,
            place,
            notes: self.request.output.notes.as_deref().unwrap_or_default(),
            artifacts: &self.request.output.artifacts,
            capabilities,
            check: self.verdict,
        }
    }

    fn recorded(&self, outcome: Outcome) -> Fact {
        Fact::AdvanceRecorded(AdvanceRecorded {
            attempt_id: self.attempt,
            intent: Attempted::AckPending,
            outcome,
        })
    }
}

/// The events of an advance: what was sent belongs to the node that it completes.
fn advanced(
    writing: &mut Writing<'_>,
    node: &Node,
    to: NodeId,
    moved: Moved,
    problems: &[Problem],
    call: &Call<'_>,
) -> Snapshot {
    let snapshot = Snapshot::new(moved.state);
    let name = writing.builder.snapshot(&snapshot);
    let fact = call.recorded(Outcome::Advanced { to_node_id: to });
    let event = writing
        .builder
        .push(writing.on(node.id), &[&node.id, &call.attempt], fact);
    writing.outputs(node.id, &call.request.output);
    let gaps: Vec<Problem> = problems.iter().chain(&moved.passed).cloned().collect();
    writing.gaps(node.id, &gaps);
    writing.node(to, NodeKind::Step, Some(node.id), name);
    let forks = node.step_children > 0;
    let cause = if forks {
        CauseKind::NonTipAdvance
    } else {
        CauseKind::TipAdvance
    };
    writing.edge(node.id, to, EdgeKind::AckedStep, cause, event);
    let mut trace = moved.trace;
    if forks {
        trace.truncate(limits::TRACE_ENTRIES - 1);
        let summary = "the node already had a step after it, so this is a fork";
        trace.insert(
            0,
            TraceEntry::new(TraceKind::DetectedNonTipAdvance, summary, Vec::new()),
        );
    }
    writing.trace(to, trace);
    snapshot
}

/// The events of a refusal: what was sent stays with the refused attempt.
fn blocked(
    writing: &mut Writing<'_>,
    node: &Node,
    to: NodeId,
    problems: Vec<Problem>,
    required: Vec<String>,
    call: &Call<'_>,
) -> Result<(), Error> {
    let blocker = |p: Problem| Blocker::new(p.reason.blocker(), p.pointer, p.message, p.fix);
    let mut blockers = problems.into_iter().map(blocker).collect::<Result<Vec<_>, _>>()?;
    blockers.sort();
    blockers.dedup();
    blockers.truncate(limits::BLOCKERS);
    let fact = call.recorded(Outcome::Blocked {
        to_node_id: to,
        blockers,
        required,
    });
    let event = writing
        .builder
        .push(writing.on(node.id), &[&node.id, &call.attempt], fact);
    writing.node(to, NodeKind::BlockedAttempt, Some(node.id), node.snapshot);
    writing.edge(node.id, to, EdgeKind::AckedStep, CauseKind::TipAdvance, event);
    writing.outputs(
        to,
        &crate::protocol::OutputRequest {
            supersedes: None,
            ..call.request.output.clone()
        },
    );
    Ok(())
}

/// What is wrong with a request whatever the step requires.
fn check_request(request: &ContinueRequest, node: &Node) -> Result<(), Error> {
    if let Some(context) = &request.context {
        check_context(context)?;
    }
    request.output.check()?;
    request.observations.read()?;
    reports(&request.capabilities)?;
    if let Some(old) = request.output.supersedes {
        let recap = |o: &crate::state::Output| o.id == old && o.channel == crate::event::Channel::Recap;
        if !node.outputs.iter().any(recap) || request.output.notes.as_ref().is_none_or(String::is_empty) {
            return Err(Error::validation(
                "supersedes names no notes of this node, or no notes were sent",
                "notes are corrected on the node that has them; inspect the session to see their outputId",
            ));
        }
    }
    if let Some(divergence) = &request.divergence {
        let step = divergence.related_step_id.as_deref();
        if divergence.summary.trim().is_empty() || step.is_some_and(|id| !crate::workflow::is_step_id(id)) {
            return Err(Error::validation(
                "a divergence needs a summary and a step id that can be one",
                "say what was left",
            ));
        }
    }
    Ok(())
}

fn probe(place: &Place<'_>, probed: judge::Probed) -> (Capability, Status, Provenance) {
    let provenance = Provenance::ProbeStep {
        enforcement_grade: Grade::Strong,
        probe_template_id: place
            .task
            .provenance
            .as_ref()
            .map_or_else(String::new, |p| p.origin_id.clone()),
        probe_step_id: place.task.id.clone(),
        result: probed.result,
        failure_code: probed.failure_code,
    };
    (probed.capability, probed.result.into(), provenance)
}

fn known(
    before: &BTreeMap<Capability, Known>,
    seen: &[(Capability, Status, Provenance)],
) -> BTreeMap<Capability, Known> {
    let mut known = before.clone();
    for (capability, status, provenance) in seen {
        let entry = known.entry(*capability).or_default();
        match provenance.grade() {
            Grade::Strong => entry.proven = *status,
            Grade::Weak => entry.claimed = *status,
        }
    }
    known
}

fn complete() -> Error {
    Error::validation(
        "the run is complete: nothing is pending",
        "rewind to an earlier node to take another way",
    )
}

fn unknown_gap(id: &str) -> Error {
    Error::validation(format!("there is no gap {id}"), "inspect the session to see its gaps")
}
