//! Why the registry refused.

use super::registry::MAX_ENTRIES;
use crate::Error;
use failure::codes::INVALID_NAME;
use failure::{Code, fails};
use serde_json::{Value, json};

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

fails! {
    RegistryError {
        RegistryError::ReservedName(_) => Code::conflict("reserved_name", "the name belongs to a command that is built in"),
            "choose another name";
        RegistryError::InvalidName(_) => INVALID_NAME, "choose another name";
        RegistryError::PathNotConfined(_) => Code::usage("path_not_confined", "the file of a command leads out of its directory"),
            "copy the file into the directory, or name another `root`";
        RegistryError::Full => Code::limit("registry_full", "there is no room for another command"),
            "unregister commands that are not used";
        RegistryError::NotACommand(_) => Code::verification("not_a_command", "the bytes are not a WASI command"),
            "build a module that exports `_start`, or a component that exports `wasi:cli/run`";
        RegistryError::ArtifactIntegrity(_) => Code::verification("artifact_integrity", "the file of a command is not what was registered"),
            "register it again";
    }
    of {
        RegistryError::Host(error) => error: Error;
    }
    details facts
}

fn facts(error: &RegistryError) -> Option<Value> {
    match error {
        RegistryError::ArtifactIntegrity(name) => Some(json!({"name": name})),
        RegistryError::Host(error) => failure::Fails::details(error),
        _ => None,
    }
}
