//! The JSON form, field by field. A field that is not here is an error, so that no rule of an author is dropped.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::compiled::{Check, Function, NotesRule, Reference};
use super::{Condition, Criteria};
use crate::event::{Autonomy, Capability, Risk};

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WorkflowJson {
    pub id: String,
    pub name: String,
    pub description: String,
    pub version: String,
    pub steps: Vec<StepJson>,
    #[serde(default)]
    pub recommended_preferences: RecommendedJson,
    #[serde(default)]
    pub capabilities: BTreeMap<Capability, Need>,
    #[serde(default)]
    pub features: Vec<String>,
    #[serde(default)]
    pub meta_guidance: Vec<String>,
    #[serde(default)]
    pub preconditions: Vec<String>,
    #[serde(default)]
    pub clarification_prompts: Vec<String>,
    #[serde(default)]
    pub function_definitions: Vec<FunctionJson>,
    #[serde(default)]
    pub assessments: Vec<AssessmentJson>,
    #[serde(default)]
    pub extension_points: Vec<ExtensionPointJson>,
    #[serde(default)]
    pub references: Vec<ReferenceJson>,
    #[serde(default)]
    pub templates: BTreeMap<String, TemplateJson>,
    // For catalogues and people; no run depends on them.
    #[serde(default)]
    pub tags: Value,
    #[serde(default, rename = "about")]
    _about: Option<IgnoredAny>,
    #[serde(default, rename = "examples")]
    _examples: Option<IgnoredAny>,
    #[serde(default, rename = "tips")]
    _tips: Option<IgnoredAny>,
    #[serde(default, rename = "autoRecognitionPatterns")]
    _auto_recognition_patterns: Option<IgnoredAny>,
    #[serde(default, rename = "metricsProfile")]
    _metrics_profile: Option<IgnoredAny>,
    #[serde(default, rename = "modelTier")]
    _model_tier: Option<IgnoredAny>,
    #[serde(default, rename = "validatedAgainstSpecVersion")]
    _validated_against_spec_version: Option<IgnoredAny>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RecommendedJson {
    pub recommended_autonomy: Option<Autonomy>,
    pub recommended_risk_policy: Option<Risk>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Need {
    Required,
    Preferred,
    Disabled,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TemplateJson {
    pub steps: Vec<StepJson>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StepType {
    #[default]
    Standard,
    Loop,
    Parallel,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct StepJson {
    pub id: String,
    pub title: String,
    #[serde(rename = "type", default)]
    pub kind: StepType,
    pub prompt: Option<String>,
    pub prompt_blocks: Option<PromptBlocksJson>,
    pub agent_role: Option<String>,
    #[serde(default)]
    pub guidance: Vec<String>,
    #[serde(default)]
    pub prompt_fragments: Vec<FragmentJson>,
    pub run_condition: Option<Condition>,
    pub require_confirmation: Option<Value>,
    pub output_contract: Option<OutputContractJson>,
    pub validation_criteria: Option<Criteria>,
    pub check: Option<Check>,
    #[serde(default)]
    pub notes: NotesRule,
    #[serde(default)]
    pub assessment_refs: Vec<String>,
    #[serde(default)]
    pub assessment_consequences: Vec<ConsequenceJson>,
    #[serde(default)]
    pub function_definitions: Vec<FunctionJson>,
    #[serde(default)]
    pub function_references: Vec<String>,
    #[serde(default)]
    pub function_calls: Vec<FunctionCallJson>,
    pub template_call: Option<TemplateCallJson>,
    pub verification: Option<VerificationJson>,
    pub audit: Option<AuditJson>,
    pub expected_output: Option<Value>,
    pub r#loop: Option<LoopJson>,
    pub body: Option<BodyJson>,
    #[serde(default)]
    pub parallel_delegations: Vec<DelegationJson>,
    pub synthesis: Option<SynthesisJson>,
    // Hints for a front end; no run depends on them.
    #[serde(default, rename = "askForFiles")]
    _ask_for_files: Option<IgnoredAny>,
    #[serde(default, rename = "hasValidation")]
    _has_validation: Option<IgnoredAny>,
    #[serde(default, rename = "notesOptional")]
    _notes_optional: Option<IgnoredAny>,
    #[serde(default, rename = "modelTier")]
    _model_tier: Option<IgnoredAny>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PromptBlocksJson {
    pub goal: Option<PromptValueJson>,
    #[serde(default)]
    pub constraints: Vec<PromptValueJson>,
    #[serde(default)]
    pub procedure: Vec<PromptValueJson>,
    #[serde(default)]
    pub output_required: BTreeMap<String, String>,
    #[serde(default)]
    pub verify: Vec<PromptValueJson>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum PromptValueJson {
    Text(String),
    Parts(Vec<PromptPartJson>),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub(crate) enum PromptPartJson {
    Text { text: String },
    Ref { ref_id: String },
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FragmentJson {
    pub id: String,
    pub when: Option<Condition>,
    pub text: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OutputContractJson {
    pub contract_ref: String,
    #[serde(default = "yes")]
    pub required: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AssessmentJson {
    pub id: String,
    pub purpose: String,
    pub dimensions: Vec<DimensionJson>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DimensionJson {
    pub id: String,
    pub purpose: String,
    pub levels: Vec<String>,
    #[serde(default = "yes")]
    pub required: bool,
}

const fn yes() -> bool {
    true
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ConsequenceJson {
    pub when: TriggerJson,
    pub effect: EffectJson,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TriggerJson {
    pub any_equals_level: String,
    pub for_assessment: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum EffectJson {
    RequireFollowup { guidance: String },
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct FunctionJson {
    pub name: String,
    pub definition: String,
    #[serde(default, rename = "parameters")]
    _parameters: Option<IgnoredAny>,
    #[serde(default, rename = "scope")]
    _scope: Option<IgnoredAny>,
}

impl From<&FunctionJson> for Function {
    fn from(function: &FunctionJson) -> Function {
        Function {
            name: function.name.clone(),
            definition: function.definition.clone(),
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FunctionCallJson {
    pub name: String,
    #[serde(default)]
    pub args: Map<String, Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TemplateCallJson {
    pub template_id: String,
    #[serde(default)]
    pub args: Map<String, Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerificationJson {
    pub command: Option<String>,
    pub prompt: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditJson {
    pub prompt: Option<String>,
    #[serde(default)]
    pub rubric: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum BodyJson {
    /// The id of a step of the workflow, which then runs only in the loop.
    Step(String),
    Steps(Vec<StepJson>),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LoopJson {
    #[serde(rename = "type")]
    pub kind: LoopType,
    pub max_iterations: Option<u32>,
    pub condition: Option<Condition>,
    pub condition_source: Option<ConditionSourceJson>,
    pub count: Option<Value>,
    pub items: Option<String>,
    pub item_var: Option<String>,
    pub index_var: Option<String>,
    pub iteration_var: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum LoopType {
    #[serde(rename = "while")]
    While,
    #[serde(rename = "until")]
    Until,
    #[serde(rename = "for")]
    For,
    #[serde(rename = "forEach")]
    ForEach,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub(crate) enum ConditionSourceJson {
    ArtifactContract {
        contract_ref: String,
        loop_id: Option<String>,
    },
    ContextVariable {
        condition: Condition,
    },
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DelegationJson {
    pub workflow_id: String,
    pub goal: Option<String>,
    pub run_condition: Option<Condition>,
    #[serde(default)]
    pub context_mapping: BTreeMap<String, String>,
    #[serde(default)]
    pub args: BTreeMap<String, String>,
    #[serde(default)]
    pub allowed_tools: Vec<String>,
    #[serde(default, rename = "modelTier")]
    _model_tier: Option<IgnoredAny>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SynthesisJson {
    pub prompt: Option<String>,
    pub output_contract: Option<OutputContractJson>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ExtensionPointJson {
    pub slot_id: String,
    #[serde(rename = "purpose")]
    _purpose: String,
    pub default: String,
    #[serde(default, rename = "acceptedKinds")]
    _accepted_kinds: Option<IgnoredAny>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ReferenceJson {
    pub id: String,
    pub title: String,
    pub source: String,
    pub purpose: String,
    pub authoritative: bool,
    #[serde(default, rename = "resolveFrom")]
    _resolve_from: Option<IgnoredAny>,
}

impl From<&ReferenceJson> for Reference {
    fn from(r: &ReferenceJson) -> Reference {
        Reference {
            id: r.id.clone(),
            title: r.title.clone(),
            source: r.source.clone(),
            purpose: r.purpose.clone(),
            authoritative: r.authoritative,
        }
    }
}
