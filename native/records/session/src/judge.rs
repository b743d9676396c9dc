//! Whether a step is done: what was sent against what the step requires.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::event::{Capability, FailureCode, Judge, Pointer, Printed, ProbeResult, Status};
use crate::interpret::loops_around;
use crate::reason::{Problem, Reason, UserReason};
use crate::render::Place;
use crate::snapshot::Decision;
use crate::state::Known;
use crate::text::clip;
use crate::workflow::{Assessment, Check, Compiled, Control, NotesRule};

const LOOP_CONTROL: &str = "wr.loop_control";
const CONFIRMATION: &str = "wb.confirmation";
const ASSESSMENT: &str = "wr.assessment";
const PROBE: &str = "wb.capability_probe";

/// What a check said, with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "SentVerdict")]
pub struct Verdict {
    /// Whether it passed.
    pub pass: bool,
    /// Why it did not.
    pub reason: Option<String>,
    /// Who ran it.
    pub judge: Judge,
    /// The status that its command ended with.
    pub exit_status: Option<u8>,
    /// What it printed.
    pub stdout: Option<Printed>,
    /// What it complained about.
    pub stderr: Option<Printed>,
    /// Files that the check itself changed.
    pub changed: Vec<String>,
}

impl Verdict {
    /// It succeeded.
    pub const fn pass() -> Self {
        Verdict {
            pass: true,
            reason: None,
            judge: Judge::Shell,
            exit_status: None,
            stdout: None,
            stderr: None,
            changed: Vec::new(),
        }
    }

    /// It did not, or it could not be run.
    pub fn fail(reason: impl Into<String>) -> Self {
        Verdict {
            pass: false,
            reason: Some(reason.into()),
            ..Verdict::pass()
        }
    }
}

/// A verdict that an application sends in place of the shell's.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
enum SentVerdict {
    Pass,
    Fail { reason: String },
}

impl From<SentVerdict> for Verdict {
    fn from(sent: SentVerdict) -> Verdict {
        let verdict = match sent {
            SentVerdict::Pass => Verdict::pass(),
            SentVerdict::Fail { reason } => Verdict::fail(reason),
        };
        Verdict {
            judge: Judge::Application,
            ..verdict
        }
    }
}

/// A case to judge.
pub(crate) struct Case<'a> {
    pub workflow: &'a Compiled,
    pub place: &'a Place<'a>,
    pub notes: &'a str,
    pub artifacts: &'a [Map<String, Value>],
    pub capabilities: &'a BTreeMap<Capability, Known>,
    pub check: Option<&'a Verdict>,
}

/// What came of trying a capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Probed {
    pub capability: Capability,
    pub result: ProbeResult,
    pub failure_code: Option<FailureCode>,
}

/// The loop decisions that the artifacts carry, by depth of the loop, and what is wrong with the others.
pub(crate) fn decisions(case: &Case<'_>) -> (Vec<(usize, Decision)>, Vec<Problem>) {
    let loops = loops_around(case.workflow, case.place.frames);
    let decided = |depth: &usize| matches!(loops[*depth].control, Control::Artifact { .. });
    let depths: Vec<usize> = (0..loops.len()).rev().filter(decided).collect();
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    if depths.is_empty() {
        return (found, problems);
    }
    for artifact in case.fitting(LOOP_CONTROL) {
        let decision = if artifact["decision"] == "continue" {
            Decision::Continue
        } else {
            Decision::Stop
        };
        let named = artifact.get("loopId").and_then(Value::as_str);
        let is = |depth: &&usize| match (&loops[**depth].control, named) {
            (_, None) => true,
            (Control::Artifact { loop_id, .. }, Some(named)) => loop_id == named || loops[**depth].id == named,
            _ => false,
        };
        match depths.iter().find(is) {
            Some(depth) => found.push((*depth, decision)),
            None => problems.push(Problem::new(
                Reason::InvalidOutput,
                contract("wr.contracts.loop_control"),
                format!(
                    "the decision is about the loop `{}`, and the step is not in it",
                    clip(named.unwrap_or(""), 64)
                ),
                format!("decide the loop `{}`, or leave loopId out", loops[depths[0]].id),
            )),
        }
    }
    (found, problems)
}

/// What came of the try that a probe step asks for.
pub(crate) fn probed(case: &Case<'_>) -> Option<Probed> {
    let capability = case.place.task.probes?;
    let of = |artifact: &&Map<String, Value>| artifact["capability"] == capability.as_str();
    let artifact = case.fitting(PROBE).filter(of).last()?;
    let read = |key: &str| artifact.get(key).cloned().and_then(|v| serde_json::from_value(v).ok());
    Some(Probed {
        capability,
        result: serde_json::from_value(artifact["result"].clone()).ok()?,
        failure_code: read("failureCode"),
    })
}

