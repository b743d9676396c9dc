//! Associative arrays.

use crate::number;
use crate::text::Text;
use crate::value::Value;
use indexmap::{Equivalent, IndexMap};
use rustc_hash::FxBuildHasher;
use std::hash::{Hash, Hasher};

/// Integers with more digits stay strings: an `i64` holds any with so few.
const MOST_DIGITS: usize = 18;

/// A subscript. Subscripts are strings; one that is how an integer is written is kept as that integer, which is quicker
/// to find. `1` and `"1"` are the same subscript, `"01"` is another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Integer(i64),
    Text(Text),
}

/// A subscript that is looked for.
#[derive(Clone, Copy)]
enum Sought<'a> {
    Integer(i64),
    Bytes(&'a [u8]),
}

impl Kind {
    #[inline]
    fn sought(&self) -> Sought<'_> {
        match self {
            Kind::Integer(integer) => Sought::Integer(*integer),
            Kind::Text(text) => Sought::Bytes(text.bytes()),
        }
    }
}

impl PartialEq for Kind {
    #[inline]
    fn eq(&self, other: &Kind) -> bool {
        match (self, other) {
            (Kind::Integer(a), Kind::Integer(b)) => a == b,
            (Kind::Text(a), Kind::Text(b)) => a.bytes() == b.bytes(),
            _ => false,
        }
    }
}

impl Eq for Kind {}

impl Hash for Sought<'_> {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        match self {
            Sought::Integer(integer) => hasher.write_i64(*integer),
            Sought::Bytes(bytes) => hasher.write(bytes),
        }
    }
}

impl Hash for Key {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.sought().hash(hasher);
    }
}

impl Equivalent<Key> for Sought<'_> {
    #[inline]
    fn equivalent(&self, key: &Key) -> bool {
        match (self, &key.0) {
            (Sought::Integer(a), Kind::Integer(b)) => a == b,
            (Sought::Bytes(a), Kind::Text(b)) => *a == b.bytes(),
            _ => false,
        }
    }
}

impl Key {
    /// The subscript that these bytes are.
    #[inline]
    pub fn of_bytes(bytes: &[u8]) -> Key {
        Key(match canonical(bytes) {
            Some(integer) => Kind::Integer(integer),
            None => Kind::Text(Text::new(bytes)),
        })
    }

    /// The subscript that a number is.
    #[inline]
    pub fn of_number(number: f64, format: &[u8]) -> Key {
        match number::integer(number) {
            Some(integer) => Key(Kind::Integer(integer)),
            None => Key::of_bytes(&Value::Number(number).bytes(format)),
        }
    }

    /// The subscript that a value is.
    #[inline]
    pub fn of(value: Value, format: &[u8]) -> Key {
        match value {
            Value::Number(number) => Key::of_number(number, format),
            Value::Unset => Key(Kind::Text(Text::EMPTY)),
            Value::Text(text) => match canonical(text.bytes()) {
                Some(integer) => Key(Kind::Integer(integer)),
                None => Key(Kind::Text(text.made())),
            },
        }
    }

    /// The subscript that a value is which stays where it is.
    #[inline]
    pub fn of_ref(value: &Value, format: &[u8]) -> Key {
        match value {
            Value::Number(number) => Key::of_number(*number, format),
            other => Key::of(other.clone(), format),
        }
    }

    /// The subscript as a program sees it: a string.
    pub fn value(&self) -> Value {
        match &self.0 {
            Kind::Text(text) => Value::Text(text.clone()),
            Kind::Integer(integer) => {
                let mut digits = Vec::with_capacity(20);
                number::write_integer(&mut digits, *integer);
                Value::text(&digits)
            }
        }
    }
}

/// The integer, if the bytes are how it is written.
#[inline]
fn canonical(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [b'0'] if !negative => return Some(0),
        [b'1'..=b'9', ..] if digits.len() <= MOST_DIGITS => {}
        _ => return None,
    }
    let mut integer = 0_i64;
    for byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        integer = integer * 10 + i64::from(byte - b'0');
    }
    Some(if negative { -integer } else { integer })
}

/// An array.
///
/// Elements that were numbered in order, from 0 or 1 on, are a list; the others are found by their subscripts. The order of
/// an array is that of the list, and then that in which the others came, as long as none is deleted.
#[derive(Debug, Default)]
pub struct Array {
    /// The number of the first element of the list.
    first: i64,
    list: Vec<Value>,
    others: IndexMap<Key, Value, FxBuildHasher>,
}

impl Array {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.list.len() + self.others.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where a subscript is in the list.
    #[inline]
    fn place(&self, key: &Key) -> Option<usize> {
        match key.0 {
            Kind::Integer(integer) => {
                let at = usize::try_from(integer - self.first).ok()?;
                (at < self.list.len()).then_some(at)
            }
            Kind::Text(_) => None,
        }
    }

    /// Whether a subscript is the next of the list.
    #[inline]
    fn is_next(&self, key: &Key) -> bool {
        let Kind::Integer(integer) = key.0 else { return false };
        if self.list.is_empty() {
            return self.others.is_empty() && (integer == 0 || integer == 1);
        }
        integer == self.first + self.list.len() as i64
            && (self.others.is_empty() || !self.others.contains_key(&key.0.sought()))
    }

    /// Whether there is such an element.
    #[inline]
    pub fn contains(&self, key: &Key) -> bool {
        self.place(key).is_some() || self.others.contains_key(&key.0.sought())
    }

