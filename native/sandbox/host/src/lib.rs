//! Runs WebAssembly for Workbooks: one engine, its clock, its compiled-code cache, and the limits around every guest.
//!
//! - [`Sandbox`] is the engine with its epoch clock and its cache: whatever runs a guest starts from one.
//! - [`Kernel`] is the OQL component, ready to be called; every call is a fresh instance.
//! - [`Program`] is a component of the `workbooks:engine` worlds; [`Program::run`] calls it in a fresh instance.
//! - [`Command`] is a WASI program; [`Command::launch`] runs it as a process, and a [`Registry`] finds it by name.
//! - [`package`] makes a program of an interpreter and a script; both of these start it with the script.
//! - [`Transform`] is a core module, bytes to bytes: instantiated once, called in a loop.
//! - [`Executor`] runs programs, many to a thread.
//! - [`Workers`] are the threads that guests run on, never a thread of the caller.
//! - [`Cancel`] stops a guest from another thread.
//!
//! Guest code is interrupted by epochs: a dedicated thread ticks while guests run, and at each tick a guest looks at
//! its own wall-clock deadline and at its [`Cancel`]. A guest cannot outrun or starve that clock.
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

mod cache;
mod cancel;
mod command;
mod engine;
mod epoch;
mod error;
mod executor;
mod guest;
mod instance;
mod kernel;
mod packaged;
mod private;
mod sandbox;
mod stamp;
mod transform;
mod workers;

pub use cache::{Cache, Origin};
pub use cancel::Cancel;
pub use command::{ArgMode, Command, Found, Launch, Registry, RegistryError, Spawn, Spawning};
pub use engine::{MAX_INSTANCES, MAX_MEMORY};
pub use error::{Error, KernelError};
pub use executor::Executor;
pub use guest::Limits;
pub use instance::*;
pub use kernel::{Answer, Export, Kernel};
pub use packaged::package;
pub use sandbox::Sandbox;
pub use transform::Transform;
pub use workers::{STACK, Workers};
