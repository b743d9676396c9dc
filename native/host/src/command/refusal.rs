//! Why the registry refused.

use super::registry::MAX_ENTRIES;
use crate::Error;

/// Why a command was not registered, or not found.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The name belongs to a battery.
    #[error("`{0}` is built in and cannot be replaced")]
    ReservedName(String),
    /// The name has characters that a command's name may not have.
    #[error("`{0}` is not a name: use letters, digits, `_`, `.` and `-`")]
    InvalidName(String),
    /// The path leads out of the directory that commands may come from.
    #[error("`{0}` leads out of its directory")]
    PathNotConfined(String),
    /// There are too many.
    #[error("{MAX_ENTRIES} commands are registered already")]
    Full,
    /// The bytes are not a WASI command.
    #[error("it is not a WASI command: {0}")]
    NotACommand(String),
    /// The artifact is not what was registered.
    #[error("the artifact of `{0}` is not what was registered")]
    ArtifactIntegrity(String),
    /// Whatever else went wrong.
    #[error(transparent)]
    Host(#[from] Error),
}
