//! The engine, its clock and its cache, as one thing.

use crate::cache::{Cache, Origin};
use crate::epoch::Clock;
use crate::{Error, engine};
use std::path::Path;
use wasmtime::component::Component;
use wasmtime::{Engine, Module};

/// Where guests run. One is enough for a process.
pub struct Sandbox {
    pub(crate) engine: Engine,
    pub(crate) clock: Clock,
    cache: Result<Cache, String>,
}

impl Sandbox {
    /// Starts an engine that keeps compiled code in `cache`. A cache that cannot be used is not an error here: code is
    /// then compiled each time, and [`Origin::Unsaved`] says why.
    pub fn new(cache: &Path) -> Result<Sandbox, Error> {
        let engine = engine::new()?;
        let clock = Clock::start(&engine).map_err(|e| Error::Engine(e.to_string()))?;
        let cache = Cache::open(cache).map_err(|e| e.to_string());
        Ok(Sandbox { engine, clock, cache })
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

fn unfit(error: wasmtime::Error) -> Error {
    Error::Unfit(format!("{error:#}"))
}
