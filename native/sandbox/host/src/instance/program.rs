//! A component that was checked, compiled, and linked for the grants it has been called with.

use super::dock;
use super::grant::{DockImport, Grant};
use super::state::State;
use crate::packaged::unpackage;
use crate::{Error, Origin, Sandbox};
use conformance::World;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use wasmtime::Engine;
use wasmtime::component::{Component, ComponentExportIndex, InstancePre};

/// A loaded component, and the arguments that it was packaged with.
pub struct Program {
    pub(super) code: Arc<Code>,
    pub(super) argv: Vec<String>,
}

/// What packaged programs with one engine share.
pub(super) struct Code {
    component: Component,
    imports: Vec<DockImport>,
    ready: Mutex<HashMap<Grant, Arc<Ready>>>,
}

/// A program linked for one grant.
pub(super) struct Ready {
    pub instance: InstancePre<State>,
    pub run: ComponentExportIndex,
}

impl Program {
    /// Checks the component against the widest world and compiles it.
    ///
    /// # Errors
    ///
    /// [`Error::NotAComponent`], [`Error::Nonconforming`], or the compiler's own refusal.
    pub fn load(sandbox: &Sandbox, wasm: &[u8]) -> Result<(Program, Origin), Error> {
        let (wasm, argv) = unpackage(wasm)?;
        let (code, origin) = Code::load(sandbox, &wasm)?;
        Ok((Program::new(Arc::new(code), argv), origin))
    }

    pub(super) fn new(code: Arc<Code>, argv: Option<Vec<String>>) -> Program {
        Program {
            code,
            argv: argv.unwrap_or_default(),
        }
    }
}

impl Code {
    pub fn load(sandbox: &Sandbox, wasm: &[u8]) -> Result<(Code, Origin), Error> {
        conformance::check(wasm, World::Dock)?;
        let imports = conformance::imports(wasm)?;
        let (component, origin) = sandbox.component(wasm)?;
        let code = Code {
            component,
            imports: imports.iter().filter_map(|name| DockImport::named(name)).collect(),
            ready: Mutex::default(),
        };
        Ok((code, origin))
    }

    /// Links what `grant` opens. What it does not open is not there, so it cannot be called.
    pub fn prepare(&self, sandbox: &Sandbox, grant: Grant) -> Result<Arc<Ready>, Error> {
        if let Some(ready) = self.ready.lock().get(&grant) {
            return Ok(ready.clone());
        }
        if let Some(import) = self.imports.iter().find(|import| !grant.opens(**import)) {
            return Err(Error::NotGranted {
                import: import.name(),
                capability: import.capability().map_or("", |c| c.name()),
            });
        }
        let linker = dock::linker(sandbox, grant)?;
        let instance = linker
            .instantiate_pre(&self.component)
            .map_err(|e| Error::Nonconforming(vec![unlinked(&self.component, &sandbox.engine, &e)]))?;
        let run = self
            .component
            .get_export_index(None, "run")
            .ok_or_else(|| Error::Nonconforming(vec!["missing required export `run`".into()]))?;
        let ready = Arc::new(Ready { instance, run });
        self.ready.lock().insert(grant, ready.clone());
        Ok(ready)
    }
}

/// Conformance permits every `wasi:*` import, and this host has WASI 0.2 without HTTP: say which one is not here.
fn unlinked(component: &Component, engine: &Engine, error: &wasmtime::Error) -> String {
    let text = format!("{error:#}");
    let named = component.component_type();
    let missing = named
        .imports(engine)
        .map(|(name, _)| name)
        .find(|name| text.contains(*name));
    match missing {
        Some(name) => format!("import `{name}` is not provided by this host"),
        None => text,
    }
}
