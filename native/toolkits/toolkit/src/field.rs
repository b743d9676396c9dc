//! The fields of a manifest, each with what it may be.

use crate::{BuildSrc, Shape, place};
use serde::Serialize;
use std::fmt;

/// The languages that a build may be declared in. Which of them have a lane is another question.
pub const LANGS: [&str; 8] = ["rust", "zig", "c", "go", "js", "ts", "svelte", "python"];

/// The longest value of a field, in bytes.
const MAX_VALUE: usize = 4_096;

/// A field that does not hold, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Problem {
    /// The line of `manifest.org`, from 1; none when something is missing.
    pub line: Option<usize>,
    /// The field.
    pub field: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}: {}", self.field, self.message),
            None => write!(f, "{}: {}", self.field, self.message),
        }
    }
}

/// How ripe a toolkit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs)]
pub enum Status {
    Stable,
    Experimental,
    Deprecated,
}

/// Whose toolkit it is. This changes who has to consent, never what is enforced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// The deployer's own.
    #[default]
    FirstParty,
    /// A stranger's: signed, and granted what it needs, or it does not build, install or run.
    ThirdParty,
}

pub(crate) fn text(value: &str) -> Result<String, String> {
    match value {
        "" => Err("it is empty".into()),
        _ if value.len() > MAX_VALUE => Err(format!("it is longer than {MAX_VALUE} bytes")),
        _ if value.chars().any(char::is_control) => Err("it holds a control character".into()),
        _ => Ok(value.to_owned()),
    }
}

pub(crate) fn version(value: &str) -> Result<String, String> {
    match semver::Version::parse(value) {
        Ok(_) => Ok(value.to_owned()),
        Err(why) => Err(format!("`{value}` is not a semantic version: {why}")),
    }
}

pub(crate) fn status(value: &str) -> Result<Status, String> {
    match value {
        "stable" => Ok(Status::Stable),
        "experimental" => Ok(Status::Experimental),
        "deprecated" => Ok(Status::Deprecated),
        _ => Err(format!("`{value}` is none of stable, experimental, deprecated")),
    }
}

pub(crate) fn trust(value: &str) -> Result<Trust, String> {
    match value {
        "first-party" => Ok(Trust::FirstParty),
        "third-party" => Ok(Trust::ThirdParty),
        _ => Err(format!("`{value}` is neither first-party nor third-party")),
    }
}

pub(crate) fn slug(value: &str) -> Result<String, String> {
    match place::is_name(value) {
        true => Ok(value.to_owned()),
        false => Err(format!(
            "`{value}` is not a slug: letters, digits, `.`, `_` and `-`, no white space"
        )),
    }
}

pub(crate) fn exec(value: &str) -> Result<Shape, String> {
    Shape::named(value).ok_or_else(|| format!("unknown mode \"{value}\""))
}

pub(crate) fn lang(value: &str) -> Result<String, String> {
    match LANGS.contains(&value) {
        true => Ok(value.to_owned()),
        false => Err(format!("`{value}` is none of {}", LANGS.join(" "))),
    }
}

pub(crate) fn build_src(value: &str) -> Result<BuildSrc, String> {
    BuildSrc::read(value)
}

/// As `host` and `Workbooks.CommandRegistry` have it.
pub(crate) fn command(value: &str) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    match !value.is_empty() && value.len() <= 255 && value.bytes().all(fits) {
        true => Ok(value.to_owned()),
        false => Err(format!(
            "`{value}` is not the name of a command: letters, digits, `_`, `.` and `-`"
        )),
    }
}

pub(crate) fn caps(value: &str) -> Result<Vec<String>, String> {
    let mut caps: Vec<String> = Vec::new();
    for word in value.split_whitespace() {
        let fits = word
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if !fits {
            return Err(format!("`{word}` is not the name of a capability"));
        }
        if caps.iter().any(|cap| cap == word) {
            return Err(format!("`{word}` stands there twice"));
        }
        caps.push(word.to_owned());
    }
    Ok(caps)
}

pub(crate) fn sha256(value: &str) -> Result<String, String> {
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    match value.len() == 64 && value.bytes().all(hex) {
        true => Ok(value.to_owned()),
        false => Err("it is not a SHA-256: 64 hexadecimal digits in lower case".into()),
    }
}

pub(crate) fn inside(value: &str) -> Result<String, String> {
    match place::is_inside(value) {
        true => Ok(value.to_owned()),
        false => Err(format!("`{value}` is not a path below the toolkit")),
    }
}

pub(crate) fn did(value: &str) -> Result<String, String> {
    match ledger::is_did(value) {
        true => Ok(value.to_owned()),
        false => Err(format!("`{value}` is not a did:key of an Ed25519 key")),
    }
}

pub(crate) fn world(value: &str) -> Result<String, String> {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    match value.starts_with(|c: char| c.is_ascii_lowercase()) && value.bytes().all(fits) {
        true => Ok(value.to_owned()),
        false => Err(format!("`{value}` is not the name of a world")),
    }
}

/// `>=1.6 <2`, `1.x || 2.x`.
pub(crate) fn range(value: &str) -> Result<String, String> {
    if value.is_empty() {
        return Err("it is empty".into());
    }
    for choice in value.split("||") {
        let parts: Vec<&str> = choice.split([' ', ',']).filter(|part| !part.is_empty()).collect();
        if let Err(why) = semver::VersionReq::parse(&parts.join(",")) {
            return Err(format!("`{value}` is not a range of versions: {why}"));
        }
    }
    Ok(value.to_owned())
}

/// `node>=20 jq`.
pub(crate) fn requires(value: &str) -> Result<Vec<String>, String> {
    let words = value.split_whitespace();
    words
        .map(|word| {
            let end = word.find(['<', '>', '=', '^', '~', '@']).unwrap_or(word.len());
            let (name, version) = word.split_at(end);
            command(name)?;
            if !version.is_empty() {
                range(version.trim_start_matches('@'))
                    .map_err(|_| format!("`{word}`: `{version}` is not a version"))?;
            }
            Ok(word.to_owned())
        })
        .collect()
}

pub(crate) fn env_keys(value: &str) -> Result<Vec<String>, String> {
    let words = value.split_whitespace();
    words
        .map(|word| {
            let fits = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
            match !word.starts_with(|c: char| c.is_ascii_digit()) && word.bytes().all(fits) {
                true => Ok(word.to_owned()),
                false => Err(format!("`{word}` is not the name of an environment variable")),
            }
        })
        .collect()
}
