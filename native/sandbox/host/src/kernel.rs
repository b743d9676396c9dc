//! The OQL component, ready to be called.

use crate::guest::{self, Guest};
use crate::{Cancel, Error, Limits, MAX_MEMORY, Origin, Sandbox};
use std::sync::Arc;
use std::time::Duration;
use wasmtime::Store;
use wasmtime::component::{Component, ComponentExportIndex, ComponentNamedList, InstancePre, Linker, Lower, TypedFunc};

/// What a call may use: whatever the text, an answer or an error comes in under two seconds. The difference is for
/// what a deadline does not stop: the last tick, and giving the memory back.
const LIMITS: Limits = Limits {
    memory: MAX_MEMORY,
    time: Duration::from_millis(1_500),
};

/// What an export answers: text (JSON but for [`Export::answers_text`]), or the kernel's own error as JSON.
pub type Answer = Result<String, String>;

/// The kernel, compiled and linked. Every call is a fresh instance, so nothing survives one.
pub struct Kernel {
    sandbox: Arc<Sandbox>,
    instance: InstancePre<Guest>,
    /// In the order of [`Export::ALL`].
    exports: Vec<ComponentExportIndex>,
    limits: Limits,
}

/// The exports of the world `workbooks:oql`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "wit/oql.wit says what each one does")]
pub enum Export {
    ParseHeadlines,
    Query,
    Lint,
    TanglePlan,
    Validate,
    CheckUpgrade,
    Render,
    Tasks,
    SetState,
}

impl Export {
    /// Every export, in the order of the contract.
    pub const ALL: [Export; 9] = [
        Export::ParseHeadlines,
        Export::Query,
        Export::Lint,
        Export::TanglePlan,
        Export::Validate,
        Export::CheckUpgrade,
        Export::Render,
        Export::Tasks,
        Export::SetState,
    ];

    /// The name in the contract.
    pub fn name(self) -> &'static str {
        match self {
            Export::ParseHeadlines => "parse-headlines",
            Export::Query => "query",
            Export::Lint => "lint",
            Export::TanglePlan => "tangle-plan",
            Export::Validate => "validate",
            Export::CheckUpgrade => "check-upgrade",
            Export::Render => "render",
            Export::Tasks => "tasks",
            Export::SetState => "set-state",
        }
    }

    /// The export of that name.
    ///
    /// ```
    /// assert_eq!(host::Export::named("set-state"), Some(host::Export::SetState));
    /// assert_eq!(host::Export::named("run"), None);
    /// ```
    pub fn named(name: &str) -> Option<Export> {
        Export::ALL.into_iter().find(|export| export.name() == name)
    }

    /// Whether the answer is plain text instead of JSON.
    pub fn answers_text(self) -> bool {
        matches!(self, Export::Render | Export::SetState)
    }

    fn arity(self) -> usize {
        match self {
            Export::Query | Export::Lint => 2,
            Export::CheckUpgrade | Export::SetState => 3,
            _ => 1,
        }
    }
}

impl Kernel {
    /// Compiles and links a kernel. Refuses a component that imports anything or lacks an export.
    pub fn load(sandbox: Arc<Sandbox>, wasm: &[u8]) -> Result<(Kernel, Origin), Error> {
        let (component, origin) = sandbox.component(wasm)?;
        let unfit = |e: wasmtime::Error| Error::Unfit(format!("{e:#}"));
        // Nothing is linked, so a component that imports anything does not get past this line.
        let instance = Linker::new(&sandbox.engine)
            .instantiate_pre(&component)
            .map_err(unfit)?;
        let kernel = Kernel {
            exports: export_indices(&component)?,
            instance,
            sandbox,
            limits: LIMITS,
        };
        kernel.check_types().map_err(unfit)?;
        Ok((kernel, origin))
    }

    /// The same kernel with other limits.
    pub fn with_limits(self, limits: Limits) -> Kernel {
        Kernel { limits, ..self }
    }

    /// What a call may use.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Calls one export in a fresh instance, on this thread's stack: the thread needs [`STACK`](crate::STACK) bytes.
    ///
    /// # Errors
    ///
    /// A trap, the memory limit, the deadline or `cancel`. The kernel's own refusals are the inner error.
    pub fn call(&self, export: Export, args: &[&str], cancel: &Cancel) -> Result<Answer, Error> {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let _running = self.sandbox.clock.run();
        let mut store = guest::store(&self.sandbox, self.limits, cancel);
        match *args {
            [a] => self.invoke(&mut store, export, (a,)),
            [a, b] => self.invoke(&mut store, export, (a, b)),
            [a, b, c] => self.invoke(&mut store, export, (a, b, c)),
            _ => Err(wasmtime::Error::msg("no export takes that many arguments")),
        }
        .map_err(|e| guest::failure(store.data(), e))
    }

    fn invoke<P>(&self, store: &mut Store<Guest>, export: Export, args: P) -> wasmtime::Result<Answer>
    where
        P: ComponentNamedList + Lower,
    {
        let (answer,) = self.typed::<P>(store, export)?.call(store, args)?;
        Ok(answer)
    }

    fn typed<P>(&self, store: &mut Store<Guest>, export: Export) -> wasmtime::Result<TypedFunc<P, (Answer,)>>
    where
        P: ComponentNamedList + Lower,
    {
        self.instance
            .instantiate(&mut *store)?
            .get_typed_func(store, self.exports[export as usize])
    }

    /// So that a foreign component is refused when it is loaded, not when it is called.
    fn check_types(&self) -> wasmtime::Result<()> {
        let _running = self.sandbox.clock.run();
        for export in Export::ALL {
            let store = &mut guest::store(&self.sandbox, self.limits, &Cancel::default());
            match export.arity() {
                1 => self.typed::<(&str,)>(store, export).map(drop),
                2 => self.typed::<(&str, &str)>(store, export).map(drop),
                _ => self.typed::<(&str, &str, &str)>(store, export).map(drop),
            }
            .map_err(|e| e.context(format!("export `{}`", export.name())))?;
        }
        Ok(())
    }
}

fn export_indices(component: &Component) -> Result<Vec<ComponentExportIndex>, Error> {
    Export::ALL
        .iter()
        .map(|export| {
            component
                .get_export_index(None, export.name())
                .ok_or_else(|| Error::Unfit(format!("missing export `{}`", export.name())))
        })
        .collect()
}
