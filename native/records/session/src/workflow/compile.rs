//! The compiler: a source in, one compiled form out, the same for the same meaning.

mod looped;
mod parts;

use std::collections::{BTreeMap, BTreeSet};

use parts::{assessments, check, confirm, empty, functions};

use super::bind::Bindings;
use super::builtin::{FEATURES, PROBE_TEMPLATE, find};
use super::compiled::{
    Assessment, AssessmentRule, Check, Compiled, ContractUse, Fragment, Origin, Provenance, Reference, Step, TaskStep,
    VERSION,
};
use super::json::{BodyJson, FunctionJson, Need, OutputContractJson, StepJson, StepType, WorkflowJson};
use super::{
    CompileError, Confirm, Contract, IdStatus, Library, Source, SourceKind, Warning, WarningCode, WorkflowId, id,
    prompt, template,
};
use crate::event::Capability;
use crate::limits;

const LOOP_CONTROL: &str = "wr.contracts.loop_control";
const TEMPLATE_DEPTH: usize = 4;
/// The longest guidance that still fits in a blocker's fix.
const GUIDANCE: usize = 900;

/// Compiles a source of this kind.
///
/// ```
/// use session::workflow::{Library, Source, SourceKind, compile};
/// let plan = "#+WORKFLOW: project.note 1.0.0\n#+TITLE: Note\n* TODO Write it down\n:done-when: test -s note.txt\n";
/// let twin = r#"{"id": "project.note", "name": "Note", "description": "", "version": "1.0.0", "steps": [
///     {"id": "write-it-down", "title": "Write it down", "check": {"command": "test -s note.txt"}}]}"#;
/// let hash = |source| compile(&source, SourceKind::Project, &Library::default()).unwrap().0.hash();
/// assert_eq!(hash(Source::org(plan).unwrap()), hash(Source::json(twin).unwrap()));
/// ```
pub fn compile(source: &Source, kind: SourceKind, library: &Library) -> Result<(Compiled, Vec<Warning>), CompileError> {
    let workflow = &source.workflow;
    let mut compiler = Compiler::new(workflow, library)?;
    let located = |error: CompileError| match error.step.as_ref().and_then(|step| source.lines.get(step)) {
        Some(line) => error.at(*line),
        None => error,
    };
    let workflow_id = WorkflowId::read(&workflow.id, kind)?;
    if let IdStatus::Legacy(suggested) = &workflow_id.status {
        compiler.warnings.push(Warning {
            code: WarningCode::LegacyId,
            message: format!("the id `{}` has no namespace", workflow_id.text),
            hint: format!("call it {suggested}"),
        });
    }
    let steps = compiler.workflow().map_err(located)?;
    let mut references: Vec<Reference> = workflow.references.iter().map(Reference::from).collect();
    references.sort();
    let used = |id: &String| compiler.assessments.get(id.as_str()).cloned();
    let compiled = Compiled {
        schema_version: VERSION,
        workflow_id: workflow_id.text,
        name: workflow.name.clone(),
        description: workflow.description.clone(),
        version: workflow.version.clone(),
        recommended_autonomy: workflow.recommended_preferences.recommended_autonomy,
        recommended_risk_policy: workflow.recommended_preferences.recommended_risk_policy,
        capabilities: compiler.required.clone(),
        features: compiler.features.iter().map(|(id, _)| (*id).to_owned()).collect(),
        preface: preface(workflow),
        references,
        assessments: compiler.used_assessments.iter().filter_map(used).collect(),
        contracts: compiler.used_contracts.values().map(|c| c.compiled()).collect(),
        steps,
    };
    // The hash is over canonical JSON, which would change a larger number: the run would follow another text.
    let numbers = serde_json::to_value(&compiled)
        .ok()
        .and_then(|v| crate::number::unsafe_number(&v));
    if let Some(at) = numbers {
        return Err(CompileError::new(
            format!("the number at {at} of the compiled workflow is beyond 2^53 and would not come back as written"),
            "write it as a text",
        ));
    }
    Ok((compiled, compiler.warnings))
}

fn preface(workflow: &WorkflowJson) -> Vec<String> {
    let before = workflow.preconditions.iter().map(|p| format!("Before you start: {p}"));
    let asked = workflow
        .clarification_prompts
        .iter()
        .map(|p| format!("Clear up with the user: {p}"));
    before
        .chain(asked)
        .chain(workflow.meta_guidance.iter().cloned())
        .collect()
}

struct Compiler<'s> {
    workflow: &'s WorkflowJson,
    library: &'s Library,
    bindings: Bindings,
    features: Vec<(&'static str, &'static str)>,
    required: Vec<Capability>,
    assessments: BTreeMap<&'s str, Assessment>,
    used_assessments: BTreeSet<String>,
    used_contracts: BTreeMap<&'static str, &'static Contract>,
    ids: BTreeSet<String>,
    warnings: Vec<Warning>,
}

/// What a step sees of the loops around it.
#[derive(Clone, Copy)]
struct Around<'a> {
    functions: &'a [&'a [FunctionJson]],
    origin: Option<&'a str>,
    templates: usize,
    loops: usize,
}

