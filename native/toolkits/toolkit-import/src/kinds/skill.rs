//! A Claude skill: SKILL.md with front matter, documents beside it, `scripts/`.

use super::{Parts, documents, folder, unfit};
use crate::kind::is_document;
use crate::{Error, Kind, Source, front_matter};

pub(super) fn parts(source: &Source<'_>) -> Result<Parts, Error> {
    let main = source.paths().find(|path| path.eq_ignore_ascii_case("skill.md"));
    let main = main
        .or(source.only())
        .ok_or_else(|| unfit(Kind::ClaudeSkill, "there is no SKILL.md in it"))?;
    let Some(text) = source.text(main) else {
        return Err(unfit(Kind::ClaudeSkill, "its SKILL.md cannot be read as text"));
    };
    let (matter, _) = front_matter::split(&text);
    let name = matter.get("name").filter(|name| !name.is_empty());
    let name = name.map_or(source.name(), String::as_str).to_owned();
    let others = source
        .visible()
        .filter(|path| *path != main && is_document(path) && !folder::in_scripts(path));
    let documents = std::iter::once(main).chain(others);
    let mut skills: Vec<_> = documents.filter_map(|path| documents::skill(source, path)).collect();
    if let Some(first) = skills.first_mut() {
        first.slug = crate::slug::slug(&name, "skill");
    }
    let scripts = folder::scripts(source);
    folder::leave_the_rest(source, &scripts);
    Ok(Parts {
        title: skills
            .first()
            .map(|skill| skill.title.clone())
            .filter(|title| !title.eq_ignore_ascii_case("skill")),
        tagline: matter
            .get("description")
            .cloned()
            .unwrap_or_else(|| skills.first().map(|s| s.summary.clone()).unwrap_or_default()),
        name,
        skills,
        scripts: scripts.into_iter().map(|(path, (_, bytes))| (path, bytes)).collect(),
    })
}
