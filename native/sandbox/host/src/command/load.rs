//! From bytes to something that can be started.

use super::module::Process;
use super::{component_files, wasi};
use crate::instance::State;
use crate::packaged::unpackage;
use crate::{Error, Sandbox};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;
use wasmtime::{InstancePre, Module};
use wasmtime_wasi::p2::bindings::CommandPre;

/// A command, compiled and linked.
#[derive(Clone)]
pub struct Command {
    pub(super) kind: Kind,
    sha256: [u8; 32],
    /// Of a packaged program: its name, and the arguments that go first.
    pub(super) packaged: Option<Arc<[Vec<u8>]>>,
}

#[derive(Clone)]
pub(super) enum Kind {
    Module(InstancePre<Process>),
    Component(CommandPre<State>),
}

impl Command {
    /// Compiles a WASI command, or finds it compiled already. It is given WASI and nothing of the Dock.
    ///
    /// # Errors
    ///
    /// [`Error::Unfit`] when it is not a command.
    pub fn load(sandbox: &Sandbox, wasm: &[u8]) -> Result<Command, Error> {
        let sha256 = Sha256::digest(wasm).into();
        let (wasm, argv) = unpackage(wasm)?;
        let packaged = argv.map(|argv| argv.into_iter().map(String::into_bytes).collect());
        if wasmparser::Parser::is_core_wasm(&wasm) {
            let module = match packaged {
                Some(_) => sandbox.interpreter(&wasm)?,
                None => sandbox.module(&wasm)?,
            };
            return Command::link(sandbox, &module, sha256).map(|command| Command { packaged, ..command });
        }
        // The check reads a stranger's bytes within bounds; the compiler would not.
        conformance::imports(&wasm)?;
        let (component, _) = sandbox.component(&wasm)?;
        let mut linker = wasmtime::component::Linker::new(&sandbox.engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).map_err(unfit)?;
        component_files::link(&mut linker).map_err(unfit)?;
        let instance = linker.instantiate_pre(&component).map_err(unfit)?;
        let kind = Kind::Component(CommandPre::new(instance).map_err(unfit)?);
        Ok(Command { kind, sha256, packaged })
    }

    /// Maps a command that [`Command::precompile`] made of the module with this hash.
    ///
    /// # Safety
    ///
    /// The file is machine code. It must be as hard to change as the program itself.
    pub unsafe fn map(sandbox: &Sandbox, compiled: &Path, sha256: [u8; 32]) -> Result<Command, Error> {
        // SAFETY: the caller vouches for the file.
        let module = unsafe { Module::deserialize_file(&sandbox.engine, compiled) }.map_err(unfit)?;
        Command::link(sandbox, &module, sha256)
    }

    /// The module as machine code for [`Command::map`].
    pub fn precompile(sandbox: &Sandbox, wasm: &[u8]) -> Result<Vec<u8>, Error> {
        sandbox.engine.precompile_module(wasm).map_err(unfit)
    }

    /// The SHA-256 of its bytes.
    pub fn sha256(&self) -> [u8; 32] {
        self.sha256
    }

    fn link(sandbox: &Sandbox, module: &Module, sha256: [u8; 32]) -> Result<Command, Error> {
        let missing = ["_start", "memory"]
            .into_iter()
            .find(|name| module.get_export(name).is_none());
        if let Some(name) = missing {
            return Err(Error::Unfit(format!("it does not export `{name}`")));
        }
        let linker = wasi::linker(&sandbox.engine).map_err(unfit)?;
        let kind = Kind::Module(linker.instantiate_pre(module).map_err(unfit)?);
        let packaged = None;
        Ok(Command { kind, sha256, packaged })
    }
}

fn unfit(error: wasmtime::Error) -> Error {
    Error::Unfit(format!("{error:#}"))
}