    /// The element, made if it is not there: looking at one brings it into being.
    #[inline]
    pub fn element(&mut self, key: Key) -> &mut Value {
        if let Some(at) = self.place(&key) {
            return &mut self.list[at];
        }
        if self.is_next(&key) {
            return self.push(&key);
        }
        self.others.entry(key).or_default()
    }

    fn push(&mut self, key: &Key) -> &mut Value {
        if let (Kind::Integer(integer), true) = (&key.0, self.list.is_empty()) {
            self.first = *integer;
        }
        let at = self.list.len();
        self.list.push(Value::Unset);
        &mut self.list[at]
    }

    /// The element, if it is there.
    pub fn find(&self, key: &Key) -> Option<&Value> {
        match self.place(key) {
            Some(at) => self.list.get(at),
            None => self.others.get(&key.0.sought()),
        }
    }

    /// Sets an element.
    #[inline]
    pub fn set(&mut self, key: Key, value: Value) {
        *self.element(key) = value;
    }

    /// Sets the elements 1, 2, .. and no others.
    pub fn fill(&mut self, values: impl IntoIterator<Item = Value>) -> usize {
        self.fill_with(|list| list.extend(values))
    }

    /// The same by a function that adds them to an empty list; answers how many there are.
    pub fn fill_with(&mut self, add: impl FnOnce(&mut Vec<Value>)) -> usize {
        self.clear();
        self.first = 1;
        add(&mut self.list);
        self.list.len()
    }

    /// Removes an element. A list that loses one from its middle is a list no more.
    pub fn delete(&mut self, key: &Key) {
        match self.place(key) {
            Some(at) if at + 1 == self.list.len() => drop(self.list.pop()),
            Some(_) => {
                let listed = (self.first..).zip(self.list.drain(..));
                let mut all: IndexMap<Key, Value, FxBuildHasher> = listed
                    .map(|(integer, value)| (Key(Kind::Integer(integer)), value))
                    .collect();
                all.extend(self.others.drain(..));
                self.others = all;
                self.others.swap_remove(&key.0.sought());
            }
            None => drop(self.others.swap_remove(&key.0.sought())),
        }
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        self.list.clear();
        self.others.clear();
    }

    /// The subscripts as they are now.
    pub fn keys(&self) -> Vec<Key> {
        let listed = (self.first..)
            .take(self.list.len())
            .map(|integer| Key(Kind::Integer(integer)));
        listed.chain(self.others.keys().cloned()).collect()
    }

    /// The elements as they are now.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.list.iter().chain(self.others.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(value: Value) -> Key {
        Key::of(value, b"%.6g")
    }

    #[test]
    fn subscripts_are_strings() {
        for (a, b, same) in [
            (Value::Number(1.0), Value::text(b"1"), true),
            (Value::Number(1.0), Value::text(b"01"), false),
            (Value::Number(-1.0), Value::text(b"-1"), true),
            (Value::Number(-0.0), Value::text(b"0"), true),
            (Value::text(b"-0"), Value::text(b"0"), false),
            (Value::Number(0.1), Value::text(b"0.1"), true),
            (Value::Unset, Value::text(b""), true),
            (Value::Number(1e15), Value::text(b"1000000000000000"), true),
            (Value::input(b"+1"), Value::text(b"1"), false),
            (Value::Number(1e20), Value::text(b"100000000000000000000"), true),
        ] {
            assert_eq!(key(a.clone()) == key(b.clone()), same, "{a:?} {b:?}");
        }
    }

    #[test]
    fn elements_come_in_the_order_they_were_made() {
        let mut array = Array::default();
        for name in ["b", "10", "a"] {
            array.element(Key::of_bytes(name.as_bytes()));
        }
        let names: Vec<_> = array
            .keys()
            .iter()
            .map(|key| key.value().bytes(b"").into_owned())
            .collect();
        assert_eq!(names, [&b"b"[..], b"10", b"a"]);
        array.delete(&Key::of_number(10.0, b""));
        assert_eq!(array.len(), 2);
    }

    /// Every step is done to an array and to a plain map, which have to agree.
    #[test]
    fn a_list_and_other_elements_are_one_array() {
        use std::collections::BTreeMap;
        let mut random = 1_u32;
        let mut next = |bound: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 16) % bound
        };
        for _ in 0..300 {
            let (mut array, mut map) = (Array::default(), BTreeMap::new());
            for step in 0..40 {
                let number = f64::from(next(8));
                let key = Key::of_number(number, b"");
                match next(10) {
                    0 | 1 => {
                        array.delete(&key);
                        map.remove(&(number as i64));
                    }
                    2 if next(8) == 0 => {
                        array.clear();
                        map.clear();
                    }
                    3 => assert_eq!(array.contains(&key), map.contains_key(&(number as i64))),
                    _ => {
                        array.set(key, Value::Number(f64::from(step)));
                        map.insert(number as i64, f64::from(step));
                    }
                }
                assert_eq!(array.len(), map.len());
            }
            let mut found: Vec<_> = array
                .keys()
                .into_iter()
                .map(|key| (key.value().number() as i64, array.find(&key).map(Value::number)))
                .collect();
            found.sort_by_key(|(number, _)| *number);
            let expected: Vec<_> = map.into_iter().map(|(number, value)| (number, Some(value))).collect();
            assert_eq!(found, expected);
        }
    }
}
