//! Why there is no answer: a stable code, a message, and what to do about it.

use failure::codes::{FILE_REFUSED, INVALID_NAME, IO, NOT_GRANTED};
use failure::{Code, fails};
use std::io;
use thiserror::Error;

/// Why a toolkit gave no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no directory of toolkits.
    #[error("there is no directory of toolkits: neither WB_TOOLKITS_ROOT nor `toolkits` nor `../toolkits` is one")]
    NoRoot,
    /// No toolkit has that name.
    #[error("there is no toolkit `{0}`")]
    NotFound(String),
    /// The toolkit has no such skill.
    #[error("`{toolkit}` has no skill `{skill}`")]
    NoSkill {
        /// The toolkit.
        toolkit: String,
        /// The skill that was asked for.
        skill: String,
    },
    /// The toolkit has no such recipe.
    #[error("`{toolkit}` has no task `{task}`; it has {known}")]
    NoTask {
        /// The toolkit.
        toolkit: String,
        /// The task that was asked for.
        task: String,
        /// Those that are there.
        known: String,
    },
    /// A name that cannot be one.
    #[error("`{0}` is not a name: use letters, digits, `.`, `_` and `-`")]
    BadName(String),
    /// A file leads out of its toolkit, or is something else than a file.
    #[error("`{path}` is refused: {why}")]
    Refused {
        /// Which one.
        path: String,
        /// Why.
        why: String,
    },
    /// The manifest does not hold what is needed.
    #[error("manifest.org: {}", problems(.0))]
    Invalid(Vec<crate::Problem>),
    /// The kernel refused the text.
    #[error("{path}: {error}")]
    Org {
        /// Which file.
        path: String,
        /// What the kernel said.
        error: oql::Error,
    },
    /// Somebody else is the author.
    #[error("the author is {author}, and the key at hand is {signer}")]
    NotTheAuthor {
        /// Who the manifest names.
        author: String,
        /// Who would sign.
        signer: String,
    },
    /// A stranger's toolkit whose signature does not hold.
    #[error("`{toolkit}` is third-party and its signature does not hold: {why}")]
    NotSigned {
        /// The toolkit.
        toolkit: String,
        /// What is wrong with it.
        why: String,
    },
    /// A stranger's toolkit that nobody allowed what it needs.
    #[error("`{toolkit}` is third-party and nobody has granted it: {}", .missing.join(" "))]
    NotGranted {
        /// The toolkit.
        toolkit: String,
        /// The capabilities that are not granted.
        missing: Vec<String>,
    },
    /// A record that this program does not know.
    #[error("{path}: {why}")]
    Record {
        /// Which file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// The answer of a source does not hold what was declared.
    #[error("the source's answer cannot be used: {0}")]
    Rows(String),
    /// The machine refused.
    #[error("cannot {what} `{path}`: {source}")]
    Io {
        /// What was to be done.
        what: &'static str,
        /// With which file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

fn problems(all: &[crate::Problem]) -> String {
    let lines: Vec<String> = all.iter().map(ToString::to_string).collect();
    lines.join("; ")
}

fails! {
    Error {
        Error::NoRoot => Code::not_found("no_toolkits", "there is no directory of toolkits"),
            "make a directory `toolkits`, or set WB_TOOLKITS_ROOT";
        Error::NotFound(_) => Code::not_found("unknown_toolkit", "no toolkit has that name"),
            "`wbx toolkit list` shows those that are there";
        Error::NoSkill { .. } => Code::not_found("unknown_skill", "the toolkit has no such skill"),
            "`wbx toolkit show ID` lists its skills";
        Error::NoTask { .. } => Code::not_found("unknown_recipe", "the toolkit has no such task"),
            "name one of its tasks";
        Error::BadName(_) => INVALID_NAME, "choose another name";
        Error::Refused { .. } => FILE_REFUSED,
            "a toolkit holds plain files of bounded size, and nothing that leads out of it";
        Error::Invalid(_) => Code::verification("invalid_manifest", "the manifest of a toolkit does not hold what is needed"),
            "mend the manifest; `wbx toolkit verify ID` lists every problem";
        Error::Org { .. } => Code::verification("unreadable_org", "the kernel refused a file of a toolkit"),
            "mend the file";
        Error::NotTheAuthor { .. } => Code::auth("not_the_author", "somebody else is the author of the toolkit"),
            "sign with the author's key, or put your own did:key into #+AUTHOR_DID:";
        Error::NotSigned { .. } => Code::verification("bad_signature", "the signature does not hold"),
            "get it from its author again; `wbx toolkit verify ID` names what was changed";
        Error::NotGranted { .. } => NOT_GRANTED, "read what it does, then grant it: --grant \"CAPS\"";
        Error::Record { .. } => Code::verification("bad_record", "a record of grants or of trust cannot be read"),
            "use the version of Workbooks that wrote it, or remove it";
        Error::Rows(_) => Code::verification("bad_rows", "a source of rows gave none"), "check #+URL: and #+ROWS_PATH:";
        Error::Io { .. } => IO, "check the path and its permissions";
    }
    details facts
}

/// What nobody has granted.
fn facts(error: &Error) -> Option<serde_json::Value> {
    match error {
        Error::NotGranted { missing, .. } => Some(serde_json::json!({"missing": missing})),
        _ => None,
    }
}

impl Error {
    pub(crate) fn io(what: &'static str, path: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { what, path, source }
    }

    pub(crate) fn refused(path: impl Into<String>, why: impl Into<String>) -> Error {
        Error::Refused {
            path: path.into(),
            why: why.into(),
        }
    }
}
