//! What a source is.

use crate::kinds::{mcp, npm, openapi, pip};
use crate::{Error, Source};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// A kind of tool that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A directory with a SKILL.md.
    ClaudeSkill,
    /// A Markdown file, or a directory of them.
    Markdown,
    /// A directory with documents and scripts in any order.
    Folder,
    /// The configuration of MCP servers.
    McpServer,
    /// The description of an HTTP interface, in JSON.
    #[serde(rename = "openapi")]
    OpenApi,
    /// A package with a package.json that has bins.
    NpmCli,
    /// A Python project with console scripts.
    PipCli,
    /// `.cursorrules`, or the rules in `.cursor/rules`.
    CursorRules,
    /// AGENTS.md files.
    AgentsMd,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 9] = [
        Kind::ClaudeSkill,
        Kind::Markdown,
        Kind::Folder,
        Kind::McpServer,
        Kind::OpenApi,
        Kind::NpmCli,
        Kind::PipCli,
        Kind::CursorRules,
        Kind::AgentsMd,
    ];

    /// The name that `--as` takes.
    pub fn name(self) -> &'static str {
        match self {
            Kind::ClaudeSkill => "claude-skill",
            Kind::Markdown => "markdown",
            Kind::Folder => "folder",
            Kind::McpServer => "mcp-server",
            Kind::OpenApi => "openapi",
            Kind::NpmCli => "npm-cli",
            Kind::PipCli => "pip-cli",
            Kind::CursorRules => "cursor-rules",
            Kind::AgentsMd => "agents-md",
        }
    }

    /// What a source looks like; nothing when it looks like nothing.
    pub fn detect(source: &Source) -> Option<Kind> {
        match source.only() {
            Some(file) => Kind::of_file(source, file),
            None => Some(Kind::of_directory(source)),
        }
    }

    fn of_file(source: &Source, file: &str) -> Option<Kind> {
        let lower = file.to_ascii_lowercase();
        match lower.rsplit_once('.').map_or("", |(_, extension)| extension) {
            _ if lower == "skill.md" => Some(Kind::ClaudeSkill),
            _ if lower == "agents.md" => Some(Kind::AgentsMd),
            _ if lower == "package.json" => Some(Kind::NpmCli),
            _ if pip::PROJECT_FILES.contains(&lower.as_str()) => Some(Kind::PipCli),
            "cursorrules" | "mdc" => Some(Kind::CursorRules),
            "md" | "markdown" => Some(Kind::Markdown),
            "json" if mcp::is_config(source, file) => Some(Kind::McpServer),
            "json" if openapi::is_description(source, file) => Some(Kind::OpenApi),
            _ => None,
        }
    }

    fn of_directory(source: &Source) -> Kind {
        let has = |file: &str| source.has(file);
        match () {
            () if has("SKILL.md") || has("skill.md") => Kind::ClaudeSkill,
            () if npm::has_bins(source) => Kind::NpmCli,
            () if pip::has_scripts(source) => Kind::PipCli,
            () if mcp::config(source).is_some() => Kind::McpServer,
            () if openapi::description(source).is_some() => Kind::OpenApi,
            () if has(".cursorrules") || source.below(".cursor/rules/").next().is_some() => Kind::CursorRules,
            () if has("AGENTS.md") => Kind::AgentsMd,
            () if source.visible().next().is_some() && source.visible().all(is_document) => Kind::Markdown,
            () => Kind::Folder,
        }
    }
}

pub(crate) fn is_document(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    lower.ends_with(".md") || lower.ends_with(".markdown")
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        kind.ok_or_else(|| Error::UnknownKind(name.to_owned()))
    }
}
