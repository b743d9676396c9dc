//! What a workflow may refer to besides itself: templates, and what its extension points are bound to.

use std::collections::BTreeMap;

use super::Source;
use super::json::StepJson;

/// Templates and bindings for the compiler.
///
/// ```
/// use session::workflow::{Library, Source};
/// let routine = Source::json(r#"{"id": "wb.routine-review", "name": "Review", "description": "d", "version": "1.0.0",
///     "steps": [{"id": "look", "title": "Look", "prompt": "Read {what}."}]}"#).unwrap();
/// let mut library = Library::default();
/// library.add(&routine);
/// assert_eq!(library.templates().collect::<Vec<_>>(), ["wb.templates.routine.review"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Library {
    templates: BTreeMap<String, Vec<StepJson>>,
    bindings: BTreeMap<String, String>,
}

impl Library {
    /// Offers a workflow's templates to others; a workflow called `ns.routine-x` is itself `ns.templates.routine.x`.
    pub fn add(&mut self, source: &Source) {
        let workflow = &source.workflow;
        if let Some((space, name)) = workflow.id.split_once(".routine-") {
            self.templates
                .insert(format!("{space}.templates.routine.{name}"), workflow.steps.clone());
        }
        for (id, template) in &workflow.templates {
            self.templates.insert(id.clone(), template.steps.clone());
        }
    }

    /// Binds an extension point to something other than its default.
    pub fn bind(&mut self, slot: impl Into<String>, to: impl Into<String>) {
        self.bindings.insert(slot.into(), to.into());
    }

    /// The names of the templates.
    pub fn templates(&self) -> impl Iterator<Item = &str> {
        self.templates.keys().map(String::as_str)
    }

    pub(crate) fn template(&self, id: &str) -> Option<&[StepJson]> {
        self.templates.get(id).map(Vec::as_slice)
    }

    pub(crate) fn binding(&self, slot: &str) -> Option<&str> {
        self.bindings.get(slot).map(String::as_str)
    }
}
