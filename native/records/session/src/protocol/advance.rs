//! Completing a step: once, whatever is retried.

use std::collections::BTreeMap;

use super::answer::{Answer, At, run};
use super::events::{Writing, reports};
use super::gaps::Closing;
use super::request::{ContinueRequest, Intent, check_context, merge};
use super::target::Target;
use super::{Asked, Checker, Engine, preferences};
use crate::error::Error;
use crate::event::{
    AdvanceRecorded, Blocker, Capability, CauseKind, ContextSource, EdgeKind, Fact, Grade, Intent as Attempted,
    NodeKind, Outcome, Payload, Provenance, Status, TraceEntry, TraceKind,
};
use crate::interpret::{self, Moved};
use crate::judge::{self, Case, Verdict};
use crate::log::Log;
use crate::plan::Builder;
use crate::policy::Policy;
use crate::ports::{Store, Writer};
use crate::reason::Problem;
use crate::recovery::Recovery;
use crate::render::{Place, requirements, sight};
use crate::state::{Advance, Known, Node};
use crate::text::{TRUNCATED, clip};
use crate::workflow::Compiled;
use crate::{AttemptId, EventId, NodeId, OutputId, Snapshot, limits};

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
        let sight = sight(&node.context, node.preferences);
        Ok(Place::of(&workflow, snapshot.state(), &sight).and_then(|place| place.task.check.clone()))
    }

    fn rehydrate(&self, target: &Target) -> Result<Answer, Error> {
        let log = self.store.read(target.session)?;
        let (node, _) = target.find(&log)?;
        let mut answer = self.answer(&log, At::now(node))?;
        answer.recovery = self.recovery(&log, node.id)?;
        answer.warnings.extend(log.warnings.iter().cloned());
        Ok(answer)
    }

    /// What was done on the way to a node and, where the run went on from it, after it.
    pub(crate) fn recovery(&self, log: &Log, node: NodeId) -> Result<Option<String>, Error> {
        let workflow = self.store.workflow(run(log)?.workflow_hash)?;
        let step = |node: &Node| {
            let snapshot = self.store.snapshot(node.snapshot).ok()?;
            workflow.task(&snapshot.state().pending()?.step_id)
        };
        let recovery = Recovery {
            state: &log.state,
            step: &step,
        };
        Ok(recovery.of(node))
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
        let policy = self.store.policy()?;
        preferences::later(request, node.preferences, &policy)?;
        let workflow = self.store.workflow(run(&log)?.workflow_hash)?;
        let snapshot = self.store.snapshot(node.snapshot)?;
        let seen = sight(&node.context, node.preferences);
        let Some(place) = Place::of(&workflow, snapshot.state(), &seen) else {
            return self.after_completion(&log, node, attempt, request, &workflow, check);
        };
        // Checks may take long, so they are run before anybody is kept waiting.
        let workdir = log.state.charter.workdir.clone();
        let verdict = place.task.check.as_ref().map(|asked| {
            check(&Asked {
                check: asked,
                workdir: workdir.as_deref(),
            })
        });
        let closings = self.closings(&log, node, request, &workflow, check)?;
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
        if log.state.charter.workdir != workdir {
            return Err(Error::validation(
                "the session's directory was pinned anew while its check ran",
                "send the step again",
            ));
        }
        let call = Call {
            request,
            attempt,
            workflow: &workflow,
            snapshot: &snapshot,
            verdict: verdict.as_ref(),
            closings: &closings,
            policy: &policy,
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
        let mut answer = match &advance.outcome {
            Outcome::Advanced { .. } => self.answer_with(log, At::fresh(made), workflow, snapshot)?,
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
                    before: made.created_at,
                };
                self.answer_with(log, at, workflow, snapshot)?
                    .blocked(blockers, required)
            }
        };
        if made.edge.is_some_and(|(_, cause)| cause == CauseKind::NonTipAdvance) {
            answer
                .warnings
                .push("the step was taken before, from here or from a checkpoint: this is a fork of that run".into());
        }
        let recap = OutputId::derived(&[&advance.attempt.to_string(), "recap"]);
        let cut = |output: &crate::state::Output| {
            let notes =
                matches!(&output.payload, Payload::Notes { notes_markdown } if notes_markdown.ends_with(TRUNCATED));
            output.id == recap && notes
        };
        if node.outputs.iter().chain(&made.outputs).any(cut) {
            answer
                .warnings
                .push(format!("the notes were cut at {} bytes", limits::NOTES));
        }
        Ok(answer)
    }

    /// The plan of an attempt, and the snapshot it makes when the run goes on.
    fn plan(&self, log: &Log, node: &Node, call: &Call<'_>) -> Result<(crate::Plan, Option<Snapshot>), Error> {
        let request = call.request;
        let context = request.context.as_ref().map(|change| merge(&node.context, change));
        if let Some(context) = &context {
            check_context(context)?;
        }
        let change = preferences::later(request, node.preferences, call.policy)?;
        let now = sight(context.as_ref().unwrap_or(&node.context), change.effective);
        let place = Place::of(call.workflow, call.snapshot.state(), &now).ok_or_else(complete)?;

        let mut seen = reports(&request.capabilities)?;
        let none = BTreeMap::new();
        let mut case = call.case(&place, &none);
        seen.extend(judge::probed(&case).map(|probed| probe(&place, probed)));
        let capabilities = known(&node.capabilities, &seen);
        case.capabilities = &capabilities;

        let (decisions, mut problems) = judge::decisions(&case);
        problems.extend(judge::judge(&case));
        let blocks = change.effective.autonomy.blocks();
        let proven = &log.state.charter.proven;
        let moved = match interpret::advance(call.workflow, call.snapshot.state(), &decisions, &now, blocks, proven) {
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
                let problems = judge::by_cause(problems);
                Some(advanced(&mut writing, (log, node), to, moved, &problems, call)?)
            }
            _ => {
                let required = requirements(call.workflow, &place);
                blocked(&mut writing, (log, node), to, judge::by_cause(problems), required, call)?;
                None
            }
        };
        writing.preferences(to, change);
        if let Some(context) = context {
            writing.context(to, context, ContextSource::AgentDelta);
        }
        for (n, seen) in seen.into_iter().enumerate() {
            writing.capability(to, n, seen);
        }
        if let Some(divergence) = &request.divergence {
            writing.divergence(to, divergence);
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
    closings: &'a [Closing],
    policy: &'a Policy,
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

    /// Records what the step's check said, beside the attempt it was asked for.
    fn evidence(&self, writing: &mut Writing<'_>, log: &Log, node: &Node) -> Option<EventId> {
        let verdict = self.verdict?;
        let step = self.snapshot.state().pending()?.step_id.clone();
        let check = self.workflow.task(&step)?.check.as_ref()?;
        let workdir = log.state.charter.workdir.as_deref();
        Some(writing.verdict(node.id, "step", self.attempt, (&step, check), workdir, verdict))
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
    (log, node): (&Log, &Node),
    to: NodeId,
    moved: Moved,
    problems: &[Problem],
    call: &Call<'_>,
) -> Result<Snapshot, Error> {
    let snapshot = Snapshot::new(moved.state);
    let name = writing.builder.snapshot(&snapshot);
    let fact = call.recorded(Outcome::Advanced { to_node_id: to });
    let event = writing
        .builder
        .push(writing.on(node.id), &[&node.id, &call.attempt], fact);
    let evidence = call.evidence(writing, log, node);
    writing.outputs(node.id, &call.request.output);
    let gaps: Vec<Problem> = problems.iter().chain(&moved.passed).cloned().collect();
    let failed = evidence.filter(|_| call.verdict.is_some_and(|verdict| !verdict.pass));
    writing.gaps(node.id, &gaps, failed);
    // Gaps open and close before the node is made, so that its index says which were open when the call was answered.
    writing.closings(log, node.id, call.attempt, call.closings)?;
    writing.node(to, NodeKind::Step, Some(node.id), name);
    let forks = log.state.is_taken(node);
    let cause = if forks {
        CauseKind::NonTipAdvance
    } else {
        CauseKind::TipAdvance
    };
    writing.edge(node.id, to, EdgeKind::AckedStep, cause, event);
    let mut trace = moved.trace;
    if forks {
        trace.truncate(limits::TRACE_ENTRIES - 1);
        let summary = "the step was taken before, so this is a fork";
        trace.insert(
            0,
            TraceEntry::new(TraceKind::DetectedNonTipAdvance, summary, Vec::new()),
        );
    }
    writing.trace(to, trace);
    Ok(snapshot)
}

/// The events of a refusal: what was sent stays with the refused attempt.
fn blocked(
    writing: &mut Writing<'_>,
    (log, node): (&Log, &Node),
    to: NodeId,
    problems: Vec<Problem>,
    required: Vec<String>,
    call: &Call<'_>,
) -> Result<(), Error> {
    let blocker = |p: Problem| Blocker::new(p.reason.blocker(), p.pointer, p.message, p.fix);
    let mut blockers = problems.into_iter().map(blocker).collect::<Result<Vec<_>, _>>()?;
    blockers.sort();
    blockers.dedup();
    let more = blockers.len().saturating_sub(limits::BLOCKERS);
    blockers.truncate(limits::BLOCKERS);
    if let Some(last) = blockers.last_mut().filter(|_| more > 0) {
        last.message = clip(
            &format!("(and {more} more after this) {}", last.message),
            limits::BLOCKER_MESSAGE - 2,
        );
    }
    let fact = call.recorded(Outcome::Blocked {
        to_node_id: to,
        blockers,
        required,
    });
    let event = writing
        .builder
        .push(writing.on(node.id), &[&node.id, &call.attempt], fact);
    call.evidence(writing, log, node);
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

pub(crate) fn known(
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
