//! Why there is no toolkit: a stable code, a message, and what to do about it.

use crate::Kind;
use failure::codes::{
    BAD_OPTION, CONFLICT, DISK_FULL, EXISTS, INVALID_PATH, IO, NOT_FOUND, NOT_JSON, NOT_UTF8, TOO_LARGE,
};
use failure::fails;
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

fails! {
    Error {
        Error::NotFound { .. } => NOT_FOUND, "check the path; an import reads local files only";
        Error::Exists(_) => EXISTS, "name another directory with -o, or move that one away";
        Error::Undetected(_) | Error::UnknownKind(_) => BAD_OPTION, kinds();
        Error::Unfit { .. } => BAD_OPTION, "leave --as out to have it detected, or name another kind";
        Error::NotJson { .. } => NOT_JSON, "correct it; comments are no JSON, and neither is YAML";
        Error::NotUtf8(_) => NOT_UTF8, "save it as UTF-8";
        Error::TooLarge(_) => TOO_LARGE, "import a smaller part of it";
        Error::BadId(_) => BAD_OPTION, "use letters, digits, dots, dashes and underscores";
        Error::LeadsOut(_) => INVALID_PATH, "put the file itself in its place";
        Error::Conflict => CONFLICT, "try again when nobody else writes it";
        Error::Io { cause, .. } if cause.kind() == io::ErrorKind::StorageFull => DISK_FULL, "make room";
        Error::Io { .. } => IO, "check the path, its permissions and the room left";
    }
}

fn kinds() -> String {
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    format!("say it with --as: {}", kinds.join(", "))
}

impl Error {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> Error + use<> {
        let path = path.to_owned();
        move |cause| Error::Io {
            doing,
            path: path.clone(),
            cause,
        }
    }
}
