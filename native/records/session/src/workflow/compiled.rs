//! The compiled form: everything a run needs and nothing else, in one order.

use serde::{Deserialize, Serialize};

use super::{Condition, Confirm, Criteria, Schema};
use crate::canon::{Digest, WorkflowHash, canonical};
use crate::event::{Autonomy, Capability, Risk};

/// The version of the compiled form.
pub const VERSION: u64 = 1;

/// A compiled workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Compiled {
    /// Always 1.
    pub schema_version: u64,
    /// `namespace.name`.
    pub workflow_id: String,
    /// For people.
    pub name: String,
    /// For people.
    pub description: String,
    /// The author's version.
    pub version: String,
    /// How far to go on one's own, as the author sees it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub recommended_autonomy: Option<Autonomy>,
    /// At what risk, as the author sees it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub recommended_risk_policy: Option<Risk>,
    /// Capabilities that every step requires, sorted.
    pub capabilities: Vec<Capability>,
    /// Features whose text is in the prompts, sorted.
    pub features: Vec<String>,
    /// What is told once, at the start.
    pub preface: Vec<String>,
    /// Documents to read, sorted by id.
    pub references: Vec<Reference>,
    /// The assessments that steps use, sorted by id.
    pub assessments: Vec<Assessment>,
    /// The contracts that steps use, sorted by name.
    pub contracts: Vec<CompiledContract>,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// A document to read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reference {
    /// Its name.
    pub id: String,
    /// For people.
    pub title: String,
    /// Where it is.
    pub source: String,
    /// Why to read it.
    pub purpose: String,
    /// Whether it beats the prompt.
    pub authoritative: bool,
}

/// An assessment: dimensions with levels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Assessment {
    /// Its name.
    pub id: String,
    /// What it is for.
    pub purpose: String,
    /// What is judged.
    pub dimensions: Vec<Dimension>,
}

/// One dimension of an assessment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Dimension {
    /// Its name.
    pub id: String,
    /// What it is for.
    pub purpose: String,
    /// The levels.
    pub levels: Vec<String>,
    /// Whether it must be judged.
    pub required: bool,
}

/// A contract with the schema that was current when the workflow was compiled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompiledContract {
    /// Its name.
    pub contract_ref: String,
    /// The kind of artifact that fulfils it.
    pub artifact_kind: String,
    /// What the artifact looks like.
    pub schema: Schema,
    /// What the agent is told.
    pub guidance: Vec<String>,
}

/// A step, or a loop around steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Step {
    /// A step.
    Task(Box<TaskStep>),
    /// A loop.
    Loop(Box<LoopStep>),
}

impl Step {
    /// Its id.
    pub fn id(&self) -> &str {
        match self {
            Step::Task(task) => &task.id,
            Step::Loop(looped) => &looped.id,
        }
    }

    /// When it runs at all.
    pub fn when(&self) -> Option<&Condition> {
        match self {
            Step::Task(task) => task.when.as_ref(),
            Step::Loop(looped) => looped.when.as_ref(),
        }
    }
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskStep {
    /// `[a-z0-9_-]+`.
    pub id: String,
    /// For people.
    pub title: String,
    /// What to do, with references and features embedded.
    pub prompt: String,
    /// Text that is added when its condition holds.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub fragments: Vec<Fragment>,
    /// Work to hand to other agents.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub delegations: Vec<Delegation>,
    /// What names in the prompt mean; the step's own first, then the loop's, then the workflow's.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub functions: Vec<Function>,
    /// When it runs at all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub when: Option<Condition>,
    /// When it needs the user's approval.
    #[serde(skip_serializing_if = "Confirm::is_never", default)]
    pub confirm: Confirm,
    /// The contract that its output must keep.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub contract: Option<ContractUse>,
    /// The rules that its notes must keep, when there is no contract.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub criteria: Option<Criteria>,
    /// Whether the step cannot be completed without notes.
    #[serde(skip_serializing_if = "NotesRule::is_optional", default)]
    pub notes: NotesRule,
    /// The command that must succeed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub check: Option<Check>,
    /// The assessments it must carry.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub assessments: Vec<String>,
    /// What a level leads to.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub assessment_rules: Vec<AssessmentRule>,
    /// The capability that it tries.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub probes: Option<Capability>,
    /// References that are embedded in the prompt.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub refs: Vec<RefUse>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub provenance: Option<Provenance>,
}

/// Whether a step can be completed without notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotesRule {
    /// It can.
    #[default]
    Optional,
    /// It cannot.
    Required,
}

impl NotesRule {
    const fn is_optional(&self) -> bool {
        matches!(self, NotesRule::Optional)
    }
}

/// The contract that an output must keep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContractUse {
    /// Its name.
    pub contract_ref: String,
    /// Whether the artifact must be there; when it is there it must fit in any case.
    pub required: bool,
}

/// Text that is added to a prompt when its condition holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fragment {
    /// Its name.
    pub id: String,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub when: Option<Condition>,
    /// The text.
    pub text: String,
}

