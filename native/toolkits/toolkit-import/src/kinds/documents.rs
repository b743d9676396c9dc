//! Documents: Markdown files, rules of an editor, notes for agents.

use super::{Parts, stem, unfit};
use crate::kind::is_document;
use crate::slug::slug;
use crate::{Error, Kind, Skill, Source, front_matter, markdown};

/// A document as a skill. Its name is the front matter's, or the file's.
pub(super) fn skill(source: &Source<'_>, path: &str) -> Option<Skill> {
    let text = source.text(path)?;
    let (matter, body) = front_matter::split(&text);
    let document = markdown::convert(body);
    let name = matter.get("name").map_or(stem(path), String::as_str);
    let summary = match matter.get("description") {
        Some(description) => description.clone(),
        None => markdown::first_words(body),
    };
    Some(Skill {
        slug: slug(name, "document"),
        title: document.title.unwrap_or_else(|| name.to_owned()),
        summary,
        body: document.body,
    })
}

pub(super) fn markdown(source: &Source<'_>) -> Result<Parts, Error> {
    let paths: Vec<&str> = match source.only() {
        Some(file) => vec![file],
        None => source.visible().filter(|path| is_document(path)).collect(),
    };
    parts(source, Kind::Markdown, &paths, "there is no Markdown file in it")
}

pub(super) fn cursor_rules(source: &Source<'_>) -> Result<Parts, Error> {
    let is_rule = |path: &&str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name == ".cursorrules" || name.ends_with(".mdc") || path.starts_with(".cursor/rules/") && is_document(path)
    };
    let paths: Vec<&str> = source
        .paths()
        .filter(|path| source.only().is_some() || is_rule(path))
        .collect();
    parts(
        source,
        Kind::CursorRules,
        &paths,
        "there is neither a .cursorrules nor a rule in .cursor/rules",
    )
}

pub(super) fn agents_md(source: &Source<'_>) -> Result<Parts, Error> {
    let is = |path: &&str| {
        path.rsplit('/')
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case("agents.md"))
    };
    let mut paths: Vec<&str> = source
        .visible()
        .filter(|path| source.only().is_some() || is(path))
        .collect();
    // The one at the top speaks for the whole.
    paths.sort_by_key(|path| path.matches('/').count());
    let mut parts = parts(source, Kind::AgentsMd, &paths, "there is no AGENTS.md in it")?;
    for (skill, path) in parts.skills.iter_mut().zip(&paths) {
        if let Some((directory, _)) = path.rsplit_once('/') {
            skill.slug = slug(&format!("{directory}-agents"), "agents");
        }
    }
    Ok(parts)
}

fn parts(source: &Source<'_>, kind: Kind, paths: &[&str], none: &str) -> Result<Parts, Error> {
    let skills: Vec<Skill> = paths.iter().filter_map(|path| skill(source, path)).collect();
    let Some(first) = skills.first() else {
        let left = source.skipped().into_iter().next();
        let why = left.map_or_else(|| none.to_owned(), |left| format!("{}: {}", left.file, left.why));
        return Err(unfit(kind, why));
    };
    let single = source.only().map(stem).map(|stem| stem.trim_start_matches('.'));
    Ok(Parts {
        name: single.unwrap_or(source.name()).to_owned(),
        title: (skills.len() == 1).then(|| first.title.clone()),
        tagline: first.summary.clone(),
        skills,
        ..Parts::default()
    })
}
