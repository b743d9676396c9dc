//! What the agent reads: a function of the compiled workflow, the state and the context.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::event::{Capability, Preferences};
use crate::interpret::{look_up, loop_variables, loops_around};
use crate::snapshot::{EngineState, Frame};
use crate::workflow::{Check, Compiled, Control, LoopStep, NotesRule, Step, TaskStep};

/// How many of an author's rules are told before the work.
const RULES: usize = 5;
const LOOP_CONTROL: &str = "wr.contracts.loop_control";

/// The step to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingView {
    /// Its id.
    pub step_id: String,
    /// For people.
    pub title: String,
    /// What to do, and what will be accepted.
    pub prompt: String,
}

/// What conditions and prompts see: the context, and the preferences under `preferences` unless the context has that key.
pub(crate) fn sight(context: &Map<String, Value>, preferences: Preferences) -> Map<String, Value> {
    let mut sight = context.clone();
    sight
        .entry("preferences")
        .or_insert_with(|| json!({"autonomy": preferences.autonomy, "riskPolicy": preferences.risk_policy}));
    sight
}

/// The pending step with the loops it is in.
pub(crate) struct Place<'a> {
    pub task: &'a TaskStep,
    pub frames: &'a [Frame],
    pub variables: Map<String, Value>,
    pub context: &'a Map<String, Value>,
}

impl<'a> Place<'a> {
    /// Where a state stands; nothing when nothing is pending.
    pub(crate) fn of(workflow: &'a Compiled, state: &'a EngineState, context: &'a Map<String, Value>) -> Option<Self> {
        let task = workflow.task(&state.pending()?.step_id)?;
        let EngineState::Running { loop_stack, .. } = state else {
            return None;
        };
        Some(Place::at(workflow, task, loop_stack, context))
    }

    /// A step in these loops.
    pub(crate) fn at(
        workflow: &'a Compiled,
        task: &'a TaskStep,
        frames: &'a [Frame],
        context: &'a Map<String, Value>,
    ) -> Self {
        Place {
            task,
            frames,
            variables: loop_variables(workflow, frames, context),
            context,
        }
    }

    pub(crate) fn look_up(&self, path: &str) -> Option<&Value> {
        look_up(&self.variables, path).or_else(|| look_up(self.context, path))
    }

    pub(crate) fn needs_confirmation(&self) -> bool {
        self.task.confirm.needed(&|path| self.look_up(path))
    }
}

/// The pending step as the agent reads it.
pub(crate) fn pending(workflow: &Compiled, place: &Place<'_>, first: bool) -> PendingView {
    let task = place.task;
    let mut parts: Vec<String> = Vec::new();
    if first {
        parts.extend(preface(workflow));
    }
    parts.push(place.substitute(&task.prompt));
    for fragment in &task.fragments {
        if fragment
            .when
            .as_ref()
            .is_none_or(|when| when.holds(&|path| place.look_up(path)))
        {
            parts.push(place.substitute(&fragment.text));
        }
    }
    parts.extend(delegations(place));
    if !task.functions.is_empty() {
        let lines: Vec<String> = task
            .functions
            .iter()
            .map(|f| format!("{}: {}", f.name, f.definition))
            .collect();
        parts.push(format!("Names used above:\n{}", lines.join("\n")));
    }
    if let (Some(frame), Some(looped)) = (place.frames.last(), loops_around(workflow, place.frames).last()) {
        let (n, max) = (frame.iteration + 1, looped.max_iterations);
        parts.push(format!(
            "This is iteration {n} of at most {max} of the loop `{}` ({}).",
            looped.id, looped.title
        ));
    }
    let requirements = requirements(workflow, place);
    if !requirements.is_empty() {
        let lines: Vec<String> = requirements.iter().map(|line| format!("- {line}")).collect();
        parts.push(format!("OUTPUT REQUIREMENTS:\n{}", lines.join("\n")));
    }
    parts.retain(|part| !part.trim().is_empty());
    PendingView {
        step_id: task.id.clone(),
        title: task.title.clone(),
        prompt: parts.join("\n\n"),
    }
}

fn preface(workflow: &Compiled) -> Vec<String> {
    let mut parts = workflow.preface.clone();
    if !workflow.references.is_empty() {
        let line = |r: &crate::workflow::Reference| {
            let weight = if r.authoritative { "binding" } else { "for information" };
            format!("- {} ({}, {weight}): {}", r.title, r.source, r.purpose)
        };
        let lines: Vec<String> = workflow.references.iter().map(line).collect();
        parts.push(format!("Documents:\n{}", lines.join("\n")));
    }
    parts
}

