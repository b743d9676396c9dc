//! Bytes to bytes, in a loop: a core module that is instantiated once and called many times.
//!
//! The module imports nothing and exports its memory, `in_ptr() -> i32`, `out_ptr() -> i32` and
//! `process(in_len: i32) -> out_len: i32`. For a call the input is written to `in_ptr`, `process` is told its length, and
//! that many bytes as it answers are read from `out_ptr`. Every pointer and length is the guest's word and is held against
//! its memory each time. A guest that traps, runs out of time or lies about a size loses its instance; the next call
//! starts with a fresh one.

use crate::guest::{self, Guest};
use crate::{Cancel, Error, Limits, Sandbox};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use wasmtime::{Instance, Memory, Module, Store, TypedFunc};

/// A transform, compiled; its instance lives from the first call on.
pub struct Transform {
    sandbox: Arc<Sandbox>,
    module: Module,
    sha256: [u8; 32],
    limits: Limits,
    alive: Option<Alive>,
    started: u64,
}

/// The one instance.
struct Alive {
    store: Store<Guest>,
    memory: Memory,
    in_ptr: TypedFunc<(), i32>,
    out_ptr: TypedFunc<(), i32>,
    process: TypedFunc<i32, i32>,
}

impl Transform {
    /// Compiles a transform, or finds it compiled already. Each call may use `limits`; its memory is for the instance.
    ///
    /// # Errors
    ///
    /// [`Error::Unfit`] when it imports something or lacks an export.
    pub fn load(sandbox: Arc<Sandbox>, wasm: &[u8], limits: Limits) -> Result<Transform, Error> {
        if !wasmparser::Parser::is_core_wasm(wasm) {
            return Err(Error::Unfit("it is not a core module".into()));
        }
        let module = sandbox.module(wasm)?;
        let found = Transform {
            module,
            sandbox,
            sha256: Sha256::digest(wasm).into(),
            limits,
            alive: None,
            started: 0,
        };
        found.check()?;
        Ok(found)
    }

    /// Calls it once. The thread needs [`STACK`](crate::STACK) bytes.
    ///
    /// # Errors
    ///
    /// What ended the guest, or which size it lied about.
    pub fn process(&mut self, input: &[u8], cancel: &Cancel) -> Result<Vec<u8>, Error> {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let sandbox = self.sandbox.clone();
        let _running = sandbox.clock.run();
        let mut alive = match self.alive.take() {
            Some(mut alive) => {
                guest::renew(&mut alive.store, self.limits, cancel);
                alive
            }
            None => self.start(cancel)?,
        };
        let answer = alive.call(input)?;
        self.alive = Some(alive);
        Ok(answer)
    }

    /// The SHA-256 of its bytes.
    pub fn sha256(&self) -> [u8; 32] {
        self.sha256
    }

    /// How many instances there have been.
    pub fn started(&self) -> u64 {
        self.started
    }

    fn start(&mut self, cancel: &Cancel) -> Result<Alive, Error> {
        let mut store = guest::store(&self.sandbox, self.limits, cancel);
        let started = Instance::new(&mut store, &self.module, &[]).and_then(|instance| {
            // A compiler's own set-up, where it left some.
            if let Ok(init) = instance.get_typed_func::<(), ()>(&mut store, "_initialize") {
                init.call(&mut store, ())?;
            }
            let memory = instance.get_memory(&mut store, "memory");
            Ok((
                memory.ok_or_else(|| wasmtime::Error::msg("it does not export `memory`"))?,
                instance.get_typed_func(&mut store, "in_ptr")?,
                instance.get_typed_func(&mut store, "out_ptr")?,
                instance.get_typed_func(&mut store, "process")?,
            ))
        });
        let (memory, in_ptr, out_ptr, process) = started.map_err(|e| guest::failure(store.data(), e))?;
        self.started += 1;
        Ok(Alive {
            store,
            memory,
            in_ptr,
            out_ptr,
            process,
        })
    }

    /// Names everything that does not fit, before anybody calls it.
    fn check(&self) -> Result<(), Error> {
        let mut wrong: Vec<String> = self
            .module
            .imports()
            .map(|import| {
                format!(
                    "it imports `{}.{}`, and a kernel imports nothing",
                    import.module(),
                    import.name()
                )
            })
            .collect();
        if self
            .module
            .get_export("memory")
            .is_none_or(|export| export.memory().is_none())
        {
            wrong.push("it does not export `memory`".into());
        }
        for (name, params) in [("in_ptr", 0), ("out_ptr", 0), ("process", 1)] {
            let export = self.module.get_export(name);
            let fits = export.as_ref().and_then(|export| export.func()).is_some_and(|func| {
                let mut all = func.params().chain(func.results());
                func.params().len() == params && func.results().len() == 1 && all.all(|ty| ty.is_i32())
            });
            if !fits {
                let params = ["", "i32"][params];
                wrong.push(format!("it does not export `{name}({params}) -> i32`"));
            }
        }
        match wrong[..] {
            [] => Ok(()),
            _ => Err(Error::Unfit(wrong.join("; "))),
        }
    }
}

impl Alive {
    fn call(&mut self, input: &[u8]) -> Result<Vec<u8>, Error> {
        let Alive {
            store,
            memory,
            in_ptr,
            out_ptr,
            process,
        } = self;
        let ended = |store: &Store<Guest>, e| guest::failure(store.data(), e);
        let at = in_ptr.call(&mut *store, ()).map_err(|e| ended(store, e))? as u32 as usize;
        let room = memory.data_size(&*store).saturating_sub(at);
        if input.len() > room || input.len() > i32::MAX as usize {
            return Err(Error::Trap(format!(
                "the input has {} bytes, and there is room for {room} at its `in_ptr`",
                input.len()
            )));
        }
        memory.data_mut(&mut *store)[at..at + input.len()].copy_from_slice(input);
        let length = process
            .call(&mut *store, input.len() as i32)
            .map_err(|e| ended(store, e))?;
        let at = out_ptr.call(&mut *store, ()).map_err(|e| ended(store, e))? as u32 as usize;
        let data = memory.data(&*store);
        let end = usize::try_from(length).ok().and_then(|length| at.checked_add(length));
        match end.and_then(|end| data.get(at..end)) {
            Some(answer) => Ok(answer.to_vec()),
            None => Err(Error::Trap(format!(
                "it answers {length} bytes at {at}, and its memory has {}",
                data.len()
            ))),
        }
    }
}
