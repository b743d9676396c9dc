//! A command of an npm package: its bins are carried, its README is a skill.

use super::{Parts, documents, json, unfit};
use crate::slug::slug;
use crate::{Error, Kind, Skill, Source};
use serde_json::Value;
use std::collections::BTreeMap;

const PACKAGE: &str = "package.json";

pub(crate) fn has_bins(source: &Source<'_>) -> bool {
    source.has(PACKAGE) && json(source, PACKAGE).is_ok_and(|package| !bins(&package, "").is_empty())
}

pub(super) fn parts(source: &Source<'_>) -> Result<Parts, Error> {
    if !source.has(PACKAGE) {
        return Err(unfit(Kind::NpmCli, "there is no package.json in it"));
    }
    let package = json(source, PACKAGE)?;
    let name = package["name"].as_str().unwrap_or(source.name()).to_owned();
    let bins = bins(&package, &name);
    if bins.is_empty() {
        return Err(unfit(Kind::NpmCli, "its package.json has no bin"));
    }
    let mut scripts = BTreeMap::new();
    for (command, path) in &bins {
        match source.bytes(path) {
            Some(bytes) => {
                let file = match path.rsplit('/').next().and_then(|file| file.rsplit_once('.')) {
                    Some((_, extension)) => format!("{}.{}", slug(command, "bin"), slug(extension, "js")),
                    None => slug(command, "bin"),
                };
                scripts.insert(file, bytes);
            }
            None if !source.has(path) => {
                let _: Option<()> = source.skip(path, "package.json names it, and it is not there");
            }
            None => {}
        }
    }
    let description = package["description"].as_str().unwrap_or_default();
    let mut skills = vec![Skill {
        slug: slug(&name, "command"),
        title: name.clone(),
        summary: description.to_owned(),
        body: usage(&name, &package, &bins),
    }];
    skills.extend(readme(source).and_then(|path| documents::skill(source, path)));
    Ok(Parts {
        tagline: description.to_owned(),
        title: Some(name.clone()),
        name,
        skills,
        scripts,
    })
}

/// Commands and their files. A single bin is named for its package.
fn bins(package: &Value, name: &str) -> Vec<(String, String)> {
    let tidy = |path: &str| path.trim_start_matches("./").to_owned();
    match &package["bin"] {
        Value::String(path) => {
            let command = name.rsplit('/').next().unwrap_or(name);
            vec![(command.to_owned(), tidy(path))]
        }
        Value::Object(bins) => bins
            .iter()
            .filter_map(|(command, path)| Some((command.clone(), tidy(path.as_str()?))))
            .collect(),
        _ => Vec::new(),
    }
}

pub(super) fn readme<'a>(source: &'a Source<'_>) -> Option<&'a str> {
    source.paths().find(|path| path.eq_ignore_ascii_case("readme.md"))
}

fn usage(name: &str, package: &Value, bins: &[(String, String)]) -> String {
    let mut text = format!("The npm package ={}=", crate::org::line(name).replace('=', ""));
    if let Some(version) = package["version"].as_str() {
        text += &format!(", version {}", crate::org::line(version));
    }
    text += ".\n\n** Commands\n\n";
    for (command, path) in bins {
        text += &format!(
            "- ={}= :: from {}\n",
            crate::org::line(command).replace('=', ""),
            crate::org::line(path)
        );
    }
    let dependencies: Vec<&String> = package["dependencies"]
        .as_object()
        .into_iter()
        .flat_map(|map| map.keys())
        .collect();
    if !dependencies.is_empty() {
        text += "\n** Dependencies\n\nThey are resolved and bundled at build time.\n\n";
        for name in dependencies {
            text += &format!("- {}\n", crate::org::line(name));
        }
    }
    text
}
