//! Skills: recipes that are read on demand.

use crate::{Error, Toolkit, place};
use serde::Serialize;

/// A skill as the index shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Skill {
    /// The name to ask for it by.
    pub slug: String,
    /// Its `#+TITLE:`, or its first headline.
    pub title: Option<String>,
}

/// Whether a text may name a skill: `^[A-Za-z0-9._-]+$`, and no way up.
///
/// ```
/// assert!(toolkit::is_slug("pull-requests"));
/// assert!(!toolkit::is_slug("../manifest") && !toolkit::is_slug("..") && !toolkit::is_slug("a/b"));
/// ```
pub fn is_slug(text: &str) -> bool {
    place::is_name(text) && text.is_ascii()
}

impl Toolkit {
    /// The skills by name, `overview` first.
    pub fn skills(&self) -> Result<Vec<Skill>, Error> {
        let mut slugs: Vec<String> = self.slugs()?;
        slugs.sort_by_key(|slug| (slug != "overview", slug.clone()));
        Ok(slugs
            .into_iter()
            .map(|slug| Skill {
                title: self.skill(&slug).ok().and_then(|text| title(&text)),
                slug,
            })
            .collect())
    }

    /// The text of a skill. The slug resolves inside the directory of skills and nowhere else.
    ///
    /// # Errors
    ///
    /// [`Error::BadName`] for what is no slug, [`Error::NoSkill`] for one that is not there, [`Error::Refused`] for a
    /// link, a file that is too large or one that is no text.
    pub fn skill(&self, slug: &str) -> Result<String, Error> {
        if !is_slug(slug) {
            return Err(Error::BadName(slug.to_owned()));
        }
        let slug = slug.strip_suffix(".org").unwrap_or(slug);
        let path = format!("{}/{slug}.org", self.skill_dir());
        if !self.tree().exists(&path) {
            return Err(Error::NoSkill {
                toolkit: self.id().to_owned(),
                skill: slug.to_owned(),
            });
        }
        self.tree().text(&path)
    }

    pub(crate) fn slugs(&self) -> Result<Vec<String>, Error> {
        let names = self.tree().files_in(self.skill_dir())?;
        let slugs = names.iter().filter_map(|name| name.strip_suffix(".org"));
        Ok(slugs.filter(|slug| is_slug(slug)).map(str::to_owned).collect())
    }
}

fn title(text: &str) -> Option<String> {
    let keywords = oql::file_keywords(text).ok()?;
    let named = keywords.into_iter().find(|k| k.key == "TITLE" && !k.value.is_empty());
    named
        .map(|keyword| keyword.value)
        .or_else(|| Some(oql::parse_headlines(text).ok()?.first()?.title.clone()))
}
