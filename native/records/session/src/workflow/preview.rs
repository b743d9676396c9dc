//! A workflow as its author wants to see it: every prompt, in order, before anybody runs it.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Check, Compiled, Control, Step};
use crate::event::Preferences;
use crate::render::{Place, pending, sight};
use crate::snapshot::Frame;

/// A step as an agent will read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// Its id.
    pub step_id: String,
    /// For people.
    pub title: String,
    /// What the agent reads; in a loop, that of the first iteration.
    pub prompt: String,
    /// The loops around it, the outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<String>,
    /// Whether a condition decides if it runs at all, or a loop around it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub conditional: bool,
    /// Whether the user is asked, with this context.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub confirmation: bool,
    /// The contract on its output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// The check that proves it; nothing proves a step without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
}

impl Compiled {
    /// Every step, in order, as an agent with this context will read it.
    ///
    /// ```
    /// let plan = "#+WORKFLOW: project.x 1.0.0\n* TODO Read {{file}}\nOpen {{file}}.\n* TODO Write\n:done-when: test -s out\n";
    /// let (workflow, _) = session::workflow::SentWorkflow::new(plan).compile().unwrap();
    /// let context = serde_json::json!({"file": "a.txt"});
    /// let steps = workflow.preview(context.as_object().unwrap());
    /// assert_eq!(steps[0].prompt, "Open a.txt.");
    /// assert_eq!(steps[1].check.as_deref(), Some("test -s out"));
    /// ```
    pub fn preview(&self, context: &Map<String, Value>) -> Vec<Preview> {
        let sight = sight(context, Preferences::default());
        let mut steps = Vec::new();
        self.visit(&self.steps, &mut Vec::new(), false, &sight, &mut steps);
        steps
    }

    fn visit(
        &self,
        list: &[Step],
        frames: &mut Vec<Frame>,
        conditional: bool,
        context: &Map<String, Value>,
        steps: &mut Vec<Preview>,
    ) {
        for step in list {
            let conditional = conditional || step.when().is_some();
            match step {
                Step::Task(task) => {
                    let place = Place::at(self, task, frames, context);
                    let view = pending(self, &place, steps.is_empty());
                    steps.push(Preview {
                        step_id: view.step_id,
                        title: view.title,
                        prompt: view.prompt,
                        loops: frames.iter().map(|frame| frame.loop_id.clone()).collect(),
                        conditional,
                        confirmation: place.needs_confirmation(),
                        contract: task.contract.as_ref().map(|contract| contract.contract_ref.clone()),
                        check: task.check.as_ref().map(|check| match check {
                            Check::Command { command } => command.clone(),
                            Check::Block { body, .. } => body.clone(),
                        }),
                    });
                }
                Step::Loop(looped) => {
                    let counted = matches!(looped.control, Control::For { .. } | Control::ForEach { .. });
                    frames.push(Frame {
                        loop_id: looped.id.clone(),
                        iteration: 0,
                        body_index: 0,
                        decision: None,
                    });
                    self.visit(&looped.body, frames, conditional || counted, context, steps);
                    frames.pop();
                }
            }
        }
    }
}
