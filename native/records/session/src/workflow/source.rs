//! A workflow as its author wrote it.

use std::collections::BTreeMap;

use super::CompileError;
use super::json::WorkflowJson;
use crate::limits;

/// A workflow that was read and is not yet compiled.
#[derive(Debug, Clone)]
pub struct Source {
    pub(crate) workflow: WorkflowJson,
    /// Where each step stands in an Org plan.
    pub(crate) lines: BTreeMap<String, usize>,
}

impl Source {
    /// Reads the JSON form.
    pub fn json(text: &str) -> Result<Self, CompileError> {
        sized(text)?;
        let workflow = serde_json::from_str(text).map_err(|e| {
            CompileError::new(
                format!("the workflow cannot be read: {e}"),
                "docs/sessions.md lists the fields of a workflow",
            )
        })?;
        Ok(Source {
            workflow,
            lines: BTreeMap::new(),
        })
    }

    /// Reads an Org plan.
    pub fn org(text: &str) -> Result<Self, CompileError> {
        sized(text)?;
        super::org::read(text)
    }

    /// Reads either: JSON begins with a brace.
    pub fn read(text: &str) -> Result<Self, CompileError> {
        if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            Self::json(text.trim_start_matches('\u{feff}'))
        } else {
            Self::org(text)
        }
    }

    /// The name, the description and the version, for people.
    pub fn about(&self) -> [&str; 3] {
        let workflow = &self.workflow;
        [&workflow.name, &workflow.description, &workflow.version].map(String::as_str)
    }

    /// The author's tags.
    pub fn tags(&self) -> Vec<String> {
        let list = self.workflow.tags.as_array().map_or(&[][..], Vec::as_slice);
        list.iter().filter_map(|tag| tag.as_str().map(str::to_owned)).collect()
    }

    /// The id as written.
    pub fn id(&self) -> &str {
        &self.workflow.id
    }
}

fn sized(text: &str) -> Result<(), CompileError> {
    if text.len() > limits::SOURCE {
        let message = format!("the workflow has {} bytes and may have {}", text.len(), limits::SOURCE);
        return Err(CompileError::new(message, "split the workflow"));
    }
    Ok(())
}
