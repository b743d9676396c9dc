//! Why there is no answer: a stable code, a message, and what to do about it.

use crate::LaneError;
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

impl Error {
    /// The stable name of this failure.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Toolkit(error) => error.code(),
            Error::ExecutionIsOff => "execution_is_off",
            Error::PosixIsOff(_) => "posix_is_off",
            Error::NothingToBuild(_) => "nothing_to_build",
            Error::NotFetched { .. } => "not_fetched",
            Error::NotAsPinned { .. } => "hash_mismatch",
            Error::Archive(_) => "bad_archive",
            Error::NoLaneTakes(_) | Error::Lane(LaneError::Unavailable { .. }) => "lane_unavailable",
            Error::Lane(LaneError::Failed { .. }) => "build_failed",
            Error::Unfit(_) => "unfit",
            Error::Registry(error) => registry(error),
            Error::Host(host::Error::Cancelled) => "cancelled",
            Error::Host(host::Error::Deadline(_)) => "timeout",
            Error::Host(host::Error::Memory(_)) => "memory",
            Error::Host(_) => "unfit",
            Error::Shell(error) => error.code(),
            Error::Key(error) => error.code(),
            Error::Sql(_) => "sql",
            Error::Denied(_) => "denied",
            Error::NotRegistered { .. } => "not_found",
            Error::Tampered(_) => "corrupt",
            Error::BadOption(_) => "bad_option",
            Error::File { .. } => "io",
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Error::Toolkit(error) => error.hint().into(),
            Error::ExecutionIsOff => "set WB_TOOLKIT_EXEC=1 to let recipes run in the WASM shell".into(),
            Error::PosixIsOff(_) => "an operator may allow it in the configuration; there is no other way".into(),
            Error::NothingToBuild(_) => "its shape has no artifact, or #+BUILD_SRC: is missing".into(),
            Error::NotFetched { .. } => "fetch it yourself and give the file: --from FILE; its hash is pinned".into(),
            Error::NotAsPinned { .. } => "do not use it; ask its author".into(),
            Error::Archive(_) => "check #+WASM_PATH:".into(),
            Error::NoLaneTakes(_) => "use path:, or a module that is built already: wasm: with #+SHA256:".into(),
            Error::Lane(LaneError::Unavailable { what_to_do, .. }) => what_to_do.clone(),
            Error::Lane(LaneError::Failed { .. }) => "mend what the compiler names".into(),
            Error::Unfit(_) | Error::Host(_) => "docs/toolkits.md says what each shape exports".into(),
            Error::Registry(_) => "choose another #+CLI_BIN:".into(),
            Error::Shell(error) => error.hint().into(),
            Error::Key(error) => error.hint().into(),
            Error::Sql(_) | Error::Denied(_) => "write one SELECT over the source's entity".into(),
            Error::NotRegistered { .. } => "build its toolkit: `wbx toolkit build ID`".into(),
            Error::Tampered(_) => "build its toolkit again".into(),
            Error::BadOption(_) => "see docs/toolkits.md".into(),
            Error::File { .. } => "check the path and its permissions".into(),
        }
    }

    pub(crate) fn file(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.display().to_string();
        move |source| Error::File { path, source }
    }
}

fn registry(error: &RegistryError) -> &'static str {
    match error {
        RegistryError::ReservedName(_) => "reserved_name",
        RegistryError::InvalidName(_) => "invalid_name",
        RegistryError::PathNotConfined(_) => "file_refused",
        RegistryError::Full => "registry_full",
        RegistryError::NotACommand(_) => "unfit",
        RegistryError::ArtifactIntegrity(_) => "corrupt",
        RegistryError::Host(_) => "unfit",
    }
}
