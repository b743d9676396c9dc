//! What the audit found.

use crate::{Class, name};
use serde::Serialize;
use std::fmt;

/// The role in which a dependency was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// What runs the script.
    Interpreter,
    /// A command that the script calls.
    Binary,
    /// A package that JavaScript imports.
    Npm,
    /// A module that Python imports.
    Pip,
    /// The file itself, when it could not be read.
    File,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Interpreter => "interpreter",
            Kind::Binary => "binary",
            Kind::Npm => "npm",
            Kind::Pip => "pip",
            Kind::File => "file",
        })
    }
}

/// One dependency and its verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// As the script writes it.
    pub name: String,
    /// Its role.
    pub kind: Kind,
    /// The verdict.
    pub class: Class,
    /// The reason.
    pub note: String,
    /// What to do about it, one step a line of the plan.
    #[serde(skip)]
    pub steps: Vec<String>,
}

/// One script: its verdict is its worst finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Script {
    /// Its path below `scripts/`.
    pub file: String,
    /// What runs it; `unknown` when nothing says so.
    pub interpreter: String,
    /// The verdict.
    pub class: Class,
    /// The interpreter first, then binaries, npm and pip, each in the order of their appearance.
    pub findings: Vec<Finding>,
}

/// How many scripts have which verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Scripts that are ready.
    pub ready: usize,
    /// Scripts that are convertible.
    pub convertible: usize,
    /// Scripts that are blocked.
    pub blocked: usize,
}

/// The whole audit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// In the order of their names.
    pub scripts: Vec<Script>,
    /// The counts.
    pub summary: Summary,
}

impl Report {
    /// Adds a script.
    pub fn push(&mut self, script: Script) {
        *match script.class {
            Class::Ready => &mut self.summary.ready,
            Class::Convertible => &mut self.summary.convertible,
            Class::Blocked => &mut self.summary.blocked,
        } += 1;
        self.scripts.push(script);
    }
}

/// For people: a line for each script, below it its findings, and the counts at the end.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for script in &self.scripts {
            writeln!(
                f,
                "{} — {} ({})",
                name::shown(&script.file),
                script.class,
                script.interpreter
            )?;
            for finding in &script.findings {
                let Finding {
                    kind,
                    name,
                    class,
                    note,
                    ..
                } = finding;
                writeln!(f, "    {kind} {name} :: {class} — {note}")?;
            }
        }
        let Summary {
            ready,
            convertible,
            blocked,
        } = self.summary;
        writeln!(f, "{ready} ready, {convertible} convertible, {blocked} blocked")
    }
}

impl FromIterator<Script> for Report {
    fn from_iter<I: IntoIterator<Item = Script>>(scripts: I) -> Self {
        let mut report = Report::default();
        scripts.into_iter().for_each(|script| report.push(script));
        report
    }
}
