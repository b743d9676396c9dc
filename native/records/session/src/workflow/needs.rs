//! What a workflow will want of the context, so that nobody learns it half way.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Compiled, Control, Count, Step};
use crate::interpret::look_up;

/// A key of the context that a loop goes by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Need {
    /// The key.
    pub key: String,
    /// What has to lie under it.
    pub wants: &'static str,
    /// The loop that goes by it.
    pub loop_id: String,
}

impl Compiled {
    /// What the loops go by that this context does not have.
    ///
    /// ```
    /// let plan = "#+WORKFLOW: project.x 1.0.0\n* Each\n:LOOP: forEach files as file\n:MAX: 9\n** TODO Read {{file}}\n";
    /// let (workflow, _) = session::workflow::SentWorkflow::new(plan).compile().unwrap();
    /// assert_eq!(workflow.needs(&Default::default())[0].key, "files");
    /// ```
    pub fn needs(&self, context: &Map<String, Value>) -> Vec<Need> {
        let mut needs = Vec::new();
        visit(&self.steps, &mut Vec::new(), &mut needs);
        needs.retain(|need| look_up(context, &need.key).is_none());
        needs
    }
}

fn visit<'s>(steps: &'s [Step], set: &mut Vec<&'s str>, needs: &mut Vec<Need>) {
    for step in steps {
        let Step::Loop(looped) = step else { continue };
        let wanted = match &looped.control {
            Control::ForEach { items, .. } => Some((items, "a list")),
            Control::For { count: Count::Key(key) } => Some((key, "a whole number")),
            _ => None,
        };
        if let Some((key, wants)) = wanted {
            let first = key.split('.').next().unwrap_or(key);
            // A variable of a loop around it is set by that loop.
            if !set.contains(&first) && needs.iter().all(|need: &Need| need.key != *key) {
                needs.push(Need {
                    key: key.clone(),
                    wants,
                    loop_id: looped.id.clone(),
                });
            }
        }
        let depth = set.len();
        set.extend(looped.iteration_var.as_deref());
        if let Control::ForEach {
            item_var, index_var, ..
        } = &looped.control
        {
            set.push(item_var);
            set.extend(index_var.as_deref());
        }
        visit(&looped.body, set, needs);
        set.truncate(depth);
    }
}
