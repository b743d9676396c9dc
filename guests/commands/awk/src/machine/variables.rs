//! Variables, and what happens when one is set that means something.

use super::{Machine, Step};
use crate::code::{ArrayRef, Slot};
use crate::error::Error;
use crate::lexer;
use crate::reader::Terminator;
use crate::record::MOST_FIELDS;
use crate::special::Special;
use crate::split::Separator;
use crate::value::Value;
use std::borrow::Cow;

impl Machine<'_> {
    #[inline]
    pub(super) fn get(&mut self, slot: Slot) -> Value {
        match slot {
            Slot::Global(at) => self.globals[usize::from(at)].clone(),
            Slot::Local(at) => self.stack[self.base + usize::from(at)].clone(),
            Slot::Special(at) => self.special(at),
        }
    }

    pub(super) fn special(&mut self, at: u16) -> Value {
        match Special::watched(at.into()) {
            Some(Special::Nf) => Value::Number(self.record.count() as f64),
            Some(Special::Nr) => Value::Number(self.nr),
            Some(Special::Fnr) => Value::Number(self.fnr),
            _ => self.globals[usize::from(at)].clone(),
        }
    }

    #[inline]
    pub(super) fn set(&mut self, slot: Slot, value: Value) -> Step {
        match slot {
            Slot::Global(at) => self.globals[usize::from(at)] = value,
            Slot::Local(at) => {
                let place = self.base + usize::from(at);
                self.stack[place] = value;
            }
            Slot::Special(at) => self.set_special(at, value)?,
        }
        Ok(())
    }

    fn set_special(&mut self, at: u16, value: Value) -> Step {
        let Some(special) = Special::watched(at.into()) else {
            self.globals[usize::from(at)] = value;
            return Ok(());
        };
        let bytes = value.bytes(&self.convfmt).into_owned();
        match special {
            Special::Nf => {
                let count = value.number();
                if !(0.0..=MOST_FIELDS as f64).contains(&count.trunc()) {
                    return Err(self.failure(format!("NF set to {count}")));
                }
                self.record.set_count(count as usize);
            }
            Special::Nr => self.nr = value.number(),
            Special::Fnr => self.fnr = value.number(),
            Special::Ofs => {
                // A record that was changed is put together by the separator that was in force.
                self.record.text(&self.ofs, &self.convfmt);
                self.ofs = bytes;
            }
            Special::Ors => self.ors = bytes,
            Special::Subsep => self.subsep = bytes,
            Special::Convfmt => self.convfmt = bytes,
            Special::Ofmt => self.ofmt = bytes,
            Special::Fs => {
                self.globals[usize::from(at)] = value;
                return self.separate();
            }
            Special::Rs => {
                let terminator = Terminator::of(&bytes, &mut self.regexes).map_err(|message| self.failure(message))?;
                if !self.csv {
                    self.terminator = terminator;
                }
                self.globals[usize::from(at)] = value;
                return self.separate();
            }
            _ => {}
        }
        self.globals[usize::from(at)] = value;
        Ok(())
    }

    /// Makes FS, and whether records are paragraphs, known to the record.
    fn separate(&mut self) -> Step {
        if self.csv {
            return Ok(());
        }
        let paragraph = matches!(self.terminator, Terminator::Paragraph);
        let fs = self.globals[Special::Fs as usize].bytes(&self.convfmt).into_owned();
        let separator = Separator::of(&fs, paragraph, &mut self.regexes)
            .map_err(|message| self.failure(format!("FS: {message}")))?;
        self.record.separate_by(separator);
        Ok(())
    }

    /// `name=value` of the command line: escapes count, and a number is one.
    pub(super) fn assign_named(&mut self, name: &str, value: &[u8]) -> Result<(), Error> {
        let Some(at) = self.code.globals.iter().position(|known| known == name) else {
            // A variable that the program does not use.
            return Ok(());
        };
        if self.code.arrays[at] {
            return Err(Error::new(format!("can't assign to {name}; it's an array name.")));
        }
        let value = Value::input(&lexer::unescaped(value));
        let slot = match Special::watched(at as u32) {
            Some(_) => Slot::Special(at as u16),
            None => Slot::Global(at as u16),
        };
        match self.set(slot, value) {
            Err(super::Stop::Failed(error)) => Err(*error),
            _ => Ok(()),
        }
    }

    #[inline]
    pub(super) fn array_number(&self, array: ArrayRef) -> usize {
        match array {
            ArrayRef::Global(at) => at.into(),
            ArrayRef::Local(at) => self.handles[self.array_base + usize::from(at)] as usize,
        }
    }

    /// `$0` as a value.
    pub(super) fn record_value(&mut self) -> Value {
        self.record.value(&self.ofs, &self.convfmt)
    }

    /// The number of a field that a value says.
    #[inline]
    pub(super) fn field_number(&self, value: &Value) -> Step<usize> {
        let number = value.number();
        if (0.0..=MOST_FIELDS as f64).contains(&number) {
            return Ok(number as usize);
        }
        Err(self.failure(format!("trying to access out of range field {}", number.trunc())))
    }

    #[inline]
    pub(super) fn field(&mut self, number: usize) -> Value {
        match number {
            0 => self.record_value(),
            number => self.record.field(number),
        }
    }

    pub(super) fn set_field(&mut self, number: usize, value: Value) {
        match number {
            0 => {
                let text = value.bytes(&self.convfmt);
                self.record.set(&text);
            }
            number => self.record.set_field(number, value),
        }
    }

    /// Calls with the bytes of a value, which are not copied when it is a string.
    #[inline]
    pub(super) fn bytes_of<'v>(&self, value: &'v Value) -> Cow<'v, [u8]> {
        value.bytes(&self.convfmt)
    }
}
