//! What is only looked at: a toolkit in full, and which of its promises are kept.

use crate::{Error, Foundry};
use serde::Serialize;
use std::path::PathBuf;
use toolkit::{Finding, Manifest, Mark, Skill, Toolkit, recipes, verify};

/// A toolkit in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Shown {
    /// Its name.
    pub id: String,
    /// Its directory.
    pub path: PathBuf,
    /// What it declares.
    pub manifest: Manifest,
    /// The text of its manifest.
    pub text: String,
    /// The index of its skills.
    pub skills: Vec<Skill>,
    /// The names of its recipes.
    pub tasks: Vec<String>,
}

/// Which promises a toolkit keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Verified {
    /// The toolkit.
    pub id: String,
    /// Whether all of them are kept.
    pub ok: bool,
    /// One for each promise.
    pub findings: Vec<Finding>,
    /// The same for people, with a ✓ or ✗ for each.
    pub text: String,
}

/// Where the component of a toolkit is, and what was granted to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Located {
    /// The artifact.
    pub path: PathBuf,
    /// The capabilities that were granted to a stranger's; none when it is the operator's own.
    pub caps: Option<Vec<String>>,
}

impl Foundry {
    /// A toolkit in full.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn show(&self, id: &str) -> Result<Shown, Error> {
        let toolkit = self.toolkit(id)?;
        let recipes = recipes(&toolkit)?;
        Ok(Shown {
            id: toolkit.id().to_owned(),
            path: toolkit.path().to_owned(),
            manifest: toolkit.manifest().clone(),
            text: toolkit.text().to_owned(),
            skills: toolkit.skills()?,
            tasks: recipes
                .into_iter()
                .filter(|recipe| recipe.role == "task")
                .map(|recipe| recipe.name)
                .collect(),
        })
    }

    /// Which promises a toolkit keeps. One whose files are refused keeps none, and that is an answer too.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn verify(&self, id: &str) -> Result<Verified, Error> {
        let findings: Vec<Finding> = match self.toolkit(id) {
            Ok(toolkit) => verify(&toolkit, &self.facts(&toolkit)?),
            Err(Error::Toolkit(error @ (toolkit::Error::Refused { .. } | toolkit::Error::Org { .. }))) => {
                vec![Finding::from(&error)]
            }
            Err(error) => return Err(error),
        };
        Ok(Verified {
            id: id.to_owned(),
            ok: findings.iter().all(|finding| finding.mark != Mark::Fail),
            text: findings.iter().map(|finding| format!("{finding}\n")).collect(),
            findings,
        })
    }

    /// Where the component of a toolkit is.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn component(&self, id: &str) -> Result<Located, Error> {
        let toolkit = self.toolkit(id)?;
        let caps = self.grants().consent(&toolkit)?;
        let (path, _) = self.components().get(id)?;
        Ok(Located { path, caps })
    }

    /// Whether a toolkit has the artifact that is meant: it has one, and whoever names another is told so.
    pub(crate) fn only(toolkit: &Toolkit, which: Option<&str>) -> Result<(), Error> {
        let manifest = toolkit.manifest();
        let names = [
            Some(toolkit.id()),
            manifest.cli_bin.as_deref(),
            manifest.exec.map(toolkit::Shape::name),
        ];
        match which {
            Some(other) if !names.contains(&Some(other)) => Err(Error::BadOption(format!(
                "`{}` has no artifact `{other}`",
                toolkit.id()
            ))),
            _ => Ok(()),
        }
    }
}
