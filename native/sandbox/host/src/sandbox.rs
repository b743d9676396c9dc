//! The engine, its clock and its cache, as one thing.

use crate::cache::{Cache, Origin};
use crate::epoch::Clock;
use crate::{Error, engine};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use std::path::Path;
use wasmtime::component::Component;
use wasmtime::{Engine, Module};

/// Interpreters kept in memory.
const KEPT: usize = 8;

/// Where guests run. One is enough for a process.
pub struct Sandbox {
    pub(crate) engine: Engine,
    pub(crate) clock: Clock,
    cache: Result<Cache, String>,
    /// Those of packaged programs, the latest one last.
    interpreters: Mutex<Vec<([u8; 32], Module)>>,
}

impl Sandbox {
    /// Starts an engine that keeps compiled code in `cache`. A cache that cannot be used is not an error here: code is
    /// then compiled each time, and [`Origin::Unsaved`] says why.
    pub fn new(cache: &Path) -> Result<Sandbox, Error> {
        let engine = engine::new()?;
        let clock = Clock::start(&engine).map_err(|e| Error::Engine(e.to_string()))?;
        let cache = Cache::open(cache).map_err(|e| e.to_string());
        Ok(Sandbox {
            engine,
            clock,
            cache,
            interpreters: Mutex::default(),
        })
    }

    /// Compiles a component, or finds it compiled already.
    pub fn component(&self, wasm: &[u8]) -> Result<(Component, Origin), Error> {
        match &self.cache {
            Ok(cache) => cache.compiled(&self.engine, wasm),
            Err(why) => Component::from_binary(&self.engine, wasm)
                .map(|component| (component, Origin::Unsaved(why.clone())))
                .map_err(unfit),
        }
    }

    /// Compiles a core module, or finds it compiled already.
    pub(crate) fn module(&self, wasm: &[u8]) -> Result<Module, Error> {
        match &self.cache {
            Ok(cache) => cache.compiled(&self.engine, wasm).map(|(module, _)| module),
            Err(_) => Module::from_binary(&self.engine, wasm).map_err(unfit),
        }
    }
}

impl Sandbox {
    /// A module that many programs share: its code is in memory once.
    pub(crate) fn interpreter(&self, wasm: &[u8]) -> Result<Module, Error> {
        let key = Sha256::digest(wasm).into();
        let known = |(digest, _): &([u8; 32], Module)| *digest == key;
        if let Some((_, module)) = self.interpreters.lock().iter().find(|it| known(it)) {
            return Ok(module.clone());
        }
        let module = self.module(wasm)?;
        let mut interpreters = self.interpreters.lock();
        interpreters.retain(|it| !known(it));
        if interpreters.len() == KEPT {
            interpreters.remove(0);
        }
        interpreters.push((key, module.clone()));
        Ok(module)
    }
}

fn unfit(error: wasmtime::Error) -> Error {
    Error::Unfit(format!("{error:#}"))
}