fn delegations(place: &Place<'_>) -> Option<String> {
    let wanted = place.task.delegations.iter();
    let wanted = wanted.filter(|d| {
        d.when
            .as_ref()
            .is_none_or(|when| when.holds(&|path| place.look_up(path)))
    });
    let lines: Vec<String> = wanted
        .enumerate()
        .map(|(i, d)| format!("{}. {}\n{}", i + 1, d.workflow_id, place.substitute(&d.brief)))
        .collect();
    (!lines.is_empty()).then(|| {
        format!(
            "Hand these to other agents, all at once where you can, and bring the results together:\n{}",
            lines.join("\n")
        )
    })
}

/// What will be accepted, in sentences.
pub(crate) fn requirements(workflow: &Compiled, place: &Place<'_>) -> Vec<String> {
    let task = place.task;
    let mut lines = Vec::new();
    let guidance = |name: &str| workflow.contract(name).map(|c| c.guidance.clone()).unwrap_or_default();
    match (&task.contract, &task.criteria) {
        (Some(contract), _) => lines.extend(guidance(&contract.contract_ref)),
        (None, Some(criteria)) => lines.extend(criteria.requirements().into_iter().take(RULES)),
        (None, None) => {}
    }
    if let Some(looped) = decides(workflow, place)
        && let Control::Artifact { loop_id, .. } = &looped.control
    {
        if task.contract.as_ref().is_none_or(|c| c.contract_ref != LOOP_CONTROL) {
            lines.extend(guidance(LOOP_CONTROL));
        }
        lines.push(format!("this decides the loop \"loopId\": \"{loop_id}\""));
    }
    if place.needs_confirmation() {
        lines.extend(guidance("wb.contracts.confirmation"));
    }
    for id in &task.assessments {
        if let Some(assessment) = workflow.assessments.iter().find(|a| a.id == *id) {
            let dimension =
                |d: &crate::workflow::Dimension| format!("{} ({}): {}", d.id, d.levels.join(" | "), d.purpose);
            let dimensions: Vec<String> = assessment.dimensions.iter().map(dimension).collect();
            lines.push(format!(
                "send an artifact {{\"kind\": \"wr.assessment\", \"assessmentId\": \"{id}\", \"dimensions\": {{..}}}}: {}; {}",
                assessment.purpose,
                dimensions.join("; ")
            ));
        }
    }
    match &task.check {
        Some(Check::Command { command }) => lines.push(format!("this command must succeed: {command}")),
        Some(Check::Block { lang, body }) => {
            lines.push(format!("this {lang} check must succeed:\n{}", body.trim_end()))
        }
        None => {}
    }
    if task.notes == NotesRule::Required {
        lines.push("notes are required".into());
    }
    let missing = |c: &&Capability| task.probes.is_none() && workflow.capabilities.contains(c);
    lines.extend(
        workflow
            .capabilities
            .iter()
            .filter(missing)
            .map(|c| format!("{} must have been tried", c.as_str())),
    );
    lines
}

/// The artifact-decided loop that this step is expected to decide: its contract says so, or it is the last of the body.
fn decides<'w>(workflow: &'w Compiled, place: &Place<'_>) -> Option<&'w LoopStep> {
    let looped = *loops_around(workflow, place.frames).last()?;
    let named = place
        .task
        .contract
        .as_ref()
        .is_some_and(|c| c.contract_ref == LOOP_CONTROL);
    let last = matches!(looped.body.last(), Some(Step::Task(task)) if task.id == place.task.id);
    let already = place.frames.last().is_some_and(|frame| frame.decision.is_some());
    (matches!(looped.control, Control::Artifact { .. }) && (named || (last && !already))).then_some(looped)
}

impl Place<'_> {
    /// Fills `{{path}}` from the loops and the context. What is not there stays as it is; nothing is evaluated.
    fn substitute(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            filled.push_str(before);
            let value = after
                .split_once("}}")
                .and_then(|(path, after)| Some((self.look_up(path.trim())?, after)));
            match value {
                Some((value, after)) => {
                    match value {
                        Value::String(text) => filled.push_str(text),
                        other => filled.push_str(&other.to_string()),
                    }
                    rest = after;
                }
                None => {
                    filled.push_str("{{");
                    rest = after;
                }
            }
        }
        filled.push_str(rest);
        filled
    }
}