/// Work to hand to another agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Delegation {
    /// The workflow that the other agent follows.
    pub workflow_id: String,
    /// What is handed over, in words.
    pub brief: String,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub when: Option<Condition>,
}

/// What a name in a prompt means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Function {
    /// The name.
    pub name: String,
    /// The meaning.
    pub definition: String,
}

/// A level that needs more work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AssessmentRule {
    /// The level.
    pub level: String,
    /// Of this assessment; of any, when absent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub assessment: Option<String>,
    /// What to do then.
    pub guidance: String,
}

/// What decides that a step is done: evidence, not the agent's word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Check {
    /// A command that must exit clean.
    Command {
        /// The command.
        command: String,
    },
    /// A source block that must exit clean.
    Block {
        /// Its language.
        lang: String,
        /// Its text.
        body: String,
    },
}

/// A reference that is embedded in a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RefUse {
    /// Its name.
    pub ref_id: String,
    /// The digest of its text.
    pub sha256: Digest,
    /// The length of its text.
    pub bytes: u64,
}

/// Who wrote a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Provenance {
    /// How it came in.
    pub source: Origin,
    /// From what.
    pub origin_id: String,
}

/// How a step came in, when the author did not write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// From a template.
    TemplateInjected,
    /// From a feature or a required capability.
    FeatureInjected,
}

/// A loop around steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoopStep {
    /// `[a-z0-9_-]+`.
    pub id: String,
    /// For people.
    pub title: String,
    /// When it runs at all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub when: Option<Condition>,
    /// What decides whether it goes round once more.
    pub control: Control,
    /// How many iterations are allowed.
    pub max_iterations: u32,
    /// The variable that holds the iteration, from 0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub iteration_var: Option<String>,
    /// The steps of one iteration, in order.
    pub body: Vec<Step>,
}

/// What decides whether a loop goes round once more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Control {
    /// A `wr.loop_control` artifact of the current iteration.
    Artifact {
        /// How the author put it; the decision says continue or stop either way.
        word: Word,
        /// The name that the artifact gives the loop.
        loop_id: String,
    },
    /// A condition on the context.
    Context {
        /// While it holds, or until it does.
        word: Word,
        /// The condition.
        condition: Condition,
    },
    /// A number of times.
    For {
        /// How many.
        count: Count,
    },
    /// Once for each item of a list in the context.
    ForEach {
        /// The key of the list.
        items: String,
        /// The variable that holds the item.
        item_var: String,
        /// The variable that holds its place, from 0.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        index_var: Option<String>,
    },
}

/// While or until.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// As long as.
    While,
    /// As long as not.
    Until,
}

/// How many times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Count {
    /// So many.
    Times(u32),
    /// As many as this key of the context says.
    Key(String),
}

/// Why bytes are not a compiled workflow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadWorkflow {
    /// Its bytes are not what its name says.
    #[error("the compiled workflow is not what its name says")]
    WrongDigest,
    /// It cannot be read.
    #[error("the compiled workflow cannot be read: {0}")]
    Unreadable(String),
    /// It was written by a newer program.
    #[error("the compiled workflow has version {0}, and this program knows version {VERSION}")]
    UnknownVersion(u64),
}

impl Compiled {
    /// The canonical bytes, and their name.
    pub fn encode(&self) -> (WorkflowHash, Vec<u8>) {
        let bytes = canonical(self);
        (WorkflowHash::new(Digest::of(&bytes)), bytes)
    }

    /// The name.
    pub fn hash(&self) -> WorkflowHash {
        self.encode().0
    }

    /// Reads a compiled workflow and checks it against its name.
    pub fn decode(hash: WorkflowHash, bytes: &[u8]) -> Result<Self, BadWorkflow> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            schema_version: u64,
        }
        if Digest::of(bytes) != hash.digest() {
            return Err(BadWorkflow::WrongDigest);
        }
        let unreadable = |e: serde_json::Error| BadWorkflow::Unreadable(e.to_string());
        match serde_json::from_slice::<Version>(bytes)
            .map_err(unreadable)?
            .schema_version
        {
            VERSION => serde_json::from_slice(bytes).map_err(unreadable),
            other => Err(BadWorkflow::UnknownVersion(other)),
        }
    }

    /// The contract with this name.
    pub fn contract(&self, name: &str) -> Option<&CompiledContract> {
        self.contracts.iter().find(|contract| contract.contract_ref == name)
    }

    /// The step with this id, wherever it is.
    pub fn task(&self, id: &str) -> Option<&TaskStep> {
        fn find<'c>(steps: &'c [Step], id: &str) -> Option<&'c TaskStep> {
            steps.iter().find_map(|step| match step {
                Step::Task(task) if task.id == id => Some(&**task),
                Step::Task(_) => None,
                Step::Loop(looped) => find(&looped.body, id),
            })
        }
        find(&self.steps, id)
    }
}
