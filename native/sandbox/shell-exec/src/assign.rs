//! Variables as a script sees them: attributes, elements of arrays, and names that stand for others.

use crate::array::{Array, Key};
use crate::ast::{Bytes, is_name};
use crate::options::Flag;
use crate::shell::{Shell, Trouble, lossy};
use crate::variables::{Shape, Variable};
use std::borrow::Cow;

/// How many names in a row may stand for others.
const LONGEST_CHAIN: usize = 8;

/// A variable, or one element of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub name: Bytes,
    /// The index as it is written, once it is expanded.
    pub index: Option<Bytes>,
}

impl Place {
    /// `name` or `name[index]`.
    pub fn parse(text: &[u8]) -> Option<Place> {
        let open = text.iter().position(|byte| *byte == b'[');
        let (name, index) = match open {
            None => (text, None),
            Some(open) => (&text[..open], Some(text[open + 1..].strip_suffix(b"]")?.to_vec())),
        };
        is_name(name).then(|| Place {
            name: name.to_vec(),
            index,
        })
    }

    pub fn shown(&self) -> String {
        match &self.index {
            None => lossy(&self.name).into_owned(),
            Some(index) => format!("{}[{}]", lossy(&self.name), lossy(index)),
        }
    }
}

/// An element of an array that is about to be assigned: its index, whether it is appended to, its values.
#[derive(Clone)]
pub(crate) struct Written {
    pub index: Option<Bytes>,
    pub append: bool,
    pub values: Vec<Bytes>,
}

impl Shell {
    /// What a name stands for, once names of names are followed.
    pub fn resolve(&self, name: &[u8]) -> Place {
        let mut place = Place {
            name: name.to_vec(),
            index: None,
        };
        for _ in 0..LONGEST_CHAIN {
            match self.variables.entry(&place.name) {
                Some(variable) if variable.nameref => match variable.value().and_then(|text| self.parse_place(text)) {
                    Some(next) => place = next,
                    None => break,
                },
                _ => break,
            }
            if place.index.is_some() {
                break;
            }
        }
        place
    }

    fn is_reference(&self, name: &[u8]) -> bool {
        self.variables.entry(name).is_some_and(|variable| variable.nameref)
    }

    /// Assigns to a variable, unless it is read-only.
    pub fn assign(&mut self, name: &[u8], value: Bytes) -> Result<(), Trouble> {
        let place = match self.is_reference(name) {
            true => self.resolve(name),
            false => Place {
                name: name.to_vec(),
                index: None,
            },
        };
        self.assign_to(&place, value, false)
    }

    /// Assigns to what a text names: `name` or `name[index]`.
    pub fn assign_named(&mut self, text: &[u8], value: Bytes) -> Result<(), Trouble> {
        let place = self.place(text)?;
        self.assign_to(&place, value, false)
    }

    /// What a builtin is told to assign to.
    pub fn place(&self, text: &[u8]) -> Result<Place, Trouble> {
        match self
            .parse_place(text)
            .filter(|place| place.index.is_none() || self.is_bash())
        {
            Some(Place { name, index: None }) => Ok(self.resolve(&name)),
            Some(place) => Ok(Place {
                name: self.resolve(&place.name).name,
                ..place
            }),
            None if self.is_bash() => Err(format!("`{}': not a valid identifier", lossy(text)).into()),
            None => Err(format!("{}: bad variable name", lossy(text)).into()),
        }
    }

    /// Assigns to a place as it is, whatever its name stands for.
    pub fn assign_to(&mut self, place: &Place, value: Bytes, append: bool) -> Result<(), Trouble> {
        let Place { name, index } = place;
        self.check_writable(name)?;
        let attributes = self.variables.entry(name).cloned().unwrap_or_default();
        let key = match (index, attributes.shape) {
            (Some(index), shape) => Some(self.key(name, shape, index)?),
            (None, Shape::Text) => None,
            (None, Shape::Indexed) => Some(Key::Number(0)),
            (None, Shape::Associative) => Some(Key::Text(b"0".to_vec())),
        };
        let before: Option<Bytes> = match append {
            false => None,
            true => match &key {
                None => self.variable(name).map(Cow::into_owned),
                Some(key) => self.element(name, key),
            },
        };
        let value = self.shaped(&attributes, before, value)?;
        match key {
            Some(key) => self.variables.set_element(name, key, value, &self.world.meter)?,
            None => {
                if !self.set_special(name, &value) {
                    self.variables.set(name, value, &self.world.meter)?;
                }
            }
        }
        if self.is(Flag::AllExport) {
            self.variables.change(name, |variable| variable.exported = true);
        }
        if name == b"OPTIND" {
            self.getopts_at = 0;
        }
        Ok(())
    }