impl<'s> Compiler<'s> {
    fn new(workflow: &'s WorkflowJson, library: &'s Library) -> Result<Self, CompileError> {
        let known = |id: &'s String| {
            let found = FEATURES.iter().find(|(name, _)| name == id).copied();
            found.ok_or_else(|| {
                CompileError::new(
                    format!("there is no feature `{id}`"),
                    "use one that docs/sessions.md lists",
                )
            })
        };
        let features: BTreeSet<_> = workflow.features.iter().map(known).collect::<Result<_, _>>()?;
        debug_assert!(features.iter().all(|(id, _)| find(FEATURES, id).is_some()));
        let required = workflow
            .capabilities
            .iter()
            .filter(|(_, need)| **need == Need::Required);
        Ok(Compiler {
            workflow,
            library,
            bindings: Bindings::new(&workflow.extension_points, library),
            features: features.into_iter().collect(),
            required: required.map(|(capability, _)| *capability).collect(),
            assessments: assessments(workflow)?,
            used_assessments: BTreeSet::new(),
            used_contracts: BTreeMap::new(),
            ids: BTreeSet::new(),
            warnings: Vec::new(),
        })
    }

    fn workflow(&mut self) -> Result<Vec<Step>, CompileError> {
        let workflow = self.workflow;
        let around = Around {
            functions: &[&workflow.function_definitions],
            origin: None,
            templates: 0,
            loops: 0,
        };
        let mut steps = Vec::new();
        for capability in self.required.clone() {
            steps.push(self.probe(capability)?);
        }
        steps.extend(self.steps(&workflow.steps, around)?);
        if workflow.steps.is_empty() {
            return Err(CompileError::new(
                "the workflow has no steps",
                "a TODO leaf of a plan is a step",
            ));
        }
        Ok(steps)
    }

    fn probe(&mut self, capability: Capability) -> Result<Step, CompileError> {
        let id = format!("wb_probe_{}", capability.as_str());
        self.claim(&id)?;
        let contract_ref = "wb.contracts.capability_probe".to_owned();
        let contract = Some(self.contract(&OutputContractJson {
            contract_ref,
            required: true,
        })?);
        Ok(Step::Task(Box::new(TaskStep {
            title: format!("Try {}", capability.as_str()),
            prompt: prompt::probe(capability.as_str()),
            contract,
            probes: Some(capability),
            provenance: Some(Provenance {
                source: Origin::FeatureInjected,
                origin_id: PROBE_TEMPLATE.into(),
            }),
            ..empty(id)
        })))
    }

    fn steps(&mut self, steps: &[StepJson], around: Around<'_>) -> Result<Vec<Step>, CompileError> {
        // A step that a loop names as its body runs only there.
        let bodies: BTreeSet<&str> = steps
            .iter()
            .filter_map(|step| match &step.body {
                Some(BodyJson::Step(id)) => Some(id.as_str()),
                _ => None,
            })
            .collect();
        let mut compiled = Vec::new();
        for step in steps.iter().filter(|step| !bodies.contains(step.id.as_str())) {
            let more = self.step(step, steps, around).map_err(|e| e.in_step(&step.id))?;
            compiled.extend(more);
        }
        Ok(compiled)
    }

    fn step(&mut self, step: &StepJson, siblings: &[StepJson], around: Around<'_>) -> Result<Vec<Step>, CompileError> {
        if let Some(call) = &step.template_call {
            let steps = self
                .workflow
                .templates
                .get(&call.template_id)
                .map(|t| t.steps.as_slice());
            let steps = steps
                .or_else(|| self.library.template(&call.template_id))
                .ok_or_else(|| {
                    CompileError::new(
                        format!("there is no template `{}`", call.template_id),
                        "give the library that has it",
                    )
                })?;
            if around.templates == TEMPLATE_DEPTH {
                return Err(CompileError::new(
                    "templates call each other too deeply",
                    "flatten them",
                ));
            }
            let expanded = template::expand(step, call, steps);
            let around = Around {
                origin: Some(&call.template_id),
                templates: around.templates + 1,
                ..around
            };
            return self.steps(&expanded, around);
        }
        match step.kind {
            StepType::Loop => self
                .looped(step, siblings, around)
                .map(|l| vec![Step::Loop(Box::new(l))]),
            StepType::Standard | StepType::Parallel => self.task(step, around).map(|t| vec![Step::Task(Box::new(t))]),
        }
    }

    fn task(&mut self, step: &StepJson, around: Around<'_>) -> Result<TaskStep, CompileError> {
        self.claim(&step.id)?;
        if step.r#loop.is_some() || step.body.is_some() {
            return Err(CompileError::new(
                "a step that is no loop has loop or body",
                "give it type loop",
            ));
        }
        if (step.kind == StepType::Parallel) == step.parallel_delegations.is_empty() {
            let hint = "a parallel step hands work to others; give it type parallel and parallelDelegations";
            return Err(CompileError::new(
                "type parallel and parallelDelegations belong together",
                hint,
            ));
        }
        let texts: Vec<&str> = self.features.iter().map(|(_, text)| *text).collect();
        let composed = prompt::compose(step, &texts, &self.bindings)?;
        let contract = step.output_contract.as_ref();
        let contract = contract.or_else(|| step.synthesis.as_ref().and_then(|s| s.output_contract.as_ref()));
        let bind = |text: &str| self.bindings.fill(text);
        let fragments = step.prompt_fragments.iter().map(|f| {
            Ok(Fragment {
                id: f.id.clone(),
                when: f.when.clone(),
                text: bind(f.text.trim())?,
            })
        });
        let fragments = fragments.collect::<Result<Vec<_>, CompileError>>()?;
        let delegations = step
            .parallel_delegations
            .iter()
            .map(|d| prompt::delegation(d, &self.bindings));
        let delegations = delegations.collect::<Result<Vec<_>, _>>()?;
        let verified = step
            .verification
            .as_ref()
            .and_then(|v| v.command.clone())
            .map(|command| Check::Command { command });
        Ok(TaskStep {
            title: step.title.trim().to_owned(),
            prompt: composed.text,
            refs: composed.refs,
            fragments,
            delegations,
            functions: functions(step, around)?,
            when: step.run_condition.clone(),
            confirm: self.confirmed(confirm(step.require_confirmation.as_ref())?)?,
            contract: contract.map(|c| self.contract(c)).transpose()?,
            criteria: step.validation_criteria.clone(),
            check: check(step.check.clone().or(verified))?,
            notes: step.notes,
            assessments: self.assess(&step.assessment_refs)?,
            assessment_rules: self.rules(step)?,
            provenance: around.origin.map(|origin| Provenance {
                source: Origin::TemplateInjected,
                origin_id: origin.to_owned(),
            }),
            ..empty(step.id.clone())
        })
    }

    /// The contracts that hold for a step whether its author names them or not.
    fn confirmed(&mut self, confirm: Confirm) -> Result<Confirm, CompileError> {
        if !confirm.is_never() {
            let contract_ref = "wb.contracts.confirmation".to_owned();
            self.contract(&OutputContractJson {
                contract_ref,
                required: true,
            })?;
        }
        Ok(confirm)
    }

    fn claim(&mut self, step: &str) -> Result<(), CompileError> {
        if !id::step(step) {
            let message = format!("`{}` is not a step id", crate::text::clip(step, 64));
            return Err(CompileError::new(
                message,
                "an id is 1 to 64 characters of a-z, 0-9, _ and -",
            ));
        }
        if !self.ids.insert(step.to_owned()) {
            return Err(CompileError::new(
                format!("two steps are called `{step}`"),
                "rename one",
            ));
        }
        if self.ids.len() > limits::STEPS {
            return Err(CompileError::new(
                format!("the workflow has more than {} steps", limits::STEPS),
                "split it",
            ));
        }
        Ok(())
    }

    fn contract(&mut self, contract: &OutputContractJson) -> Result<ContractUse, CompileError> {
        let name = &contract.contract_ref;
        let found = Contract::find(name).ok_or_else(|| {
            let message = format!("there is no contract `{}`", crate::text::clip(name, 64));
            CompileError::new(message, "use one that docs/sessions.md lists")
        })?;
        self.used_contracts.insert(found.name, found);
        Ok(ContractUse {
            contract_ref: found.name.into(),
            required: contract.required,
        })
    }

    fn assess(&mut self, refs: &[String]) -> Result<Vec<String>, CompileError> {
        for id in refs {
            if !self.assessments.contains_key(id.as_str()) {
                return Err(CompileError::new(
                    format!("there is no assessment `{id}`"),
                    "define it in assessments",
                ));
            }
            self.used_assessments.insert(id.clone());
        }
        if !refs.is_empty() {
            let contract_ref = "wr.contracts.assessment".to_owned();
            self.contract(&OutputContractJson {
                contract_ref,
                required: true,
            })?;
        }
        Ok(refs.to_vec())
    }

    fn rules(&self, step: &StepJson) -> Result<Vec<AssessmentRule>, CompileError> {
        let rule = |consequence: &super::json::ConsequenceJson| {
            let super::json::EffectJson::RequireFollowup { guidance } = &consequence.effect;
            let assessment = consequence.when.for_assessment.clone();
            if assessment.as_ref().is_some_and(|id| !step.assessment_refs.contains(id)) {
                return Err(CompileError::new(
                    "a consequence is about an assessment that the step lacks",
                    "add it",
                ));
            }
            if guidance.len() > GUIDANCE {
                return Err(CompileError::new(
                    format!("a guidance has more than {GUIDANCE} bytes"),
                    "shorten it",
                ));
            }
            Ok(AssessmentRule {
                level: consequence.when.any_equals_level.clone(),
                assessment,
                guidance: guidance.clone(),
            })
        };
        step.assessment_consequences.iter().map(rule).collect()
    }
}
