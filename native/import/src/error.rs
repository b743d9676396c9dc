//! Why there is no toolkit: a stable code, a message, and what to do about it.

use crate::Kind;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why an import or an audit gave up.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to import, or no toolkit to audit.
    #[error("there is no {what} `{}`", .path.display())]
    NotFound {
        /// What is missing.
        what: &'static str,
        /// Where.
        path: PathBuf,
    },
    /// The target is there already.
    #[error("`{}` exists already", .0.display())]
    Exists(PathBuf),
    /// Nothing says what the source is.
    #[error("cannot tell what `{0}` is")]
    Undetected(String),
    /// No kind has that name.
    #[error("`{0}` is no kind of import")]
    UnknownKind(String),
    /// The source is not of the kind that was asked for.
    #[error("this is no {kind}: {why}")]
    Unfit {
        /// The kind.
        kind: Kind,
        /// What is missing or wrong.
        why: String,
    },
    /// A file that should be JSON is not.
    #[error("`{file}` is not JSON: {why}")]
    NotJson {
        /// The file.
        file: String,
        /// Where it stops being JSON.
        why: String,
    },
    /// The text is not UTF-8.
    #[error("`{0}` is not UTF-8")]
    NotUtf8(String),
    /// There is more of it than is taken.
    #[error("{0}")]
    TooLarge(String),
    /// The name of the directory cannot be the id of a toolkit.
    #[error("`{0}` cannot be the id of a toolkit")]
    BadId(String),
    /// A part of the toolkit is a link that leads out of it.
    #[error("`{0}` is a link that leads out of the toolkit")]
    LeadsOut(String),
    /// Somebody else kept changing the manifest.
    #[error("the manifest changes faster than it can be audited")]
    Conflict,
    /// The machine refused.
    #[error("cannot {doing} `{}`: {cause}", .path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the machine said.
        cause: io::Error,
    },
}

impl Error {
    /// The stable name of this failure.
    ///
    /// ```
    /// assert_eq!(import::Error::Exists("demo".into()).code(), "exists");
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            Error::NotFound { .. } => "not_found",
            Error::Exists(_) => "exists",
            Error::Undetected(_) | Error::UnknownKind(_) | Error::Unfit { .. } | Error::BadId(_) => "bad_option",
            Error::NotJson { .. } => "not_json",
            Error::NotUtf8(_) => "not_utf8",
            Error::TooLarge(_) => "too_large",
            Error::LeadsOut(_) => "invalid_path",
            Error::Conflict => "conflict",
            Error::Io { cause, .. } if cause.kind() == io::ErrorKind::StorageFull => "disk_full",
            Error::Io { .. } => "io",
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Error::NotFound { .. } => "check the path; an import reads local files only".to_owned(),
            Error::Exists(_) => "name another directory with -o, or move that one away".to_owned(),
            Error::Undetected(_) | Error::UnknownKind(_) => {
                let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
                format!("say it with --as: {}", kinds.join(", "))
            }
            Error::Unfit { .. } => "leave --as out to have it detected, or name another kind".to_owned(),
            Error::NotJson { .. } => "correct it; comments are no JSON, and neither is YAML".to_owned(),
            Error::NotUtf8(_) => "save it as UTF-8".to_owned(),
            Error::TooLarge(_) => "import a smaller part of it".to_owned(),
            Error::BadId(_) => "use letters, digits, dots, dashes and underscores".to_owned(),
            Error::LeadsOut(_) => "put the file itself in its place".to_owned(),
            Error::Conflict => "try again when nobody else writes it".to_owned(),
            Error::Io { .. } => "check the path, its permissions and the room left".to_owned(),
        }
    }

    pub(crate) fn io(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> Error + use<> {
        let path = path.to_owned();
        move |cause| Error::Io {
            doing,
            path: path.clone(),
            cause,
        }
    }
}