    pub fn check_writable(&self, name: &[u8]) -> Result<(), Trouble> {
        match self.variables.is_readonly(name) {
            true if self.is_bash() => Err(format!("{}: readonly variable", lossy(name)).into()),
            true => Err(format!("{}: is read only", lossy(name)).into()),
            false => Ok(()),
        }
    }

    /// What is stored when this is assigned, as the variable's attributes will have it.
    fn shaped(&mut self, variable: &Variable, before: Option<Bytes>, value: Bytes) -> Result<Bytes, Trouble> {
        if variable.integer {
            let old = match &before {
                Some(before) => self.evaluate(before)?,
                None => 0,
            };
            let new = self.evaluate(&value)?;
            return Ok(old.wrapping_add(new).to_string().into());
        }
        let mut whole = before.unwrap_or_default();
        match whole.is_empty() {
            true => whole = value,
            false => whole.extend(value),
        }
        Ok(match variable.case {
            None => whole,
            Some(case) => crate::expand::case::changed(&whole, case),
        })
    }

    /// The element that an index means.
    pub fn key(&mut self, name: &[u8], shape: Shape, index: &[u8]) -> Result<Key, Trouble> {
        if shape == Shape::Associative {
            return Ok(Key::Text(index.to_vec()));
        }
        let number = self.evaluate(index)?;
        match self.counted(name, number) {
            Some(number) => Ok(Key::Number(number)),
            None => Err(format!("{}[{}]: bad array subscript", lossy(name), lossy(index)).into()),
        }
    }

    /// The same for reading: what is out of range is not set.
    pub fn read_key(&mut self, name: &[u8], index: &[u8]) -> Result<Key, Trouble> {
        if self.variables.shape(name) == Shape::Associative {
            return Ok(Key::Text(index.to_vec()));
        }
        let number = self.evaluate(index)?;
        Ok(Key::Number(self.counted(name, number).unwrap_or(usize::MAX)))
    }

    /// The place that a number means; negative ones count from the end.
    fn counted(&self, name: &[u8], number: i64) -> Option<usize> {
        if number >= 0 {
            return usize::try_from(number).ok();
        }
        let end = match self.variables.entry(name).and_then(Variable::array) {
            Some(array) => array.end(),
            None => self.dynamic_array(name).map_or(1, |list| list.len()),
        };
        usize::try_from(i64::try_from(end).ok()?.checked_add(number)?).ok()
    }

    /// An index that a builtin is given as text: it may be quoted, or a parameter.
    fn given_index(&self, index: Bytes) -> Bytes {
        match &index[..] {
            [b'\'', key @ .., b'\''] | [b'"', key @ .., b'"'] => key.to_vec(),
            [b'$', b'{', name @ .., b'}'] | [b'$', name @ ..] if is_name(name) => {
                self.variable(name).map(Cow::into_owned).unwrap_or_default()
            }
            _ => index,
        }
    }

    /// `name` or `name[index]` in a text.
    pub fn parse_place(&self, text: &[u8]) -> Option<Place> {
        let place = Place::parse(text)?;
        let index = place.index.map(|index| self.given_index(index));
        Some(Place { index, ..place })
    }

    /// One element. A text that is no array is its own first element.
    pub fn element(&self, name: &[u8], key: &Key) -> Option<Bytes> {
        match self.variables.entry(name).filter(|variable| variable.is_set()) {
            Some(variable) => match variable.array() {
                Some(array) => array.get(key).map(<[u8]>::to_vec),
                None if *key == Key::Number(0) => variable.value().map(<[u8]>::to_vec),
                None => None,
            },
            None => match key {
                Key::Number(number) => match self.dynamic_array(name) {
                    Some(list) => list.into_iter().nth(*number),
                    None if *number == 0 => self.variable(name).map(Cow::into_owned),
                    None => None,
                },
                Key::Text(_) => None,
            },
        }
    }

