//! Arrays: texts by number or by key.

use crate::ast::Bytes;
use crate::variables::Shape;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// What an element costs beside its bytes.
const OVERHEAD: usize = 64;

/// In how many classes bash sorts keys; it tells them class by class.
const CLASSES: u32 = 1024;

#[derive(Debug, Clone)]
pub(crate) enum Array {
    Indexed(BTreeMap<usize, Bytes>),
    Associative(Associative),
}

/// Texts by key, each with when it came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Associative {
    elements: HashMap<Bytes, (u64, Bytes)>,
    next: u64,
}

/// Which element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    Number(usize),
    Text(Bytes),
}

impl Array {
    pub fn indexed() -> Array {
        Array::Indexed(BTreeMap::new())
    }

    pub fn associative() -> Array {
        Array::Associative(Associative::default())
    }

    /// Those of a list, counted from zero.
    pub fn list(values: impl IntoIterator<Item = Bytes>) -> Array {
        Array::Indexed(values.into_iter().enumerate().collect())
    }

    pub fn shape(&self) -> Shape {
        match self {
            Array::Indexed(_) => Shape::Indexed,
            Array::Associative(_) => Shape::Associative,
        }
    }

    /// The element that the name alone stands for.
    pub fn first_key(&self) -> Key {
        match self {
            Array::Indexed(_) => Key::Number(0),
            Array::Associative(_) => Key::Text(b"0".to_vec()),
        }
    }

    pub fn get(&self, key: &Key) -> Option<&[u8]> {
        match (self, key) {
            (Array::Indexed(elements), Key::Number(number)) => elements.get(number).map(|text| &text[..]),
            (Array::Associative(map), Key::Text(key)) => map.elements.get(key).map(|(_, text)| &text[..]),
            _ => None,
        }
    }

    pub fn set(&mut self, key: Key, value: Bytes) {
        match (self, key) {
            (Array::Indexed(elements), Key::Number(number)) => {
                elements.insert(number, value);
            }
            (Array::Associative(map), Key::Text(key)) => {
                let next = map.next;
                let entry = map.elements.entry(key).or_insert_with(|| (next, Bytes::new()));
                entry.1 = value;
                map.next += 1;
            }
            // A key of the other kind cannot be made.
            _ => {}
        }
    }

    pub fn remove(&mut self, key: &Key) {
        match (self, key) {
            (Array::Indexed(elements), Key::Number(number)) => {
                elements.remove(number);
            }
            (Array::Associative(map), Key::Text(key)) => {
                map.elements.remove(key);
            }
            _ => {}
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Array::Indexed(elements) => elements.len(),
            Array::Associative(map) => map.elements.len(),
        }
    }

    /// The number behind the last element.
    pub fn end(&self) -> usize {
        match self {
            Array::Indexed(elements) => elements.last_key_value().map_or(0, |(last, _)| last + 1),
            Array::Associative(_) => 0,
        }
    }

    /// Keys and values in the order in which bash tells them.
    pub fn entries(&self) -> Vec<(Bytes, &Bytes)> {
        match self {
            Array::Indexed(elements) => elements
                .iter()
                .map(|(number, text)| (number.to_string().into(), text))
                .collect(),
            Array::Associative(map) => {
                let mut entries: Vec<_> = map.elements.iter().collect();
                entries.sort_by_key(|(key, (since, _))| (class(key), Reverse(*since)));
                entries
                    .into_iter()
                    .map(|(key, (_, text))| (key.clone(), text))
                    .collect()
            }
        }
    }

    pub fn size(&self) -> usize {
        let bytes: usize = match self {
            Array::Indexed(elements) => elements.values().map(Vec::len).sum(),
            Array::Associative(map) => map.elements.iter().map(|(key, (_, text))| key.len() + text.len()).sum(),
        };
        bytes + self.len() * OVERHEAD
    }
}

/// The class of a key: its hash as bash takes it.
fn class(key: &[u8]) -> u32 {
    let hash = key.iter().fold(2_166_136_261u32, |hash, byte| {
        hash.wrapping_mul(16_777_619) ^ u32::from(*byte)
    });
    hash & (CLASSES - 1)
}
