//! Commands: WASI programs with arguments, an environment, three streams and at most one directory.
//!
//! A command is a core module of WASI preview 1 or a component of WASI 0.2. Either kind is started by
//! [`Command::launch`], in a fresh instance, and ends with a status as a process does.

mod batteries;
mod component_files;
mod devices;
mod digest;
mod fenced;
mod found;
mod index;
mod launch;
mod load;
mod module;
mod refusal;
mod registry;
mod stdio;
mod wasi;

pub use found::{ArgMode, Found};
pub use launch::{Launch, Spawn, Spawning};
pub use load::Command;
pub use refusal::RegistryError;
pub use registry::Registry;
