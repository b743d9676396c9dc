//! The record and its fields. Fields are found when one is asked for, and the record is put together again when a field
//! was changed and the record is asked for.

use crate::copy::append;
use crate::format;
use crate::split::{self, Separator};
use crate::value::Value;

/// No record has more fields: `$1000000000 = 1` is a mistake, not a wish for gigabytes.
pub const MOST_FIELDS: usize = 10_000_000;

/// A field: a piece of the record, or what was assigned.
#[derive(Debug, Clone)]
enum Field {
    Piece(u32, u32),
    Own(Value),
}

/// `$0`, `$1`, ..
#[derive(Debug)]
pub struct Record {
    text: Vec<u8>,
    fields: Vec<Field>,
    is_split: bool,
    /// A field was changed, and the text does not say so yet.
    is_stale: bool,
    separator: Separator,
    /// A buffer for the next text.
    spare: Vec<u8>,
    /// The text as a value, once it was asked for.
    value: Option<Value>,
}

impl Default for Record {
    fn default() -> Record {
        Record {
            text: Vec::new(),
            fields: Vec::new(),
            is_split: true,
            is_stale: false,
            separator: Separator::Blanks,
            spare: Vec::new(),
            value: None,
        }
    }
}

impl Record {
    /// The next records are split by this. The one that is here keeps what it was read with.
    pub fn separate_by(&mut self, separator: Separator) {
        self.split();
        self.separator = separator;
    }

    /// Takes a new record over, and leaves the buffer of the old one in its place.
    pub fn exchange(&mut self, text: &mut Vec<u8>) {
        self.is_split = false;
        self.is_stale = false;
        self.value = None;
        std::mem::swap(&mut self.text, text);
    }

    /// Replaces the record.
    pub fn set(&mut self, text: &[u8]) {
        self.is_split = false;
        self.is_stale = false;
        self.value = None;
        self.text.clear();
        self.text.extend_from_slice(text);
    }

    fn split(&mut self) {
        if self.is_split {
            return;
        }
        self.is_split = true;
        let (text, fields) = (&self.text, &mut self.fields);
        fields.clear();
        match &self.separator {
            Separator::Csv => split::csv(text, |piece| fields.push(Field::Own(Value::input(&piece)))),
            separator => separator.split(text, |start, end| fields.push(Field::Piece(start as u32, end as u32))),
        }
    }

    /// Puts the record together again if a field was changed.
    #[inline]
    fn join(&mut self, ofs: &[u8], convfmt: &[u8]) {
        if !self.is_stale {
            return;
        }
        self.is_stale = false;
        let mut text = std::mem::take(&mut self.spare);
        text.clear();
        for (number, field) in self.fields.iter_mut().enumerate() {
            if number > 0 {
                append(&mut text, ofs);
            }
            match field {
                Field::Piece(start, end) => {
                    let begin = text.len() as u32;
                    append(&mut text, &self.text[*start as usize..*end as usize]);
                    (*start, *end) = (begin, text.len() as u32);
                }
                Field::Own(value) => append(&mut text, &value.bytes(convfmt)),
            }
        }
        self.spare = std::mem::replace(&mut self.text, text);
        self.value = None;
    }

    /// `$0`.
    #[inline]
    pub fn text(&mut self, ofs: &[u8], convfmt: &[u8]) -> &[u8] {
        self.join(ofs, convfmt);
        &self.text
    }

    /// Takes `$0` out, for a function that needs it beside all of the machine. It has to be given back.
    pub fn lend(&mut self, ofs: &[u8], convfmt: &[u8]) -> Vec<u8> {
        self.join(ofs, convfmt);
        std::mem::take(&mut self.text)
    }

    /// Puts `$0` back.
    pub fn give_back(&mut self, text: Vec<u8>) {
        self.text = text;
    }

    /// `$0` as a value.
    #[inline]
    pub fn value(&mut self, ofs: &[u8], convfmt: &[u8]) -> Value {
        self.join(ofs, convfmt);
        self.value.get_or_insert_with(|| Value::input(&self.text)).clone()
    }

    /// How many fields there are.
    pub fn count(&mut self) -> usize {
        self.split();
        self.fields.len()
    }

    /// A field, from 1 on; one that is not there is empty.
    #[inline]
    pub fn field(&mut self, number: usize) -> Value {
        self.split();
        match self.fields.get(number.wrapping_sub(1)) {
            Some(Field::Piece(start, end)) => Value::input(&self.text[*start as usize..*end as usize]),
            Some(Field::Own(value)) => value.clone(),
            None => Value::input(b""),
        }
    }

    /// Adds a field to what is printed.
    #[inline]
    pub fn write_field(&mut self, number: usize, to: &mut Vec<u8>, ofmt: &[u8]) {
        self.split();
        match self.fields.get(number.wrapping_sub(1)) {
            Some(Field::Piece(start, end)) => append(to, &self.text[*start as usize..*end as usize]),
            Some(Field::Own(Value::Number(value))) => format::number(to, *value, ofmt),
            Some(Field::Own(value)) => to.extend_from_slice(&value.bytes(ofmt)),
            None => {}
        }
    }

    /// Assigns to a field, from 1 on; those in between come to be.
    pub fn set_field(&mut self, number: usize, value: Value) {
        self.split();
        if number > self.fields.len() {
            self.fields.resize(number, Field::Piece(0, 0));
        }
        self.fields[number - 1] = Field::Own(value);
        self.is_stale = true;
    }

    /// Assigns to NF.
    pub fn set_count(&mut self, count: usize) {
        self.split();
        self.fields.resize(count, Field::Piece(0, 0));
        self.is_stale = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(record: &mut Record) -> String {
        String::from_utf8_lossy(record.text(b"-", b"%.6g")).into_owned()
    }

    #[test]
    fn a_changed_field_changes_the_record_when_it_is_asked_for() {
        let mut record = Record::default();
        record.set(b"  a  b c");
        assert_eq!(record.count(), 3);
        assert_eq!(text(&mut record), "  a  b c");
        record.set_field(2, Value::Number(0.5));
        assert_eq!(text(&mut record), "a-0.5-c");
        record.set_field(5, Value::text(b"e"));
        assert_eq!(text(&mut record), "a-0.5-c--e");
        record.set_count(2);
        assert_eq!(text(&mut record), "a-0.5");
        assert_eq!(record.count(), 2);
        assert_eq!(record.field(3).bytes(b"").as_ref(), b"");
        record.set(b"x y");
        assert_eq!(record.field(2).bytes(b"").as_ref(), b"y");
    }

    #[test]
    fn a_record_is_split_by_what_it_was_read_with() {
        let mut record = Record::default();
        record.set(b"a b,c");
        record.separate_by(Separator::Byte(b','));
        assert_eq!(record.count(), 2);
        assert_eq!(record.field(2).bytes(b"").as_ref(), b"b,c");
        record.set(b"a b,c");
        assert_eq!(record.field(2).bytes(b"").as_ref(), b"c");
    }
}
