//! Variables, shared between a shell and its subshells until one of them changes something.

use crate::Error;
use crate::array::{Array, Key};
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
    /// What is assigned is an expression, and its value counts.
    pub integer: bool,
    /// The value names another variable, which is meant.
    pub nameref: bool,
    /// `u`, `l` or `c`: what is assigned is changed to that case.
    pub case: Option<u8>,
    pub shape: Shape,
}

/// What a variable can hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    #[default]
    Text,
    Indexed,
    Associative,
}

/// What it holds, and the memory that takes.
enum Value {
    Text { text: Bytes, _held: Held },
    Array(Array, Held),
}

impl Variable {
    /// Its value; of an array, that of the first element.
    pub fn value(&self) -> Option<&[u8]> {
        match &**self.value.as_ref()? {
            Value::Text { text, .. } => Some(text),
            Value::Array(array, _) => array.get(&array.first_key()),
        }
    }

    pub fn array(&self) -> Option<&Array> {
        match &**self.value.as_ref()? {
            Value::Array(array, _) => Some(array),
            Value::Text { .. } => None,
        }
    }

    pub fn is_set(&self) -> bool {
        self.value.is_some()
    }

    /// The letters of its attributes, as `declare` has them.
    pub fn letters(&self) -> String {
        let letters = [
            ('a', self.shape == Shape::Indexed),
            ('A', self.shape == Shape::Associative),
            ('i', self.integer),
            ('n', self.nameref),
            ('r', self.readonly),
            ('x', self.exported),
            ('l', self.case == Some(b'l')),
            ('u', self.case == Some(b'u')),
            ('c', self.case == Some(b'c')),
        ];
        letters.iter().filter(|(_, on)| *on).map(|(letter, _)| letter).collect()
    }
}

impl Variables {
    pub fn get(&self, name: &[u8]) -> Option<&[u8]> {
        self.0.get(name)?.value()
    }

    pub fn entry(&self, name: &[u8]) -> Option<&Variable> {
        self.0.get(name)
    }

    pub fn shape(&self, name: &[u8]) -> Shape {
        self.0.get(name).map_or(Shape::Text, |variable| variable.shape)
    }

    pub fn is_readonly(&self, name: &[u8]) -> bool {
        self.0.get(name).is_some_and(|variable| variable.readonly)
    }

    /// Sets a value and keeps the attributes. Whether it may is the caller's question. Of an array it is the first element.
    pub fn set(&mut self, name: &[u8], value: Bytes, meter: &Arc<Meter>) -> Result<(), Error> {
        match self.shape(name) {
            Shape::Text => {}
            Shape::Indexed => return self.set_element(name, Key::Number(0), value, meter),
            Shape::Associative => return self.set_element(name, Key::Text(b"0".to_vec()), value, meter),
        }
        let _held = meter.memory(name.len() + value.len() + OVERHEAD)?;
        let value = Arc::new(Value::Text { text: value, _held });
        self.change(name, |variable| variable.value = Some(value));
        Ok(())
    }

    /// Sets one element. A text becomes the first element of an array.
    pub fn set_element(&mut self, name: &[u8], key: Key, value: Bytes, meter: &Arc<Meter>) -> Result<(), Error> {
        let mut result = Ok(());
        self.change(name, |variable| {
            result = variable.put(key, value, meter);
        });
        result
    }

    /// Replaces all elements, and with them the shape.
    pub fn set_array(&mut self, name: &[u8], array: Array, meter: &Arc<Meter>) -> Result<(), Error> {
        let held = meter.memory(name.len() + array.size() + OVERHEAD)?;
        let shape = array.shape();
        let value = Arc::new(Value::Array(array, held));
        self.change(name, |variable| {
            variable.value = Some(value);
            variable.shape = shape;
        });
        Ok(())
    }

    /// Takes one element out; false when it is no array.
    pub fn remove_element(&mut self, name: &[u8], key: &Key, meter: &Arc<Meter>) -> Result<(), Error> {
        let mut result = Ok(());
        self.change(name, |variable| {
            if variable.array().is_some() {
                result = variable.own(meter).map(|(array, _)| array.remove(key));
            } else if *key == Key::Number(0) {
                variable.value = None;
            }
        });
        result
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
        let exported = self
            .0
            .iter()
            .filter(|(_, variable)| variable.exported && variable.shape == Shape::Text);
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

impl Variable {
    fn put(&mut self, key: Key, value: Bytes, meter: &Arc<Meter>) -> Result<(), Error> {
        if self.array().is_none() {
            let mut array = match &key {
                Key::Number(_) => Array::indexed(),
                Key::Text(_) => Array::associative(),
            };
            if let Some(text) = self.value() {
                array.set(array.first_key(), text.to_vec());
            }
            self.shape = array.shape();
            let held = meter.memory(array.size() + OVERHEAD)?;
            self.value = Some(Arc::new(Value::Array(array, held)));
        }
        let (array, held) = self.own(meter)?;
        held.grow(value.len() + OVERHEAD)?;
        array.set(key, value);
        Ok(())
    }

    /// The array, for this variable alone.
    fn own(&mut self, meter: &Arc<Meter>) -> Result<(&mut Array, &mut Held), Error> {
        let shared = self.value.get_or_insert_with(|| {
            // The caller has seen that there is an array.
            Arc::new(Value::Array(Array::indexed(), Held::nothing(meter)))
        });
        if Arc::get_mut(shared).is_none()
            && let Value::Array(array, _) = &**shared
        {
            let copy = array.clone();
            meter.copied(copy.size())?;
            let held = meter.memory(copy.size() + OVERHEAD)?;
            *shared = Arc::new(Value::Array(copy, held));
        }
        match Arc::get_mut(shared) {
            Some(Value::Array(array, held)) => Ok((array, held)),
            _ => Err(Error::TooMuchMemory),
        }
    }
}
