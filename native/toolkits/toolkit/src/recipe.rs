//! Recipes: source blocks with `:role task`, in the manifest and in the skills.

use crate::{Error, Toolkit, place};
use serde::Serialize;

/// The languages of a recipe: those that the WASM shell runs.
const SHELLS: [&str; 3] = ["sh", "shell", "bash"];

/// A recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recipe {
    /// What it is called: its `:name`, or a slug of the headline it stands under.
    pub name: String,
    /// `task`, or `pre`, which is never run.
    pub role: String,
    /// The language.
    pub lang: String,
    /// The script.
    pub script: String,
    /// Whether it is a check, by `:check`: then it proves something, and is judged as the check of a task is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub check: bool,
    /// The file it stands in.
    pub file: String,
    /// The line of its block, from 1.
    pub line: usize,
}

/// Every recipe of a toolkit: the manifest's first, then those of the skills by name.
pub fn recipes(toolkit: &Toolkit) -> Result<Vec<Recipe>, Error> {
    let mut found = Vec::new();
    collect("manifest.org", toolkit.text(), &mut found)?;
    for slug in toolkit.slugs()? {
        let file = format!("{}/{slug}.org", toolkit.skill_dir());
        collect(&file, &toolkit.skill(&slug)?, &mut found)?;
    }
    Ok(found)
}

impl Recipe {
    /// What is wrong with it, given every word that the shell carries; nothing when it can run.
    pub fn faults(&self, words: &[String]) -> Vec<String> {
        if !place::is_name(&self.name) {
            return vec![format!("{}:{}: the task has no name", self.file, self.line)];
        }
        let at = |line: usize| format!("{}:{}", self.file, self.line + line);
        if !SHELLS.contains(&self.lang.as_str()) {
            return vec![format!("{}: `{}` is not run by the shell", at(0), self.lang)];
        }
        match oql::script_commands(&self.script) {
            Err(error) => vec![format!("{}: syntax error: {}", at(error.line), error.message)],
            Ok(commands) => commands
                .iter()
                .filter(|name| !words.contains(name))
                .map(|name| {
                    format!(
                        "{}: `{}` names `{name}`, which the shell does not carry",
                        at(0),
                        self.name
                    )
                })
                .collect(),
        }
    }
}

fn collect(file: &str, text: &str, found: &mut Vec<Recipe>) -> Result<(), Error> {
    let blocks = oql::blocks(text).map_err(|error| Error::Org {
        path: file.to_owned(),
        error,
    })?;
    for block in blocks {
        let Some(role) = block.arg("role").filter(|role| ["task", "pre"].contains(role)) else {
            continue;
        };
        let under = || slug(block.under.as_deref().unwrap_or_default());
        found.push(Recipe {
            name: block.arg("name").map_or_else(under, str::to_owned),
            role: role.to_owned(),
            lang: block.lang.clone().unwrap_or_default(),
            script: block.body.clone(),
            check: block.arg("check").is_some(),
            file: file.to_owned(),
            line: block.line,
        });
    }
    Ok(())
}

fn slug(title: &str) -> String {
    let mut out = String::new();
    for c in title.chars() {
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.trim_end_matches('-').to_owned()
}
