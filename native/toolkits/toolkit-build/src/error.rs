//! Why there is no answer: a stable code, a message, and what to do about it.

use crate::LaneError;
use failure::codes::{
    BAD_OPTION, BUILD_FAILED, CORRUPT, DENIED, IO, LANE_UNAVAILABLE, NOT_FOUND, SQL, TOO_LARGE, UNFIT,
};
use failure::{Code, Fails, fails};
use host::RegistryError;

/// Why the foundry gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The toolkit itself.
    #[error(transparent)]
    Toolkit(#[from] toolkit::Error),
    /// Recipes are not to be run here.
    #[error("toolkits may not execute here")]
    ExecutionIsOff,
    /// Native programs are not to be run here.
    #[error("native programs are off: `{0}` is posix, and the operator has not opted in")]
    PosixIsOff(String),
    /// There is nothing to build.
    #[error("`{0}` has nothing to build")]
    NothingToBuild(String),
    /// The artifact has to be fetched, and nobody here fetches.
    #[error("{url} has to be fetched")]
    NotFetched {
        /// From where.
        url: String,
    },
    /// What was fetched is not what was pinned.
    #[error("{of}: its SHA-256 is {found}, and the manifest pins {pinned}")]
    NotAsPinned {
        /// Which source.
        of: String,
        /// What it hashes to.
        found: String,
        /// What it should.
        pinned: String,
    },
    /// The archive does not hold the module.
    #[error("the archive cannot be used: {0}")]
    Archive(String),
    /// What was pushed cannot be installed.
    #[error("the toolkit cannot be installed: {0}")]
    NotInstallable(String),
    /// What was pushed has more than a toolkit may have.
    #[error("the toolkit cannot be installed: {0}")]
    TooLarge(String),
    /// The source has a prefix that no lane builds from.
    #[error("`{0}` cannot be built here: no lane takes it")]
    NoLaneTakes(String),
    /// The lane refused.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// The artifact does not fit its shape.
    #[error("the artifact does not fit: {0}")]
    Unfit(String),
    /// The registry refused.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The host refused.
    #[error(transparent)]
    Host(#[from] host::Error),
    /// The shell gave up on a recipe.
    #[error(transparent)]
    Shell(#[from] shell::Error),
    /// The history gave no key.
    #[error(transparent)]
    Key(#[from] history::Error),
    /// The statement cannot be run over the rows.
    #[error("{0}")]
    Sql(String),
    /// The statement does something else than select.
    #[error("only SELECT is allowed here: {0}")]
    Denied(String),
    /// There is no such name on the shelf.
    #[error("no {what} is registered as `{name}`")]
    NotRegistered {
        /// `kernel`, `component`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// What lies on the shelf is not what was put there.
    #[error("the artifact of `{0}` is not what was registered")]
    Tampered(String),
    /// What was asked cannot be understood.
    #[error("{0}")]
    BadOption(String),
    /// A file.
    #[error("{path}: {source}")]
    File {
        /// Which one.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

fails! {
    Error {
        Error::ExecutionIsOff => Code::auth("execution_is_off", "recipes of toolkits are not run here"),
            "set WB_TOOLKIT_EXEC=1 to let recipes run in the WASM shell";
        Error::PosixIsOff(_) => Code::auth("posix_is_off", "native programs are not run here"),
            "an operator may allow it in the configuration; there is no other way";
        Error::NothingToBuild(_) => Code::usage("nothing_to_build", "the toolkit has no artifact, or its source is not named"),
            "its shape has no artifact, or #+BUILD_SRC: is missing";
        Error::NotFetched { .. } => Code::not_found("not_fetched", "an artifact has to be fetched first"),
            "fetch it yourself and give the file: --from FILE; its hash is pinned";
        Error::NotAsPinned { .. } => Code::verification("hash_mismatch", "what was fetched is not what the manifest pins"),
            "do not use it; ask its author";
        Error::Archive(_) => Code::verification("bad_archive", "the archive does not hold the module"),
            "check #+WASM_PATH:";
        Error::NotInstallable(_) => Code::verification("bad_toolkit_archive", "a toolkit that was pushed is no archive that can be taken"),
            "push it with `wbx toolkit push ID DIR`";
        Error::TooLarge(_) => TOO_LARGE, "take out of the toolkit what it does not need";
        Error::NoLaneTakes(_) => LANE_UNAVAILABLE,
            "use path:, or a module that is built already: wasm: with #+SHA256:";
        Error::Lane(LaneError::Unavailable { what_to_do, .. }) => LANE_UNAVAILABLE, what_to_do;
        Error::Lane(LaneError::Failed { .. }) => BUILD_FAILED, "mend what the compiler names";
        Error::Unfit(_) => UNFIT, "docs/toolkits.md says what each shape exports";
        Error::Sql(_) => SQL, "write one SELECT over the source's entity";
        Error::Denied(_) => DENIED, "write one SELECT over the source's entity";
        Error::NotRegistered { .. } => NOT_FOUND, "build its toolkit: `wbx toolkit build ID`";
        Error::Tampered(_) => CORRUPT, "build its toolkit again";
        Error::BadOption(_) => BAD_OPTION, "see docs/toolkits.md";
        Error::File { .. } => IO, "check the path and its permissions";
    }
    of {
        Error::Toolkit(error) => error: toolkit::Error;
        Error::Registry(error) => error: RegistryError;
        Error::Host(error) => error: host::Error;
        Error::Shell(error) => error: shell::Error;
        Error::Key(error) => error: history::Error;
    }
    details facts
}

/// The language of a lane that is not there; else what the error inside has to say.
fn facts(error: &Error) -> Option<serde_json::Value> {
    match error {
        Error::Lane(LaneError::Unavailable { lang, .. }) => Some(serde_json::json!({"lang": lang})),
        Error::Toolkit(error) => error.details(),
        _ => None,
    }
}

impl Error {
    pub(crate) fn file(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.display().to_string();
        move |source| Error::File { path, source }
    }
}
