//! Variables, shared between a shell and its subshells until one of them changes something.

use crate::Error;
use crate::ast::Bytes;
use crate::meter::{Held, Meter};
use std::collections::HashMap;
use std::sync::Arc;

/// What an entry costs beside its bytes.
const OVERHEAD: usize = 96;

#[derive(Clone, Default)]
pub(crate) struct Variables(Arc<HashMap<Bytes, Variable>>);

#[derive(Clone, Default)]
pub(crate) struct Variable {
    value: Option<Arc<Value>>,
    pub exported: bool,
    pub readonly: bool,
}

struct Value {
    bytes: Bytes,
    _held: Held,
}

impl Variable {
    pub fn value(&self) -> Option<&[u8]> {
        self.value.as_ref().map(|value| &value.bytes[..])
    }
}

impl Variables {
    pub fn get(&self, name: &[u8]) -> Option<&[u8]> {
        self.0.get(name)?.value()
    }

    pub fn entry(&self, name: &[u8]) -> Option<&Variable> {
        self.0.get(name)
    }

    pub fn is_readonly(&self, name: &[u8]) -> bool {
        self.0.get(name).is_some_and(|variable| variable.readonly)
    }

    /// Sets a value and keeps the attributes. Whether it may is the caller's question.
    pub fn set(&mut self, name: &[u8], value: Bytes, meter: &Arc<Meter>) -> Result<(), Error> {
        let held = meter.memory(name.len() + value.len() + OVERHEAD)?;
        let value = Arc::new(Value {
            bytes: value,
            _held: held,
        });
        self.change(name, |variable| variable.value = Some(value));
        Ok(())
    }

    /// Changes an entry, which is made if there is none.
    pub fn change(&mut self, name: &[u8], change: impl FnOnce(&mut Variable)) {
        let map = Arc::make_mut(&mut self.0);
        match map.get_mut(name) {
            Some(variable) => change(variable),
            None => change(map.entry(name.to_vec()).or_default()),
        }
    }

    pub fn remove(&mut self, name: &[u8]) {
        if self.0.contains_key(name) {
            Arc::make_mut(&mut self.0).remove(name);
        }
    }

    /// Puts an earlier entry back, or none.
    pub fn restore(&mut self, name: Bytes, variable: Option<Variable>) {
        match variable {
            Some(variable) => {
                Arc::make_mut(&mut self.0).insert(name, variable);
            }
            None => self.remove(&name),
        }
    }

    /// What commands are given, by name.
    pub fn exported(&self) -> Vec<(Bytes, Bytes)> {
        let exported = self.0.iter().filter(|(_, variable)| variable.exported);
        let mut pairs: Vec<_> = exported
            .filter_map(|(name, variable)| Some((name.clone(), variable.value()?.to_vec())))
            .collect();
        pairs.sort_unstable();
        pairs
    }

    /// All entries by name.
    pub fn sorted(&self) -> Vec<(&Bytes, &Variable)> {
        let mut entries: Vec<_> = self.0.iter().collect();
        entries.sort_by_key(|(name, _)| *name);
        entries
    }
}
