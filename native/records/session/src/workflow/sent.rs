//! A workflow as a caller sends it: its text, and where it is from.

use serde::{Deserialize, Serialize};

use super::{Compiled, Library, Source, SourceKind, Warning, compile};
use crate::error::Error;

/// A workflow as it is sent.
#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SentWorkflow {
    /// Its text, JSON or Org; empty when `id` names one of the catalogue.
    #[serde(default)]
    pub text: String,
    /// The id of a workflow of the catalogue, in place of a text.
    #[serde(default)]
    pub id: Option<String>,
    /// Where it came from.
    #[serde(default)]
    pub kind: SourceKind,
    /// Where it was.
    #[serde(default)]
    pub reference: String,
    /// Texts of workflows whose templates it may use.
    #[serde(default)]
    pub library: Vec<String>,
}

impl SentWorkflow {
    /// A text alone.
    ///
    /// ```
    /// let sent = session::workflow::SentWorkflow::new("#+WORKFLOW: project.note 1.0.0\n* TODO Think\n");
    /// let (compiled, warnings) = sent.compile().unwrap();
    /// assert_eq!((compiled.hash(), warnings.len()), (sent.compile().unwrap().0.hash(), 0));
    /// ```
    pub fn new(text: impl Into<String>) -> Self {
        SentWorkflow {
            text: text.into(),
            id: None,
            kind: SourceKind::default(),
            reference: String::new(),
            library: Vec::new(),
        }
    }

    /// Compiles it.
    pub fn compile(&self) -> Result<(Compiled, Vec<Warning>), Error> {
        let mut library = Library::default();
        for text in &self.library {
            library.add(&Source::read(text)?);
        }
        Ok(compile(&Source::read(&self.text)?, self.kind, &library)?)
    }
}
