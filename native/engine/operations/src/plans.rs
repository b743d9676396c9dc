//! Plans as texts: what the kernel says about them.

use crate::Context;
use crate::row::{Here, ask};
use failure::Failure;
use oql::{Diagnostic, Facts, Finding, Plan, Row, Task, Types, UpgradeOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! of_a_plan {
    ($($name:ident)*) => {$(
        /// A plan.
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            /// The text of the plan.
            org: String,
        }
    )*};
}

of_a_plan!(Validate Headlines Tangle Tasks Render);

ask!(Validate: "plan.validate", Reads, Read => Vec<Diagnostic>, [oql::Error], "Says whether a plan coheres; an empty list says yes.");

impl Here for Validate {
    fn answer(self, _: &Context) -> Result<Vec<Diagnostic>, Failure> {
        Ok(oql::validate(&self.org)?)
    }
}

/// A plan, and what may be assumed to exist.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lint {
    /// The text of the plan.
    org: String,
    /// Names that `:uses` may carry; by default those of the policy.
    capabilities: Option<Vec<String>>,
    /// Commands that a check may name; by default those of the shell.
    commands: Option<Vec<String>>,
}

ask!(Lint: "plan.lint", Reads, Read => Vec<Finding>, [oql::Error, host::Error], "Says whether a plan coheres, with the wider net: each finding has its rule, its place and a hint.");

impl Here for Lint {
    fn answer(self, context: &Context) -> Result<Vec<Finding>, Failure> {
        let known = context.parts.facts()?;
        let facts = Facts {
            capabilities: self.capabilities.or(known.capabilities),
            commands: self.commands.or(known.commands),
        };
        Ok(oql::lint(&self.org, &facts)?)
    }
}

/// Two plans.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckUpgrade {
    /// The text of the plan that is deployed.
    old: String,
    /// The text of the plan that would replace it.
    new: String,
    /// Whether `:WB_ID:` is a workflow's identity, so that a rename is a rename.
    #[serde(default)]
    identity: bool,
    /// How output types are compared: `exact` or `structural`.
    #[serde(default)]
    types: Types,
    /// Whether each finding says where the promise was made and who would notice.
    #[serde(default)]
    explain: bool,
    /// Whether to judge also what a caller gets: which workflow answers, and under which keys.
    #[serde(default)]
    callers: bool,
}

ask!(CheckUpgrade: "plan.check_upgrade", Reads, Read => Vec<Diagnostic>, [oql::Error], "Says whether a new plan keeps the promises of the old one; an empty list says yes.");

impl Here for CheckUpgrade {
    fn answer(self, _: &Context) -> Result<Vec<Diagnostic>, Failure> {
        let options = UpgradeOptions {
            identity: self.identity,
            types: self.types,
            explain: self.explain,
            callers: self.callers,
        };
        Ok(oql::check_upgrade(&self.old, &self.new, &options)?)
    }
}

ask!(Headlines: "plan.headlines", Reads, Read => Vec<Row>, [oql::Error], "Lists every headline of a plan.");

impl Here for Headlines {
    fn answer(self, _: &Context) -> Result<Vec<Row>, Failure> {
        Ok(oql::parse_headlines(&self.org)?)
    }
}

/// A plan and a query.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Query {
    /// The text of the plan.
    org: String,
    /// An s-expression, such as `(and (todo "TODO") (tags "office"))`.
    query: String,
}

ask!(Query: "plan.query", Reads, Read => Vec<Row>, [oql::Error], "Lists the headlines that a query selects.");

impl Here for Query {
    fn answer(self, _: &Context) -> Result<Vec<Row>, Failure> {
        Ok(oql::query(&self.org, &self.query)?)
    }
}

ask!(Tangle: "plan.tangle", Reads, Read => Plan, [oql::Error], "Compiles a plan to worlds, components and the edges between them.");

impl Here for Tangle {
    fn answer(self, _: &Context) -> Result<Plan, Failure> {
        Ok(oql::tangle_plan(&self.org)?)
    }
}

ask!(Tasks: "plan.tasks", Reads, Read => Vec<Task>, [oql::Error], "Lists the outline of a plan as the runner sees it, each task with its check.");

impl Here for Tasks {
    fn answer(self, _: &Context) -> Result<Vec<Task>, Failure> {
        Ok(oql::tasks(&self.org)?)
    }
}

/// A plan as a page.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Rendered {
    /// HTML that is safe to put into a page.
    html: String,
}

ask!(Render: "plan.render", Reads, Read => Rendered, [oql::Error], "Turns a plan into HTML that is safe to put into a page.");

impl Here for Render {
    fn answer(self, _: &Context) -> Result<Rendered, Failure> {
        Ok(Rendered {
            html: oql::render(&self.org)?,
        })
    }
}

/// A plan, a task and its new state.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetState {
    /// The text of the plan.
    org: String,
    /// The id of the task.
    task: String,
    /// One of the plan's keywords.
    state: String,
}

/// A plan with one state changed.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Changed {
    /// The text of the plan.
    org: String,
}

ask!(SetState: "plan.set_state", Reads, Read => Changed, [oql::Error], "Gives the text of a plan with the keyword of one task changed, and the cookies above it.");

impl Here for SetState {
    fn answer(self, _: &Context) -> Result<Changed, Failure> {
        Ok(Changed {
            org: oql::set_state(&self.org, &self.task, &self.state)?,
        })
    }
}

/// Nothing to say.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {}

ask!(List: "plan.list", Reads, Read => Vec<history::KnownPlan>, [history::Error], "Lists the plans that were run, with their last run.");

impl Here for List {
    fn answer(self, context: &Context) -> Result<Vec<history::KnownPlan>, Failure> {
        Ok(history::plans(&context.home()?)?)
    }
}
