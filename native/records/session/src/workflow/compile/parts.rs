//! The parts of a step.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Around;
use crate::workflow::compiled::{Assessment, Check, Dimension, Function, Step, TaskStep};
use crate::workflow::json::{StepJson, WorkflowJson};
use crate::workflow::{CompileError, Confirm};

pub(super) fn empty(id: String) -> TaskStep {
    TaskStep {
        id,
        title: String::new(),
        prompt: String::new(),
        fragments: Vec::new(),
        delegations: Vec::new(),
        functions: Vec::new(),
        when: None,
        confirm: Confirm::Never,
        contract: None,
        criteria: None,
        notes: crate::workflow::NotesRule::Optional,
        check: None,
        assessments: Vec::new(),
        assessment_rules: Vec::new(),
        probes: None,
        refs: Vec::new(),
        provenance: None,
    }
}

pub(super) fn assessments(workflow: &WorkflowJson) -> Result<BTreeMap<&str, Assessment>, CompileError> {
    let mut all = BTreeMap::new();
    for assessment in &workflow.assessments {
        let dimensions = assessment.dimensions.iter().map(|d| Dimension {
            id: d.id.clone(),
            purpose: d.purpose.clone(),
            levels: d.levels.clone(),
            required: d.required,
        });
        let compiled = Assessment {
            id: assessment.id.clone(),
            purpose: assessment.purpose.clone(),
            dimensions: dimensions.collect(),
        };
        if all.insert(assessment.id.as_str(), compiled).is_some() {
            return Err(CompileError::new(
                format!("two assessments are called `{}`", assessment.id),
                "rename one",
            ));
        }
    }
    Ok(all)
}

pub(super) fn functions(step: &StepJson, around: Around<'_>) -> Result<Vec<Function>, CompileError> {
    let mut scopes = vec![step.function_definitions.as_slice()];
    scopes.extend(around.functions);
    let referred = step.function_references.iter().map(|name| name.trim_end_matches("()"));
    let called = step.function_calls.iter().map(|call| call.name.as_str());
    let mut found = Vec::new();
    for name in referred.chain(called).collect::<BTreeSet<_>>() {
        let (scope, function) = scopes
            .iter()
            .enumerate()
            .find_map(|(scope, functions)| Some((scope, functions.iter().find(|f| f.name == name)?)))
            .ok_or_else(|| {
                CompileError::new(
                    format!("there is no function `{name}`"),
                    "define it in functionDefinitions",
                )
            })?;
        found.push((scope, Function::from(function)));
    }
    found.sort_by(|(a, f), (b, g)| (a, &f.name).cmp(&(b, &g.name)));
    let with_arguments = |(_, mut function): (usize, Function)| {
        for call in step.function_calls.iter().filter(|call| call.name == function.name) {
            function
                .definition
                .push_str(&format!("\nCalled with {}", Value::Object(call.args.clone())));
        }
        function
    };
    Ok(found.into_iter().map(with_arguments).collect())
}

pub(super) fn confirm(value: Option<&Value>) -> Result<Confirm, CompileError> {
    let bad = |why| CompileError::new(why, "requireConfirmation is true, false or a condition");
    value.map_or(Ok(Confirm::Never), |value| Confirm::from_json(value).map_err(bad))
}

/// A loop that needs approval asks for it at the first step of each iteration.
pub(super) fn confirm_first(body: &mut [Step], confirm: Confirm) {
    match body.first_mut() {
        Some(Step::Task(task)) if task.confirm.is_never() => task.confirm = confirm,
        Some(Step::Loop(inner)) => confirm_first(&mut inner.body, confirm),
        _ => {}
    }
}

pub(super) fn check(check: Option<Check>) -> Result<Option<Check>, CompileError> {
    let text = match &check {
        Some(Check::Command { command }) => command,
        Some(Check::Block { body, .. }) => body,
        None => return Ok(None),
    };
    if text.trim().is_empty() {
        return Err(CompileError::new(
            "the check is empty and could only fail",
            "write the command, or remove it",
        ));
    }
    Ok(check)
}
