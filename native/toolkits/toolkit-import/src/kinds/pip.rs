//! A command of a Python project: the modules of its console scripts are carried, its README is a skill.

use super::{Parts, documents, npm::readme, unfit};
use crate::org;
use crate::slug::slug;
use crate::{Error, Kind, Skill, Source};
use std::collections::BTreeMap;

/// Where a project says what it is.
pub(crate) const PROJECT_FILES: [&str; 3] = ["pyproject.toml", "setup.cfg", "setup.py"];

#[derive(Default)]
struct Project {
    name: Option<String>,
    description: Option<String>,
    /// Commands, each with `module:function`.
    scripts: BTreeMap<String, String>,
}

pub(crate) fn has_scripts(source: &Source<'_>) -> bool {
    read(source).is_some_and(|project| !project.scripts.is_empty())
}

pub(super) fn parts(source: &Source<'_>) -> Result<Parts, Error> {
    let Some(project) = read(source) else {
        return Err(unfit(
            Kind::PipCli,
            format!("there is none of {} that can be read", PROJECT_FILES.join(", ")),
        ));
    };
    if project.scripts.is_empty() {
        return Err(unfit(Kind::PipCli, "the project declares no console script"));
    }
    let name = project.name.unwrap_or_else(|| source.name().to_owned());
    let mut scripts = BTreeMap::new();
    for (command, entry) in &project.scripts {
        match module(source, entry) {
            Some(path) => {
                if let Some(bytes) = source.bytes(&path) {
                    scripts.insert(format!("{}.py", slug(command, "command")), bytes);
                }
            }
            None => {
                let _: Option<()> = source.skip(&org::line(entry), "the project names it, and it is not there");
            }
        }
    }
    let description = project.description.unwrap_or_default();
    let commands: String = project
        .scripts
        .iter()
        .map(|(command, entry)| format!("- ={}= :: {}\n", org::line(command).replace('=', ""), org::line(entry)))
        .collect();
    let mut skills = vec![Skill {
        slug: slug(&name, "command"),
        title: name.clone(),
        summary: description.clone(),
        body: format!(
            "The Python project ={}=.\n\n** Commands\n\n{commands}",
            org::line(&name).replace('=', "")
        ),
    }];
    skills.extend(readme(source).and_then(|path| documents::skill(source, path)));
    Ok(Parts {
        title: Some(name.clone()),
        tagline: description,
        name,
        skills,
        scripts,
    })
}

/// The first file that can be read and says anything; nothing of it is run.
fn read(source: &Source<'_>) -> Option<Project> {
    let text = |file: &str| source.has(file).then(|| source.text(file)).flatten();
    let toml = || text("pyproject.toml").and_then(|text| from_toml(&text));
    let cfg = || text("setup.cfg").map(|text| from_cfg(&text));
    let setup = || text("setup.py").map(|text| from_setup(&text));
    let mut found = [toml(), cfg(), setup()].into_iter().flatten();
    let first = found.next()?;
    if first.scripts.is_empty() {
        return Some(found.find(|project| !project.scripts.is_empty()).unwrap_or(first));
    }
    Some(first)
}

fn from_toml(text: &str) -> Option<Project> {
    let toml: toml::Table = text.parse().ok()?;
    let tables = [
        toml.get("project"),
        toml.get("tool").and_then(|tool| tool.get("poetry")),
    ];
    let mut project = Project::default();
    for table in tables.into_iter().flatten() {
        let string = |key: &str| table.get(key).and_then(|value| value.as_str()).map(str::to_owned);
        project.name = project.name.or_else(|| string("name"));
        project.description = project.description.or_else(|| string("description"));
        for (command, entry) in table
            .get("scripts")
            .and_then(|scripts| scripts.as_table())
            .into_iter()
            .flatten()
        {
            if let Some(entry) = entry.as_str() {
                project.scripts.insert(command.clone(), entry.to_owned());
            }
        }
    }
    Some(project)
}

/// `name = x` in `[metadata]`, `command = module:function` below `console_scripts =`.
fn from_cfg(text: &str) -> Project {
    let mut project = Project::default();
    let mut inside = false;
    for line in text.lines() {
        let indented = line.starts_with([' ', '\t']);
        let Some((key, value)) = line.split_once('=') else {
            inside &= indented;
            continue;
        };
        let (key, value) = (key.trim(), value.trim());
        match key {
            "console_scripts" => inside = true,
            _ if inside && indented => drop(project.scripts.insert(key.to_owned(), value.to_owned())),
            "name" => project.name = Some(value.to_owned()),
            "description" => project.description = Some(value.to_owned()),
            _ => inside = false,
        }
    }
    project
}

/// The literals of a `setup(..)` call: what is computed is not known without running it.
fn from_setup(text: &str) -> Project {
    let literal = |key: &str| {
        let after = text.split_once(&format!("{key}="))?.1.trim_start();
        let quote = after.chars().next().filter(|c| *c == '"' || *c == '\'')?;
        Some(after[1..].split(quote).next()?.to_owned())
    };
    let entries = text.split_once("console_scripts").map_or("", |(_, after)| after);
    let entries = entries.split(']').next().unwrap_or_default();
    let strings = entries
        .split(['"', '\''])
        .filter(|text| text.contains(':') && text.contains('='));
    Project {
        name: literal("name"),
        description: literal("description"),
        scripts: strings
            .filter_map(|entry| entry.split_once('='))
            .map(|(command, entry)| (command.trim().to_owned(), entry.trim().to_owned()))
            .collect(),
    }
}

/// The file of `package.module:function`.
fn module(source: &Source<'_>, entry: &str) -> Option<String> {
    let module = entry.split([':', ' ', '[']).next()?.replace('.', "/");
    let places = ["", "src/"]
        .iter()
        .flat_map(|root| [format!("{root}{module}.py"), format!("{root}{module}/__init__.py")]);
    places.into_iter().find(|path| source.has(path))
}
