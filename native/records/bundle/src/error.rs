//! Why there is no bundle: a stable code, a message, and what to do about it.

use failure::codes::{BAD_OPTION, EXISTS, IO, NOT_A_FILE, NOT_FOUND, NOT_UTF8, UNKNOWN_VERSION};
use failure::{Code, fails};
use oql::Diagnostic;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a bundle cannot be made, opened or unpacked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The plan has diagnostics. The message ends with them, as JSON.
    #[error("source has diagnostics — fix them first (wbx lint)\n{}", json(.0))]
    Diagnostics(Vec<Diagnostic>),
    /// The plan cannot be read at all.
    #[error("{}", .0.message)]
    Plan(oql::Error),
    /// The plan is not text.
    #[error("`{}` is not UTF-8", .0.display())]
    NotUtf8(PathBuf),
    /// There is nothing at the path.
    #[error("there is no `{}`", .0.display())]
    NotFound(PathBuf),
    /// There is no bundle at the path.
    #[error("there is no `{}`", .0.display())]
    NoBundle(PathBuf),
    /// What stands there cannot go into a bundle.
    #[error("`{path}` cannot be bundled: {why}")]
    Unbundleable {
        /// The path, below the workbook's directory.
        path: String,
        /// Why not.
        why: &'static str,
    },
    /// The disk refused.
    #[error("the disk: {0}")]
    Disk(#[from] vfs::Error),
    /// The id or the time cannot be used.
    #[error("{0}")]
    BadOption(String),
    /// The bytes are not a bundle.
    #[error("this is not a bundle: {0}")]
    NotABundle(String),
    /// The bundle was made by a program with another format.
    #[error("the bundle has the format `{found}`, and this program knows `{}`", crate::FORMAT)]
    UnknownFormat {
        /// The format in the manifest.
        found: String,
    },
    /// An entry that would do harm.
    #[error("the bundle holds an unsafe entry `{name}`: {why}")]
    UnsafeEntry {
        /// Its name, made printable.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// More than a bundle may have.
    #[error("the bundle is too large: {0}")]
    TooLarge(String),
    /// A file is not what the manifest says.
    #[error("the bundle was changed: {0}")]
    Changed(String),
    /// The place to unpack to is taken.
    #[error("`{}` is there already, and is not an empty directory", .0.display())]
    Exists(PathBuf),
    /// The machine refused.
    #[error("cannot {doing} `{}`: {error}", .path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// What the machine said.
        error: io::Error,
    },
}

fails! {
    Error {
        Error::Diagnostics(_) => Code::verification("diagnostics", "the plan has diagnostics; `details` has them"),
            "run `wbx lint` on the plan";
        Error::NotUtf8(_) => NOT_UTF8, "save the plan as UTF-8";
        Error::NotFound(_) => NOT_FOUND, "name a plan, or a directory with a workbook.org";
        Error::NoBundle(_) => NOT_FOUND, "name a bundle: a file that `wbx bundle` wrote";
        Error::Unbundleable { .. } => NOT_A_FILE, "artifacts are plain files with UTF-8 names";
        Error::BadOption(_) => BAD_OPTION, "an id is letters, digits, `-`, `_` and `.`";
        Error::NotABundle(_) => Code::verification("not_a_bundle", "the file is not a bundle"),
            "take a file that `wbx bundle` wrote";
        Error::UnknownFormat { .. } => UNKNOWN_VERSION, "use the version of Workbooks that wrote it";
        Error::UnsafeEntry { .. } => Code::verification("unsafe_entry", "unpacking the bundle would do harm"),
            "do not use it; ask whoever made it for another";
        Error::Changed(_) => Code::verification("changed", "the bundle is not what its manifest says"),
            "do not use it; ask whoever made it for another";
        Error::TooLarge(_) => Code::verification("bundle_too_large", "a bundle, or what it holds, is larger than is taken"),
            "keep large data out of the workbook";
        Error::Exists(_) => EXISTS, "choose another directory";
        Error::Io { .. } => IO, "check the path and its permissions";
    }
    of {
        Error::Plan(error) => error: oql::Error;
        Error::Disk(error) => error: vfs::Error;
    }
    details facts
}

/// The diagnostics of a plan that is not bundled.
fn facts(error: &Error) -> Option<serde_json::Value> {
    match error {
        Error::Diagnostics(found) => Some(serde_json::json!({"diagnostics": found})),
        _ => None,
    }
}

impl Error {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> Error {
        move |error| match error.kind() {
            io::ErrorKind::NotFound => Error::NotFound(path.to_owned()),
            _ => Error::Io {
                doing,
                path: path.to_owned(),
                error,
            },
        }
    }

    pub(crate) fn too_large(what: String) -> Error {
        Error::TooLarge(what)
    }
}

fn json(diagnostics: &[Diagnostic]) -> String {
    serde_json::to_string(diagnostics).expect("diagnostics are plain data")
}
