//! Loops: their bodies, and what decides them.

use serde_json::Value;

use super::parts::{confirm, confirm_first};
use super::{Around, Compiler, LOOP_CONTROL};
use crate::limits;
use crate::workflow::compiled::{Control, Count, LoopStep, Word};
use crate::workflow::json::{BodyJson, ConditionSourceJson, LoopJson, LoopType, OutputContractJson, StepJson};
use crate::workflow::{CompileError, Condition, Warning, WarningCode, id};

impl Compiler<'_> {
    pub(super) fn looped(
        &mut self,
        step: &StepJson,
        siblings: &[StepJson],
        around: Around<'_>,
    ) -> Result<LoopStep, CompileError> {
        self.claim(&step.id)?;
        if around.loops == limits::LOOP_DEPTH {
            return Err(CompileError::new(
                format!("loops nest more than {} deep", limits::LOOP_DEPTH),
                "flatten them",
            ));
        }
        let Some(config) = &step.r#loop else {
            return Err(CompileError::new(
                "a loop has no `loop`",
                "say what decides it and how often it may run",
            ));
        };
        let named;
        let body: &[StepJson] = match &step.body {
            Some(BodyJson::Steps(steps)) => steps,
            Some(BodyJson::Step(id)) => {
                let found = siblings.iter().find(|s| s.id == *id && s.id != step.id);
                named = [found.cloned().ok_or_else(|| {
                    CompileError::new(
                        format!("the loop's body `{id}` is no step beside it"),
                        "name a step, or list the steps",
                    )
                })?];
                &named
            }
            None => &[],
        };
        if body.is_empty() {
            return Err(CompileError::new("a loop has no steps", "put steps into its body"));
        }
        let mut functions = vec![step.function_definitions.as_slice()];
        functions.extend(around.functions);
        let inner = Around {
            functions: &functions,
            loops: around.loops + 1,
            ..around
        };
        let mut body = self.steps(body, inner)?;
        let asked = self.confirmed(confirm(step.require_confirmation.as_ref())?)?;
        confirm_first(&mut body, asked);
        let max_iterations = config
            .max_iterations
            .filter(|max| (1..=limits::ITERATIONS).contains(max));
        let max_iterations = max_iterations.ok_or_else(|| {
            CompileError::new(
                format!("a loop needs maxIterations, 1 to {}", limits::ITERATIONS),
                "say how often it may run at most (:MAX: in a plan)",
            )
        })?;
        let control = self.control(step, config, max_iterations)?;
        Ok(LoopStep {
            id: step.id.clone(),
            title: step.title.trim().to_owned(),
            when: step.run_condition.clone(),
            control,
            max_iterations,
            iteration_var: variable(config.iteration_var.as_deref())?,
            body,
        })
    }

    fn control(&mut self, step: &StepJson, config: &LoopJson, max: u32) -> Result<Control, CompileError> {
        let word = match config.kind {
            LoopType::While => Word::While,
            LoopType::Until => Word::Until,
            LoopType::For => return for_loop(config, max),
            LoopType::ForEach => return for_each(config),
        };
        let condition = match (&config.condition_source, &config.condition) {
            (Some(ConditionSourceJson::ArtifactContract { contract_ref, loop_id }), _) => {
                if contract_ref != LOOP_CONTROL {
                    let message = format!("a loop cannot be decided by `{contract_ref}`");
                    return Err(CompileError::new(message, format!("use {LOOP_CONTROL}")));
                }
                let loop_id = loop_id.clone().unwrap_or_else(|| step.id.clone());
                if !id::step(&loop_id) {
                    return Err(CompileError::new("a loopId is [a-z0-9_-]+", "rename the loop"));
                }
                self.contract(&OutputContractJson {
                    contract_ref: contract_ref.clone(),
                    required: true,
                })?;
                return Ok(Control::Artifact { word, loop_id });
            }
            (Some(ConditionSourceJson::ContextVariable { condition }), _) | (None, Some(condition)) => {
                condition.clone()
            }
            (None, None) => {
                let hint = format!("add conditionSource with {LOOP_CONTROL}");
                return Err(CompileError::new("nothing decides the loop", hint));
            }
        };
        self.warnings.push(Warning {
            code: WarningCode::ContextLoop,
            message: format!(
                "the loop `{}` is decided by the context, which an agent may forget to set",
                step.id
            ),
            hint: format!("decide it by {LOOP_CONTROL}"),
        });
        Ok(Control::Context { word, condition })
    }
}

fn variable(name: Option<&str>) -> Result<Option<String>, CompileError> {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let plain = |name: &str| name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    match name {
        Some(name) if name.starts_with(first) && plain(name) => Ok(Some(name.to_owned())),
        Some(name) => {
            let message = format!("`{}` cannot be a variable", crate::text::clip(name, 64));
            Err(CompileError::new(message, "use letters, digits and _"))
        }
        None => Ok(None),
    }
}

fn for_loop(config: &LoopJson, max: u32) -> Result<Control, CompileError> {
    let bad = || {
        CompileError::new(
            "a for loop needs a count",
            "give a number, or the key of one in the context",
        )
    };
    let count = match config.count.as_ref().ok_or_else(bad)? {
        Value::Number(n) => {
            let n = n.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(bad)?;
            if n > max {
                let message = format!("a for loop runs {n} times and may run {max} times");
                return Err(CompileError::new(message, "raise maxIterations"));
            }
            Count::Times(n)
        }
        Value::String(key) => Count::Key(context_key(key)?),
        _ => return Err(bad()),
    };
    Ok(Control::For { count })
}

fn for_each(config: &LoopJson) -> Result<Control, CompileError> {
    let items = config.items.as_deref();
    let items = items.ok_or_else(|| CompileError::new("a forEach loop needs items", "name a list in the context"))?;
    Ok(Control::ForEach {
        items: context_key(items)?,
        item_var: variable(config.item_var.as_deref())?.unwrap_or_else(|| "item".into()),
        index_var: variable(config.index_var.as_deref())?,
    })
}

fn context_key(key: &str) -> Result<String, CompileError> {
    // A condition on the key reads it by the same rule.
    match Condition::from_json(&serde_json::json!({"var": key})) {
        Ok(_) => Ok(key.to_owned()),
        Err(why) => Err(CompileError::new(why, "use a key of the context")),
    }
}