    /// All keys and values.
    pub fn entries(&self, name: &[u8]) -> Vec<(Bytes, Bytes)> {
        match self.variables.entry(name).filter(|variable| variable.is_set()) {
            Some(variable) => match variable.array() {
                Some(array) => array
                    .entries()
                    .into_iter()
                    .map(|(key, text)| (key, text.clone()))
                    .collect(),
                None => variable
                    .value()
                    .map(|text| (b"0".to_vec(), text.to_vec()))
                    .into_iter()
                    .collect(),
            },
            None => match self.dynamic_array(name) {
                Some(list) => list
                    .into_iter()
                    .enumerate()
                    .map(|(number, text)| (number.to_string().into(), text))
                    .collect(),
                None => self
                    .variable(name)
                    .map(|text| (b"0".to_vec(), text.into_owned()))
                    .into_iter()
                    .collect(),
            },
        }
    }

    /// Assigns a whole array, or appends to one.
    pub fn assign_array(&mut self, name: &[u8], elements: Vec<Written>, append: bool) -> Result<(), Trouble> {
        let place = self.resolve(name);
        let name = &place.name;
        if place.index.is_some() {
            return Err(format!("{}: cannot assign list to array member", place.shown()).into());
        }
        self.check_writable(name)?;
        let attributes = self.variables.entry(name).cloned().unwrap_or_default();
        let associative = attributes.shape == Shape::Associative;
        // What an index refers to is the new array, not the old.
        let mut array = match (attributes.array(), append, associative) {
            (Some(array), true, _) => array.clone(),
            (None, true, false) => Array::list(attributes.value().map(<[u8]>::to_vec)),
            (_, _, true) => Array::associative(),
            (_, _, false) => Array::indexed(),
        };
        self.world.meter.copied(array.size())?;
        let mut held = self.world.meter.memory(0)?;
        let mut next = array.end();
        let mut pairs: Option<Bytes> = None;
        let written_pairs = associative && elements.iter().all(|element| element.index.is_none());
        for element in elements {
            for value in element.values {
                held.grow(value.len() + 64)?;
                let key = match (&element.index, associative) {
                    (Some(index), true) => Key::Text(index.clone()),
                    (Some(index), false) => match self.evaluate(index)? {
                        number @ 0.. => Key::Number(number as usize),
                        number => match usize::try_from(next as i64 + number) {
                            Ok(number) => Key::Number(number),
                            Err(_) => return Err(format!("[{}]: bad array subscript", lossy(index)).into()),
                        },
                    },
                    (None, false) => Key::Number(next),
                    // `m=(key value ..)`.
                    (None, true) if written_pairs => match pairs.take() {
                        None => {
                            pairs = Some(value);
                            continue;
                        }
                        Some(key) => Key::Text(key),
                    },
                    (None, true) => {
                        return Err(format!(
                            "{}: {}: must use subscript when assigning associative array",
                            lossy(name),
                            lossy(&value)
                        )
                        .into());
                    }
                };
                let before = match element.append {
                    true => array.get(&key).map(<[u8]>::to_vec),
                    false => None,
                };
                let value = self.shaped(&attributes, before, value)?;
                if let Key::Number(number) = &key {
                    next = number + 1;
                }
                array.set(key, value);
            }
        }
        if let Some(key) = pairs {
            array.set(Key::Text(key), Bytes::new());
        }
        self.variables.set_array(name, array, &self.world.meter)?;
        if self.is(Flag::AllExport) {
            self.variables.change(name, |variable| variable.exported = true);
        }
        Ok(())
    }

    /// Whether `-v` holds: a variable, or an element of one, is set.
    pub fn is_set(&mut self, text: &[u8]) -> Result<bool, Trouble> {
        let Some(place) = self.parse_place(text) else {
            let number = std::str::from_utf8(text)
                .ok()
                .and_then(|text| text.parse::<usize>().ok());
            return Ok(number.is_some_and(|number| number <= self.args().len()));
        };
        let place = match place.index {
            None => self.resolve(&place.name),
            Some(index) => Place {
                name: self.resolve(&place.name).name,
                index: Some(index),
            },
        };
        match &place.index {
            None => Ok(self.variable(&place.name).is_some()),
            Some(index) if matches!(&index[..], b"@" | b"*") => Ok(!self.entries(&place.name).is_empty()),
            Some(index) => {
                let key = self.read_key(&place.name, index)?;
                Ok(self.element(&place.name, &key).is_some())
            }
        }
    }
}