/// Everything that keeps the step from being done.
pub(crate) fn judge(case: &Case<'_>) -> Vec<Problem> {
    let mut problems = case.misfits();
    case.contract(&mut problems);
    case.confirmation(&mut problems);
    case.assessments(&mut problems);
    case.required_capabilities(&mut problems);
    case.evidence(&mut problems);
    case.required_notes(&mut problems);
    problems
}

fn contract(name: &str) -> Pointer {
    Pointer::OutputContract {
        contract_ref: name.to_owned(),
    }
}

impl<'a> Case<'a> {
    fn step(&self) -> Pointer {
        Pointer::WorkflowStep {
            step_id: self.place.task.id.clone(),
        }
    }

    fn of_kind(&self, kind: &str) -> impl Iterator<Item = &'a Map<String, Value>> {
        let kind = kind.to_owned();
        self.artifacts
            .iter()
            .filter(move |artifact| artifact.get("kind").and_then(Value::as_str) == Some(&kind))
    }

    /// Artifacts of this kind that fit their contract.
    fn fitting(&self, kind: &str) -> impl Iterator<Item = &'a Map<String, Value>> {
        let contract = self.workflow.contracts.iter().find(|c| c.artifact_kind == kind);
        let fits = move |artifact: &&Map<String, Value>| {
            contract.is_some_and(|c| c.schema.check(&Value::Object((*artifact).clone())).is_empty())
        };
        self.of_kind(kind).filter(fits)
    }

    /// An artifact of a known kind must fit, whether the step asks for it or not.
    fn misfits(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for known in &self.workflow.contracts {
            for artifact in self.of_kind(&known.artifact_kind) {
                let wrong = known.schema.check(&Value::Object(artifact.clone()));
                if !wrong.is_empty() {
                    problems.push(Problem::new(
                        Reason::InvalidOutput,
                        contract(&known.contract_ref),
                        format!(
                            "the {} does not fit: {}",
                            known.artifact_kind,
                            clip(&wrong.join("; "), 400)
                        ),
                        clip(&known.guidance.join("; "), 900),
                    ));
                }
            }
        }
        problems
    }

    fn contract(&self, problems: &mut Vec<Problem>) {
        let task = self.place.task;
        match (&task.contract, &task.criteria) {
            (Some(wanted), _) => {
                let Some(known) = self.workflow.contract(&wanted.contract_ref) else {
                    return;
                };
                if wanted.required && self.of_kind(&known.artifact_kind).next().is_none() {
                    problems.push(Problem::new(
                        Reason::MissingOutput,
                        contract(&known.contract_ref),
                        format!("the step needs a {} artifact and none was sent", known.artifact_kind),
                        clip(&known.guidance.join("; "), 900),
                    ));
                }
            }
            (None, Some(criteria)) => {
                let wrong = criteria.check(self.notes, &|path| self.place.look_up(path));
                let reason = if self.notes.is_empty() {
                    Reason::MissingOutput
                } else {
                    Reason::InvalidOutput
                };
                for message in wrong {
                    let fix = format!("what is accepted: {}", criteria.requirements().join("; "));
                    problems.push(Problem::new(reason, self.step(), clip(&message, 500), clip(&fix, 1000)));
                }
            }
            (None, None) => {}
        }
    }

    fn confirmation(&self, problems: &mut Vec<Problem>) {
        if self.place.needs_confirmation() && self.fitting(CONFIRMATION).next().is_none() {
            problems.push(Problem::new(
                Reason::UserOnly(UserReason::NeedsUserApproval),
                self.step(),
                "needs_user_approval: the user has not approved this step",
                "ask the user, and send a wb.confirmation artifact with approvedBy and the user's own statement",
            ));
        }
    }

    fn assessments(&self, problems: &mut Vec<Problem>) {
        let task = self.place.task;
        for id in &task.assessments {
            let Some(assessment) = self.workflow.assessments.iter().find(|a| a.id == *id) else {
                continue;
            };
            let named = |artifact: &&Map<String, Value>| match artifact.get("assessmentId").and_then(Value::as_str) {
                Some(name) => name == id,
                None => task.assessments.len() == 1,
            };
            match self.fitting(ASSESSMENT).filter(named).last() {
                Some(artifact) => self.assessment(assessment, artifact, problems),
                None => problems.push(Problem::new(
                    Reason::MissingOutput,
                    contract("wr.contracts.assessment"),
                    format!("the assessment `{id}` was not sent"),
                    format!("send a wr.assessment artifact with assessmentId \"{id}\" and a level for each dimension"),
                )),
            }
        }
    }

    fn assessment(&self, assessment: &Assessment, artifact: &Map<String, Value>, problems: &mut Vec<Problem>) {
        let Some(levels) = artifact.get("dimensions").and_then(Value::as_object) else {
            return;
        };
        let level_of = |value: &Value| -> Option<String> {
            value
                .as_str()
                .or_else(|| value.get("level").and_then(Value::as_str))
                .map(str::to_owned)
        };
        let mut wrong = Vec::new();
        for dimension in &assessment.dimensions {
            match levels.get(&dimension.id).and_then(level_of) {
                None if dimension.required => wrong.push(format!("{} is missing", dimension.id)),
                Some(level) if !dimension.levels.contains(&level) => {
                    wrong.push(format!("{} is one of {}", dimension.id, dimension.levels.join(", ")));
                }
                _ => {}
            }
        }
        let known = |name: &&String| !assessment.dimensions.iter().any(|d| d.id == **name);
        wrong.extend(
            levels
                .keys()
                .filter(known)
                .map(|name| format!("{} is no dimension", clip(name, 64))),
        );
        if !wrong.is_empty() {
            problems.push(Problem::new(
                Reason::InvalidOutput,
                contract("wr.contracts.assessment"),
                format!(
                    "the assessment `{}` does not fit: {}",
                    assessment.id,
                    clip(&wrong.join("; "), 400)
                ),
                "send a level of the list for each dimension",
            ));
            return;
        }
        for rule in &self.place.task.assessment_rules {
            let applies = rule.assessment.as_ref().is_none_or(|id| *id == assessment.id);
            if applies && levels.values().filter_map(level_of).any(|level| level == rule.level) {
                problems.push(Problem::new(
                    Reason::InvalidOutput,
                    self.step(),
                    format!(
                        "the assessment `{}` is at `{}`, which needs more work first",
                        assessment.id,
                        clip(&rule.level, 64)
                    ),
                    rule.guidance.clone(),
                ));
            }
        }
    }

    fn required_capabilities(&self, problems: &mut Vec<Problem>) {
        let probes = self.place.task.probes;
        let wanted = self
            .workflow
            .capabilities
            .iter()
            .filter(|c| probes.is_none_or(|probed| probed == **c));
        for capability in wanted {
            let known = self.capabilities.get(capability).copied().unwrap_or_default();
            if probes == Some(*capability) && self.of_kind(PROBE).next().is_none() {
                // Nothing came of the step that is there to try it: its contract says so already.
                continue;
            }
            let (reason, how) = match known.proven {
                Status::Available => continue,
                Status::Unknown => (
                    Reason::CapabilityUnknown,
                    "nobody has tried it, and a claim does not count",
                ),
                Status::Unavailable => (Reason::CapabilityUnavailable, "it was tried and does not work"),
            };
            problems.push(Problem::new(
                reason,
                Pointer::Capability {
                    capability: *capability,
                },
                format!("the workflow requires {}: {how}", capability.as_str()),
                "try it, and report the try as a capability observation",
            ));
        }
    }

    fn evidence(&self, problems: &mut Vec<Problem>) {
        let Some(check) = &self.place.task.check else { return };
        let why = match self.check {
            Some(verdict) if verdict.pass => return,
            Some(verdict) => refusal(verdict),
            None => "it was not run".to_owned(),
        };
        let what = match check {
            Check::Command { command } => clip(command, 300),
            Check::Block { lang, .. } => format!("the {lang} block"),
        };
        problems.push(Problem::new(
            Reason::InvalidOutput,
            self.step(),
            format!("the check does not pass: {why}"),
            format!("make this succeed, and send the step again: {what}"),
        ));
    }

    /// The notes that a step asks for.
    fn required_notes(&self, problems: &mut Vec<Problem>) {
        if self.place.task.notes == NotesRule::Required && self.notes.trim().is_empty() {
            problems.push(Problem::new(
                Reason::MissingOutput,
                self.step(),
                "the step needs notes and none were sent",
                "say in the notes what was done, what came of it and where it is",
            ));
        }
    }
}

