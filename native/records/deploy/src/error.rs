//! Why there is no answer: a stable code, a message, and what to do about it.

use crate::FORMAT;
use failure::codes::{BAD_OPTION, CONFLICT, CORRUPT, DISK_FULL, IO, NOT_FOUND, UNKNOWN_VERSION};
use failure::fails;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why the store gave no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// Somebody else changes the workbook at this moment.
    #[error("somebody else deploys this workbook at this moment")]
    Conflict,
    /// An id becomes the name of a directory.
    #[error("`{0}` is not the id of a workbook")]
    BadId(String),
    /// Nothing was ever deployed as this.
    #[error("nothing is deployed as `{0}`")]
    NotLive(String),
    /// Nothing was ever deployed here.
    #[error("nothing is deployed")]
    NothingDeployed,
    /// There is no such version.
    #[error("there is no version {0}")]
    NoVersion(u64),
    /// The live version has none before it.
    #[error("version {0} is the first, and there is none to go back to")]
    First(u64),
    /// An artifact's name becomes the name of a file.
    #[error("`{0}` cannot be the name of an artifact")]
    BadName(String),
    /// There is nothing to commit.
    #[error("no version is staged")]
    NotStaged,
    /// A rollback gave no disk back yet.
    #[error("the disk of the last rollback is not restored yet")]
    Restoring,
    /// A file was written by a program with another format.
    #[error("`{}` has format {found}, and this program knows {FORMAT}", .path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// The format in it.
        found: u64,
    },
    /// A file is not what was written.
    #[error("`{}` is damaged: {why}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
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
        Error::Conflict => CONFLICT, "wait for it, then look at what is live and deploy again";
        Error::Restoring => CONFLICT, "roll back again: it goes on where it stopped";
        Error::BadId(_) => BAD_OPTION, "use 1 to 128 letters, digits, - and _";
        Error::NotLive(_) | Error::NothingDeployed => NOT_FOUND, "deploy a plan first";
        Error::NoVersion(_) => NOT_FOUND, "see the history";
        Error::First(_) => NOT_FOUND, "deploy another plan instead";
        Error::BadName(_) => BAD_OPTION,
            "use 1 to 128 letters, digits, dots, dashes and underscores, not beginning with a dot";
        Error::NotStaged => BAD_OPTION, "stage a version first";
        Error::UnknownFormat { .. } => UNKNOWN_VERSION, "use the version of Workbooks that wrote it";
        Error::Damaged { .. } => CORRUPT, "restore it from a copy; the other versions are beside it";
        Error::Io { cause, .. } if cause.kind() == io::ErrorKind::StorageFull => DISK_FULL, "make room";
        Error::Io { .. } => IO, "check the path, its permissions and the room left";
    }
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

    pub(crate) fn damaged(path: &Path, why: impl ToString) -> Error {
        Error::Damaged {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }
}
