//! One file for each kind: a source in, the parts of a toolkit out.

mod documents;
mod folder;
pub(crate) mod mcp;
mod mcp_words;
pub(crate) mod npm;
pub(crate) mod openapi;
pub(crate) mod pip;
mod skill;

use crate::slug::slug;
use crate::{Error, Kind, Skill, Source, Toolkit, org};
use std::collections::BTreeMap;

/// What a kind makes of a source.
#[derive(Default)]
pub(crate) struct Parts {
    /// What the id is made of.
    pub name: String,
    pub title: Option<String>,
    pub tagline: String,
    pub skills: Vec<Skill>,
    pub scripts: BTreeMap<String, Vec<u8>>,
}

/// Makes a toolkit of a source: files in, files out. The id is taken from the source unless it is given.
pub fn scaffold(kind: Kind, source: &Source<'_>, id: Option<&str>) -> Result<Toolkit, Error> {
    let parts = match kind {
        Kind::ClaudeSkill => skill::parts(source),
        Kind::Markdown => documents::markdown(source),
        Kind::CursorRules => documents::cursor_rules(source),
        Kind::AgentsMd => documents::agents_md(source),
        Kind::Folder => folder::parts(source),
        Kind::McpServer => mcp::parts(source),
        Kind::OpenApi => openapi::parts(source),
        Kind::NpmCli => npm::parts(source),
        Kind::PipCli => pip::parts(source),
    }?;
    let id = id.map_or_else(|| slug(&parts.name, "toolkit"), str::to_owned);
    let title = parts.title.filter(|title| !title.is_empty()).unwrap_or(parts.name);
    let title = match org::line(&title) {
        title if title.is_empty() => id.clone(),
        title => title,
    };
    let tagline = match org::short(&parts.tagline) {
        tagline if tagline.is_empty() => format!("{title}, imported."),
        tagline => tagline,
    };
    let about = match org::line(&parts.tagline) {
        about if about.is_empty() => tagline.clone(),
        about => about,
    };
    Ok(Toolkit {
        id,
        title,
        tagline,
        about,
        kind,
        from: org::line(source.name()),
        skills: Toolkit::named(parts.skills),
        scripts: parts.scripts,
        skipped: source.skipped(),
    })
}

/// The name of a path without its directories and its last extension.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

pub(crate) fn unfit(kind: Kind, why: impl Into<String>) -> Error {
    Error::Unfit { kind, why: why.into() }
}

/// Reads a file as JSON.
pub(crate) fn json(source: &Source<'_>, file: &str) -> Result<serde_json::Value, Error> {
    let unread = || Error::TooLarge(format!("`{file}` cannot be read, or is larger than 16 MiB"));
    let bytes = source.bytes(file).ok_or_else(unread)?;
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    serde_json::from_slice(bytes).map_err(|why| Error::NotJson {
        file: file.to_owned(),
        // The message of the parser names a place and what it wanted, never what stands there.
        why: format!("line {}, column {}", why.line(), why.column()),
    })
}
