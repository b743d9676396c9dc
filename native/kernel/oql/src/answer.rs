//! The shapes of the kernel's answers. Field order is the order of the keys in the JSON.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One headline, as a query or a listing returns it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// Number of stars.
    pub level: usize,
    /// The title without keyword, priority and tags.
    pub title: String,
    /// The TODO keyword.
    pub state: Option<String>,
    /// The `:ID:` property.
    pub id: Option<String>,
    /// The headline's own tags, in order.
    pub tags: Vec<String>,
    /// The property drawer, keys in upper case.
    pub props: BTreeMap<String, String>,
    /// The SCHEDULED timestamp.
    pub scheduled: Option<Timestamp>,
    /// The DEADLINE timestamp.
    pub deadline: Option<Timestamp>,
    /// Line number of the headline, from 1.
    pub line: usize,
}

/// An Org timestamp.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timestamp {
    /// ISO date or date and time, `2026-06-11` or `2026-06-11T09:30`.
    pub at: String,
    /// The repeater as written (`+1d`, `++1w`, `.+1m`).
    pub repeat: Option<String>,
    /// `<..>` is active, `[..]` is not.
    pub active: bool,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The plan is wrong.
    Error,
    /// The plan may be wrong.
    Warn,
}

/// A finding of `validate` or `check_upgrade`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// How bad it is.
    pub level: Level,
    /// What is wrong.
    pub message: String,
    /// The title of the component or workflow that it is about.
    pub scope: String,
    /// Which rule, when `explain` or `callers` was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The capability that it is about, when `explain` or `callers` was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// Why it breaks, when `explain` was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explanation>,
}

/// Where a promise was made, where it was broken, and who would notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Explanation {
    /// Line in the old plan.
    pub old_line: Option<usize>,
    /// Line in the new plan, where there is one.
    pub new_line: Option<usize>,
    /// A consumer that works with the old plan and breaks with the new one.
    pub witness: String,
}

/// A finding of `lint`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// The title of the headline that it is about.
    pub scope: String,
    /// What is wrong.
    pub message: String,
    /// The rule, `WB001` and so on; docs/kernel.md lists them.
    pub code: &'static str,
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What to do about it.
    pub hint: String,
}

/// What the caller knows and the kernel does not. A list that is absent switches its rule off.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Command names that the shell carries (WB007).
    #[serde(default)]
    pub commands: Option<Vec<String>>,
    /// Names that `:uses` may carry; a trailing `*` stands for any ending (WB006).
    #[serde(default)]
    pub capabilities: Option<Vec<String>>,
}

/// How the upgrade gate compares. The default is the plain gate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct UpgradeOptions {
    /// `:WB_ID:` is a workflow's identity, so that a rename is a rename.
    pub identity: bool,
    /// How output types are compared.
    pub types: Types,
    /// Say where and why each diagnostic breaks.
    pub explain: bool,
    /// Judge also what a caller of the deployed plan gets: which workflow answers, and under which keys.
    pub callers: bool,
}

/// How the upgrade gate compares output types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Types {
    /// As whole strings.
    #[default]
    Exact,
    /// As WIT types, by subtyping.
    Structural,
}

/// The compiled plan: one world for each outermost workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plan {
    /// The outermost workflows in document order.
    pub worlds: Vec<World>,
}

/// A workflow, scoped for running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct World {
    /// The workflow's title.
    pub name: String,
    /// When it runs by itself.
    pub schedule: Option<Schedule>,
    /// Capabilities it asks for, sorted.
    pub imports: Vec<String>,
    /// Values it promises, sorted.
    pub exports: Vec<String>,
    /// Its direct components, in document order.
    pub components: Vec<Component>,
    /// Who feeds whom among the direct components.
    pub edges: Vec<Edge>,
    /// Keys of components in waves: each can run when those before it have. An outermost world has all of them, nested ones
    /// too; a nested world has its own, in the order of the whole. Whoever waits for a cycle is in none.
    pub waves: Vec<Vec<String>>,
    /// The keys of components that wait for each other, from producer to consumer, one list for each knot. An outermost
    /// world has all of them, a nested one none.
    pub cycles: Vec<Vec<String>>,
    /// Nested workflows, in document order.
    pub workflows: Vec<World>,
}

/// When a workflow runs by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Schedule {
    /// From `:SCHEDULE:`.
    Cron {
        /// Five fields.
        cron: String,
    },
    /// From SCHEDULED.
    At(Timestamp),
}

/// One step of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Component {
    /// The component's title.
    pub name: String,
    /// Language of the source block.
    pub lang: Option<String>,
    /// `:deps`.
    pub deps: Vec<String>,
    /// `:uses`.
    pub uses: Vec<String>,
    /// `:in`, each `name:type`.
    #[serde(rename = "in")]
    pub inputs: Vec<String>,
    /// `:out`, `name:type`.
    #[serde(rename = "out")]
    pub output: Option<String>,
    /// `:persist`.
    pub persist: bool,
    /// Body of the source block.
    pub src: Option<String>,
    /// `:dir`.
    pub dir: Option<String>,
    /// Every other header argument.
    pub args: BTreeMap<String, String>,
    /// Its title, told apart by a counter where another component of the same outermost workflow has it too.
    pub key: String,
    /// Line number of its headline, from 1.
    pub line: usize,
}

/// A value that flows from one component to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Edge {
    /// The producer's title.
    pub from: String,
    /// The consumer's title.
    pub to: String,
}

/// One headline, as the runner sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Task {
    /// The `:ID:` property, else a slug of the title, unique in the plan.
    pub id: String,
    /// Titles from the outermost headline down to this one.
    pub path: Vec<String>,
    /// Number of stars.
    pub level: usize,
    /// The title without keyword, priority, statistics cookies and tags.
    pub title: String,
    /// The TODO keyword.
    pub state: Option<String>,
    /// Whether the keyword says that the work is over.
    pub done: bool,
    /// What the runner makes of it.
    pub kind: TaskKind,
    /// Id of the enclosing headline.
    pub parent: Option<String>,
    /// Whether the children run one after the other.
    pub ordered: bool,
    /// Ids that it waits for: `:BLOCKER:`, then `:DEPENDS:`, each once. What stands inside a leaf is that leaf; a name
    /// that no task has is kept as it is written.
    pub blockers: Vec<String>,
    /// The command that must exit clean, `:done-when+:` lines joined to it.
    pub done_when: Option<String>,
    /// The first source block marked `:check`.
    pub check: Option<Check>,
    /// Why the check of the plan is wrong and cannot pass.
    pub check_error: Option<String>,
    /// The first `sh` block that is no check.
    pub script: Option<String>,
    /// The text of the headline's own section.
    pub body: String,
    /// Properties from the drawer and from bare `:key: value` lines, keys in upper case.
    pub props: BTreeMap<String, String>,
    /// Line number of the headline, from 1.
    pub line: usize,
}

/// What the runner makes of a headline.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskKind {
    /// A task without tasks below it: it is worked on.
    Leaf,
    /// A task with tasks below it: it is done when they are.
    Composite,
    /// No keyword: it holds tasks, or notes.
    Structure,
    /// It stands inside a leaf and belongs to it.
    Part,
}

/// A source block that decides whether its task is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    /// The block's language.
    pub lang: String,
    /// The block's text.
    pub body: String,
}
