//! Why there is no answer: a stable code, a message, and what to do about it.

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

impl Error {
    /// The stable name of this failure.
    ///
    /// ```
    /// assert_eq!(toolkit::Error::NoRoot.code(), "no_toolkits");
    /// ```
    pub const fn code(&self) -> &'static str {
        match self {
            Error::NoRoot => "no_toolkits",
            Error::NotFound(_) => "unknown_toolkit",
            Error::NoSkill { .. } => "unknown_skill",
            Error::NoTask { .. } => "unknown_recipe",
            Error::BadName(_) => "invalid_name",
            Error::Refused { .. } => "file_refused",
            Error::Invalid(_) => "invalid_manifest",
            Error::Org { .. } => "unreadable_org",
            Error::NotTheAuthor { .. } => "not_the_author",
            Error::NotSigned { .. } => "bad_signature",
            Error::NotGranted { .. } => "not_granted",
            Error::Record { .. } => "bad_record",
            Error::Rows(_) => "bad_rows",
            Error::Io { .. } => "io",
        }
    }

    /// What to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Error::NoRoot => "make a directory `toolkits`, or set WB_TOOLKITS_ROOT",
            Error::NotFound(_) => "`wbx toolkit list` shows those that are there",
            Error::NoSkill { .. } => "`wbx toolkit show ID` lists its skills",
            Error::NoTask { .. } => "name one of its tasks",
            Error::BadName(_) => "choose another name",
            Error::Refused { .. } => "a toolkit holds plain files of bounded size, and nothing that leads out of it",
            Error::Invalid(_) => "mend the manifest; `wbx toolkit verify ID` lists every problem",
            Error::Org { .. } => "mend the file",
            Error::NotTheAuthor { .. } => "sign with the author's key, or put your own did:key into #+AUTHOR_DID:",
            Error::NotSigned { .. } => "get it from its author again; `wbx toolkit verify ID` names what was changed",
            Error::NotGranted { .. } => "read what it does, then grant it: --grant \"CAPS\"",
            Error::Record { .. } => "use the version of Workbooks that wrote it, or remove it",
            Error::Rows(_) => "check #+URL: and #+ROWS_PATH:",
            Error::Io { .. } => "check the path and its permissions",
        }
    }

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
