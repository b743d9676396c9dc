//! Templates: a call is replaced in place by the template's steps.

use serde_json::{Map, Value};

use super::condition::Condition;
use super::json::{BodyJson, PromptPartJson, PromptValueJson, StepJson, TemplateCallJson};

/// The template's steps as the caller's own: ids prefixed, arguments filled in, the caller's condition on each.
pub(crate) fn expand(caller: &StepJson, call: &TemplateCallJson, steps: &[StepJson]) -> Vec<StepJson> {
    let mut steps = steps.to_vec();
    let ids: Vec<String> = steps.iter().map(|s| s.id.clone()).collect();
    for step in &mut steps {
        rename(step, &caller.id, &ids);
        fill(step, &call.args);
        step.run_condition = both(caller.run_condition.clone(), step.run_condition.take());
    }
    // What the caller asks of the result it asks of the last step.
    if let Some(last) = steps.last_mut() {
        last.require_confirmation = last
            .require_confirmation
            .take()
            .or_else(|| caller.require_confirmation.clone());
        last.output_contract = last.output_contract.take().or_else(|| caller.output_contract.clone());
        last.validation_criteria = last
            .validation_criteria
            .take()
            .or_else(|| caller.validation_criteria.clone());
        last.assessment_refs.extend(caller.assessment_refs.iter().cloned());
        last.assessment_consequences
            .extend(caller.assessment_consequences.iter().cloned());
        last.prompt_fragments.extend(caller.prompt_fragments.iter().cloned());
    }
    steps
}

fn both(a: Option<Condition>, b: Option<Condition>) -> Option<Condition> {
    match (a, b) {
        (Some(a), Some(b)) => Some(Condition::And(vec![a, b])),
        (one, other) => one.or(other),
    }
}

fn rename(step: &mut StepJson, caller: &str, ids: &[String]) {
    step.id = format!("{caller}-{}", step.id);
    match &mut step.body {
        Some(BodyJson::Steps(body)) => body.iter_mut().for_each(|inner| rename(inner, caller, ids)),
        Some(BodyJson::Step(id)) if ids.contains(id) => *id = format!("{caller}-{id}"),
        _ => {}
    }
}

fn fill(step: &mut StepJson, args: &Map<String, Value>) {
    let text = |text: &mut String| {
        for (name, value) in args {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            *text = text.replace(&format!("{{{name}}}"), &value);
        }
    };
    let value = |value: &mut PromptValueJson| match value {
        PromptValueJson::Text(t) => text(t),
        PromptValueJson::Parts(parts) => {
            for part in parts {
                if let PromptPartJson::Text { text: t } = part {
                    text(t);
                }
            }
        }
    };
    step.prompt
        .iter_mut()
        .chain(&mut step.guidance)
        .chain(std::iter::once(&mut step.title))
        .for_each(text);
    step.prompt_fragments
        .iter_mut()
        .for_each(|fragment| text(&mut fragment.text));
    if let Some(blocks) = &mut step.prompt_blocks {
        blocks.goal.iter_mut().chain(&mut blocks.constraints).for_each(value);
        blocks.procedure.iter_mut().chain(&mut blocks.verify).for_each(value);
        blocks.output_required.values_mut().for_each(text);
    }
    if let Some(BodyJson::Steps(body)) = &mut step.body {
        body.iter_mut().for_each(|inner| fill(inner, args));
    }
}
