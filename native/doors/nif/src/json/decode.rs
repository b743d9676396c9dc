//! JSON text to a term, without a tree in between.

use crate::failure::{self, Failure};
use rustler::types::atom;
use rustler::{Encoder, Env, NewBinary, Term};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::time::Instant;

/// A plan may nest 1,000 deep, which is twice that in JSON. The worker's stack has room for this many levels.
const MAX_DEPTH: u32 = 4_000;

/// Keys that an object may have. A large map is made by putting one key after the other, and each step leaves garbage.
const MAX_KEYS: usize = 65_536;
/// The largest map that the BEAM makes at once without the help of a scheduler. This thread has none: it would crash.
const SMALL_MAP: usize = 32;

/// Why there is no term.
pub(crate) enum Undecoded {
    /// The text is not JSON.
    NotJson(String),
    /// It would take longer than there is time.
    Late,
}

/// The term that a JSON text stands for.
pub(crate) fn decode<'a>(env: Env<'a>, json: &str) -> Result<Term<'a>, Failure> {
    build(env, json, None).map_err(|undecoded| match undecoded {
        Undecoded::NotJson(why) => failure::not_json(why),
        Undecoded::Late => unreachable!("it has all the time it needs"),
    })
}

/// The same, given up at a moment: an answer of a million rows takes longer to become a term than to be found.
pub(crate) fn decode_until<'a>(env: Env<'a>, json: &str, until: Instant) -> Result<Term<'a>, Undecoded> {
    build(env, json, Some(until))
}

fn build<'a>(env: Env<'a>, json: &str, until: Option<Instant>) -> Result<Term<'a>, Undecoded> {
    let (keys, late) = (RefCell::default(), Cell::new(false));
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.disable_recursion_limit();
    let value = Value {
        env,
        keys: &keys,
        depth: MAX_DEPTH,
        until,
        late: &late,
    };
    value
        .deserialize(&mut deserializer)
        .and_then(|term| deserializer.end().map(|()| term))
        .map_err(|e| match late.get() {
            true => Undecoded::Late,
            false => Undecoded::NotJson(e.to_string()),
        })
}

/// A binary; short ones live on the heap of the receiver instead of each in an allocation of its own.
pub(crate) fn string<'a>(env: Env<'a>, text: &str) -> Term<'a> {
    NewBinary::from_slice(env, text.as_bytes()).into()
}

/// A map; `None` when a key is there twice.
fn object<'a>(env: Env<'a>, keys: &[Term<'a>], values: &[Term<'a>]) -> Option<Term<'a>> {
    let small = keys.len().min(SMALL_MAP);
    let first = Term::map_from_term_arrays(env, &keys[..small], &values[..small]).ok()?;
    let map = keys[small..]
        .iter()
        .zip(&values[small..])
        .try_fold(first, |map, (key, value)| map.map_put(key, value))
        .ok()?;
    (map.map_size().ok()? == keys.len()).then_some(map)
}

/// Builds one value. Keys repeat in every row, so each is made once and shared.
#[derive(Clone, Copy)]
struct Value<'k, 'a> {
    env: Env<'a>,
    keys: &'k RefCell<HashMap<String, Term<'a>>>,
    depth: u32,
    until: Option<Instant>,
    late: &'k Cell<bool>,
}

impl<'a> Value<'_, 'a> {
    fn inner<E: Error>(self) -> Result<Self, E> {
        if self.until.is_some_and(|until| Instant::now() >= until) {
            self.late.set(true);
            return Err(E::custom("out of time"));
        }
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Value { depth, ..self }),
            None => Err(E::custom("nested too deep")),
        }
    }

    fn key(self, key: String) -> Term<'a> {
        *self
            .keys
            .borrow_mut()
            .entry(key)
            .or_insert_with_key(|key| string(self.env, key))
    }
}

impl<'de, 'a> DeserializeSeed<'de> for Value<'_, 'a> {
    type Value = Term<'a>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Term<'a>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, 'a> Visitor<'de> for Value<'_, 'a> {
    type Value = Term<'a>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Term<'a>, E> {
        Ok(atom::nil().encode(self.env))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Term<'a>, E> {
        Ok(value.encode(self.env))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Term<'a>, E> {
        Ok(value.encode(self.env))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Term<'a>, E> {
        Ok(value.encode(self.env))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Term<'a>, E> {
        Ok(value.encode(self.env))
    }

    fn visit_str<E>(self, value: &str) -> Result<Term<'a>, E> {
        Ok(string(self.env, value))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Term<'a>, S::Error> {
        let inner = self.inner()?;
        let mut terms = Vec::new();
        while let Some(term) = seq.next_element_seed(inner)? {
            terms.push(term);
        }
        Ok(terms.encode(self.env))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Term<'a>, M::Error> {
        let inner = self.inner()?;
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        while let Some(key) = map.next_key::<String>()? {
            if keys.len() == MAX_KEYS {
                return Err(M::Error::custom(format!("an object has more than {MAX_KEYS} keys")));
            }
            keys.push(self.key(key));
            values.push(map.next_value_seed(inner)?);
        }
        object(self.env, &keys, &values).ok_or_else(|| M::Error::custom("an object has one key twice"))
    }
}