/// Why a check did not pass, with the end of what it printed: complaints are in the reason already.
fn refusal(verdict: &Verdict) -> String {
    let reason = clip(verdict.reason.as_deref().unwrap_or("it gave no reason"), 280);
    match verdict.stdout.as_ref().map(|printed| printed.end.as_str()) {
        None | Some("") => reason,
        Some(end) => {
            let from = end.ceil_char_boundary(end.len().saturating_sub(120));
            format!("{reason}; it printed: {}", end[from..].trim().replace('\n', " / "))
        }
    }
}

/// One problem for each cause: those of one kind at one place become one, with every message and one fix.
pub(crate) fn by_cause(problems: Vec<Problem>) -> Vec<Problem> {
    let mut merged: Vec<Problem> = Vec::new();
    for problem in problems {
        match merged
            .iter_mut()
            .find(|m| (m.reason, &m.pointer) == (problem.reason, &problem.pointer))
        {
            None => merged.push(problem),
            Some(known) => {
                if !known.message.contains(&problem.message) {
                    known.message = clip(&format!("{}; {}", known.message, problem.message), 500);
                }
                if known.fix != problem.fix && !known.fix.contains(&problem.fix) {
                    known.fix = clip(&format!("{}; {}", known.fix, problem.fix), 1000);
                }
            }
        }
    }
    merged
}
