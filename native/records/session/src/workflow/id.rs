//! Names of workflows: `namespace.name`.

use serde::{Deserialize, Serialize};

use super::CompileError;

/// Where a workflow's source came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// Shipped with the program. The only kind that may use `wr.*`.
    Bundled,
    /// The user's own directory.
    User,
    /// The project's directory.
    #[default]
    Project,
    /// A repository elsewhere.
    Remote,
    /// A plug-in.
    Plugin,
}

/// How a workflow is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IdStatus {
    /// `namespace.name`.
    Namespaced,
    /// No dot: it loads, and this is what to call it.
    Legacy(String),
}

/// A name that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowId {
    /// As written.
    pub text: String,
    /// Whether it has a namespace.
    pub status: IdStatus,
}

impl WorkflowId {
    /// Reads a name for a source of this kind.
    pub fn read(text: &str, kind: SourceKind) -> Result<Self, CompileError> {
        let status = match text.split_once('.') {
            Some((space, name)) if segment(space) && segment(name) => {
                if space == "wr" && kind != SourceKind::Bundled {
                    return Err(CompileError::new(
                        format!("the id `{text}` is reserved: wr.* belongs to bundled workflows"),
                        format!("call it {}.{name}", namespace(kind)),
                    ));
                }
                IdStatus::Namespaced
            }
            None if legacy(text) => IdStatus::Legacy(suggest(text, kind)),
            _ => {
                return Err(CompileError::new(
                    format!("`{}` is not a workflow id", crate::text::clip(text, 64)),
                    "an id is namespace.name with one dot; each part starts with a-z and goes on with a-z, 0-9, _ and -",
                ));
            }
        };
        Ok(WorkflowId {
            text: text.to_owned(),
            status,
        })
    }
}

fn segment(text: &str) -> bool {
    text.len() <= 64 && text.starts_with(|c: char| c.is_ascii_lowercase()) && step(text)
}

fn legacy(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    (1..=64).contains(&text.len()) && text.bytes().all(allowed)
}

/// Whether this may name a step or a loop.
pub(crate) fn step(text: &str) -> bool {
    let allowed = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    (1..=64).contains(&text.len()) && text.bytes().all(allowed)
}

const fn namespace(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Bundled => "wb",
        SourceKind::User => "user",
        SourceKind::Project => "project",
        SourceKind::Remote | SourceKind::Plugin => "repo",
    }
}

fn suggest(legacy: &str, kind: SourceKind) -> String {
    let name = legacy.to_ascii_lowercase().replace('-', "_");
    let name = if name.starts_with(|c: char| c.is_ascii_lowercase()) {
        name
    } else {
        format!("w{name}")
    };
    format!("{}.{name}", namespace(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_exactly_one_dot_and_plain_segments() {
        for good in ["project.bug", "a.b", "team-x.release_2"] {
            assert_eq!(
                WorkflowId::read(good, SourceKind::Project).unwrap().status,
                IdStatus::Namespaced,
                "{good}"
            );
        }
        for bad in [
            "", ".", "a.", ".b", "a.b.c", "A.b", "1a.b", "a.1b", "a b.c", "a.b\n", "\u{e4}.b",
        ] {
            assert!(WorkflowId::read(bad, SourceKind::Project).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_reserved_namespace_is_for_bundled_sources() {
        assert!(WorkflowId::read("wr.bug", SourceKind::Bundled).is_ok());
        for kind in [
            SourceKind::User,
            SourceKind::Project,
            SourceKind::Remote,
            SourceKind::Plugin,
        ] {
            assert!(WorkflowId::read("wr.bug", kind).is_err());
        }
    }

    #[test]
    fn a_legacy_id_is_renamed_the_same_way_every_time() {
        let suggested = |id, kind| WorkflowId::read(id, kind).unwrap().status;
        assert_eq!(
            suggested("Bug-Hunt", SourceKind::User),
            IdStatus::Legacy("user.bug_hunt".into())
        );
        assert_eq!(
            suggested("bug", SourceKind::Project),
            IdStatus::Legacy("project.bug".into())
        );
        assert_eq!(
            suggested("2fa", SourceKind::Remote),
            IdStatus::Legacy("repo.w2fa".into())
        );
    }
}
