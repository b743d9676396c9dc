//! The functions of the language.

use super::{Machine, Step};
use crate::array::{Array, Key};
use crate::builtin::Builtin;
use crate::format;
use crate::number;
use crate::regex::Regex;
use crate::special::Special;
use crate::split::{self, Separator};
use crate::text::Text;
use crate::utf8;
use crate::value::Value;
use memchr::memmem::Finder;
use std::cmp::Ordering;
use std::rc::Rc;

/// The largest integer for the functions of bits.
const MOST_BITS: f64 = 9_007_199_254_740_992.0;

impl Machine<'_> {
    /// An expression that is a string.
    pub(super) fn dynamic(&mut self, source: &Value) -> Step<Rc<Regex>> {
        let source = source.bytes(&self.convfmt);
        self.regexes.get(&source).map_err(|message| {
            let source = String::from_utf8_lossy(&source).into_owned();
            self.failure(format!("{message} in regular expression {source}"))
        })
    }

    /// Calls one whose first argument is the record: it is not made a value first.
    pub(super) fn builtin_of_record(&mut self, builtin: Builtin, count: usize, has_regex: bool) -> Step {
        let record = self.record.lend(&self.ofs, &self.convfmt);
        let result = self.of_text(builtin, &record, utf8::is_ascii(&record), count, has_regex);
        self.record.give_back(record);
        let value = result?;
        self.push(value);
        Ok(())
    }

    /// Calls one of those whose first argument is a string. The others are on the stack.
    fn of_text(&mut self, builtin: Builtin, text: &[u8], is_ascii: bool, count: usize, has_regex: bool) -> Step<Value> {
        let regex = if has_regex { self.regex.take() } else { None };
        Ok(match (builtin, regex) {
            (Builtin::Match, Some(regex)) => self.matched(&regex, text, count > 1),
            (Builtin::Split, regex) => self.split(regex, text, count > 1)?,
            (Builtin::Substr, _) => self.substr(text, is_ascii, count),
            (Builtin::Index, _) => self.index(text, is_ascii),
            (Builtin::Tolower, _) => {
                let lower = utf8::map_case(text, is_ascii, u8::to_ascii_lowercase, char::to_lowercase);
                Value::Text(Text::from_vec(lower))
            }
            (Builtin::Toupper, _) => {
                let upper = utf8::map_case(text, is_ascii, u8::to_ascii_uppercase, char::to_uppercase);
                Value::Text(Text::from_vec(upper))
            }
            _ => Value::Unset,
        })
    }

    /// Calls one: its arguments are on the stack, its arrays among the handles.
    pub(super) fn builtin(&mut self, builtin: Builtin, count: usize, has_regex: bool) -> Step {
        let value = match builtin {
            Builtin::Match
            | Builtin::Split
            | Builtin::Substr
            | Builtin::Index
            | Builtin::Tolower
            | Builtin::Toupper => {
                // The text is below the other arguments that are values; the arrays are elsewhere.
                let below = match builtin {
                    Builtin::Match => 0,
                    _ => count - 1,
                };
                let place = self.stack.len() - below - 1;
                let text = std::mem::take(&mut self.stack[place]).into_text(&self.convfmt);
                let value = self.of_text(builtin, text.bytes(), text.is_ascii(), count, has_regex)?;
                self.stack.truncate(place);
                value
            }
            _ => self.other(builtin, count, has_regex)?,
        };
        self.push(value);
        Ok(())
    }

    fn other(&mut self, builtin: Builtin, count: usize, has_regex: bool) -> Step<Value> {
        let regex = if has_regex { self.regex.take() } else { None };
        Ok(match (builtin, regex) {
            (Builtin::Sub, Some(regex)) => self.substitute(&regex, false),
            (Builtin::Gsub, Some(regex)) => self.substitute(&regex, true),
            (Builtin::Gensub, Some(regex)) => self.gensub(&regex),
            (Builtin::Asort, _) => self.sorted(count, false),
            (Builtin::Asorti, _) => self.sorted(count, true),
            (Builtin::Sprintf, _) => {
                let from = self.stack.len() - count;
                let arguments = self.stack.split_off(from);
                match format::sprintf(&arguments, &self.convfmt) {
                    Ok(text) => Value::Text(text),
                    Err(trouble) => return Err(self.format_failure(&trouble, &arguments[0].bytes(b""))),
                }
            }
            (Builtin::Length, _) => Value::Number(match self.pop() {
                Value::Text(text) => text.chars() as f64,
                other => other.bytes(&self.convfmt).len() as f64,
            }),
            (Builtin::Close, _) => {
                for _ in 1..count {
                    self.pop();
                }
                let name = self.pop();
                let name = self.bytes_of(&name).into_owned();
                Value::Number(self.streams.close(&name).map_or(-1.0, f64::from))
            }
            (Builtin::Fflush, _) => self.flush(count),
            (Builtin::System, _) => {
                let command = self.pop();
                let command = self.bytes_of(&command).into_owned();
                match self.streams.system(&command) {
                    Ok(status) => Value::Number(status.into()),
                    Err(error) => return Err(self.failure(format!("can't write: {error}"))),
                }
            }
            (Builtin::Rand, _) => Value::Number(self.random.next()),
            (Builtin::Srand, _) => self.seed(count),
            (Builtin::Systime | Builtin::Strftime | Builtin::Mktime, _) => self.time(builtin, count),
            (Builtin::And | Builtin::Or | Builtin::Xor, _) => self.bits(builtin, count)?,
            (Builtin::Lshift | Builtin::Rshift | Builtin::Compl, _) => self.shift(builtin)?,
            (Builtin::Strtonum, _) => {
                let value = self.pop();
                Value::Number(match &value {
                    Value::Text(text) => literal_number(text.bytes()),
                    other => other.number(),
                })
            }
            (Builtin::Atan2, _) => {
                let x = self.pop_number();
                let y = self.pop_number();
                Value::Number(y.atan2(x))
            }
            _ => {
                let x = self.pop_number();
                Value::Number(match builtin {
                    Builtin::Int => x.trunc(),
                    Builtin::Sqrt => x.sqrt(),
                    Builtin::Exp => x.exp(),
                    Builtin::Log => x.ln(),
                    Builtin::Sin => x.sin(),
                    Builtin::Cos => x.cos(),
                    _ => x,
                })
            }
        })
    }

    /// Characters from `start`, at least the first, as many as there are or as the third argument says.
    fn substr(&mut self, text: &[u8], is_ascii: bool, count: usize) -> Value {
        let length = if count > 2 { self.pop_number() } else { f64::INFINITY };
        let start = self.pop_number();
        // A start or length that is not a number takes nothing: both casts make it 0.
        let start = (start.trunc().max(1.0) as usize).saturating_sub(1);
        let length = length.trunc().max(0.0) as usize;
        if length == 0 {
            return Value::Text(Text::EMPTY);
        }
        let (from, to) = if is_ascii {
            let from = start.min(text.len());
            (from, from.saturating_add(length).min(text.len()))
        } else {
            let from = utf8::offset(text, start);
            (from, from + utf8::offset(&text[from..], length))
        };
        Value::text(&text[from..to])
    }

    fn index(&mut self, text: &[u8], is_ascii: bool) -> Value {
        let sought = self.pop();
        let sought = sought.bytes(&self.convfmt);
        if self
            .finder
            .as_ref()
            .is_none_or(|finder| finder.needle() != sought.as_ref())
        {
            self.finder = Some(Finder::new(&sought).into_owned());
        }
        let found = self.finder.as_ref().and_then(|finder| finder.find(text));
        Value::Number(match found {
            Some(at) if is_ascii => at as f64 + 1.0,
            Some(at) => utf8::count(&text[..at]) as f64 + 1.0,
            None => 0.0,
        })
    }

    /// Sets RSTART and RLENGTH, in characters; the third argument gets what the groups took.
    fn matched(&mut self, regex: &Regex, subject: &[u8], into_array: bool) -> Value {
        let found = regex.find(subject, 0);
        let (start, length) = match found {
            Some((start, end)) => (
                utf8::length(&subject[..start]) + 1,
                utf8::length(&subject[start..end]) as f64,
            ),
            None => (0, -1.0),
        };
        self.globals[Special::Rstart as usize] = Value::Number(start as f64);
        self.globals[Special::Rlength as usize] = Value::Number(length);
        if into_array && let Some(handle) = self.handles.pop() {
            let array = &mut self.arrays[handle as usize];
            array.clear();
            if let Some(span) = found {
                let groups = regex.groups(subject, span);
                record_groups(array, subject, &groups, &self.subsep);
            }
        }
        Value::Number(start as f64)
    }

    fn split(&mut self, regex: Option<Rc<Regex>>, subject: &[u8], given: bool) -> Step<Value> {
        let separator = match (regex, given) {
            (Some(regex), _) => Separator::Regex(regex),
            (None, true) => {
                let separator = self.pop();
                let text = self.bytes_of(&separator).into_owned();
                Separator::of(&text, false, &mut self.regexes).map_err(|message| self.failure(message))?
            }
            (None, false) if self.csv => Separator::Csv,
            (None, false) => {
                let fs = self.globals[Special::Fs as usize].bytes(&self.convfmt).into_owned();
                Separator::of(&fs, false, &mut self.regexes).map_err(|message| self.failure(message))?
            }
        };
        let handle = self.handles.pop().unwrap_or_default();
        let array = &mut self.arrays[handle as usize];
        let count = array.fill_with(|list| match &separator {
            Separator::Csv => split::csv(subject, |piece| list.push(Value::input(&piece))),
            separator => separator.split(subject, |start, end| list.push(Value::input(&subject[start..end]))),
        });
        Ok(Value::Number(count as f64))
    }

    /// `asort` sorts the elements, `asorti` the subscripts; the result is numbered from 1.
    fn sorted(&mut self, count: usize, subscripts: bool) -> Value {
        let to = self.handles.pop().unwrap_or_default();
        let from = if count > 1 {
            self.handles.pop().unwrap_or_default()
        } else {
            to
        };
        let array = &self.arrays[from as usize];
        let mut values: Vec<Value> = match subscripts {
            true => array.keys().iter().map(Key::value).collect(),
            false => array.values().cloned().collect(),
        };
        let convfmt = &self.convfmt;
        match subscripts {
            true => values.sort_by(|a, b| a.bytes(convfmt).cmp(&b.bytes(convfmt))),
            // Numbers come before strings.
            false => values.sort_by(|a, b| {
                let strings = (!a.is_numeric()).cmp(&!b.is_numeric());
                strings.then_with(|| a.compare(b, convfmt).unwrap_or(Ordering::Equal))
            }),
        }
        Value::Number(self.arrays[to as usize].fill(values) as f64)
    }

    fn flush(&mut self, count: usize) -> Value {
        let flushed = match count {
            0 => self.streams.flush().map(|()| true),
            _ => {
                let name = self.pop();
                let name = self.bytes_of(&name).into_owned();
                match name.is_empty() {
                    true => self.streams.flush().map(|()| true),
                    false => self.streams.flush_one(&name),
                }
            }
        };
        Value::Number(if flushed.unwrap_or(false) { 0.0 } else { -1.0 })
    }

    fn seed(&mut self, count: usize) -> Value {
        let seed = match count {
            0 => super::time::now() as f64,
            _ => self.pop_number(),
        };
        let before = self.random.seed;
        self.random = super::arith::Random::new(seed);
        Value::Number(before)
    }

    fn bits_of(&self, number: f64, name: &str) -> Step<u64> {
        match (0.0..=MOST_BITS).contains(&number) {
            true => Ok(number as u64),
            false => Err(self.failure(format!("{name}: argument {number} is out of range"))),
        }
    }

    fn bits(&mut self, builtin: Builtin, count: usize) -> Step<Value> {
        let name = builtin.entry().name;
        let first = self.pop_number();
        let mut result = self.bits_of(first, name)?;
        for _ in 1..count {
            let other = self.pop_number();
            let other = self.bits_of(other, name)?;
            result = match builtin {
                Builtin::And => result & other,
                Builtin::Or => result | other,
                _ => result ^ other,
            };
        }
        Ok(Value::Number(result as f64))
    }

    fn shift(&mut self, builtin: Builtin) -> Step<Value> {
        let name = builtin.entry().name;
        let top = self.pop_number();
        let top = self.bits_of(top, name)?;
        if builtin == Builtin::Compl {
            return Ok(Value::Number((!top & (MOST_BITS as u64 - 1)) as f64));
        }
        let number = self.pop_number();
        let number = self.bits_of(number, name)?;
        let by = u32::try_from(top).unwrap_or(u32::MAX);
        let shifted = match builtin {
            Builtin::Lshift => number.checked_shl(by),
            _ => number.checked_shr(by),
        };
        Ok(Value::Number(shifted.unwrap_or(0) as f64))
    }
}

/// `a[0]` is all of the match, `a[1]` what the first group took, `a[1, "start"]` and `a[1, "length"]` where, in characters.
fn record_groups(array: &mut Array, subject: &[u8], groups: &[Option<(usize, usize)>], subsep: &[u8]) {
    for (number, group) in groups.iter().enumerate() {
        let Some((start, end)) = *group else { continue };
        array.set(Key::of_number(number as f64, b""), Value::input(&subject[start..end]));
        let facts = [
            ("start", utf8::count(&subject[..start]) + 1),
            ("length", utf8::count(&subject[start..end])),
        ];
        for (name, fact) in facts {
            let key = [number.to_string().as_bytes(), subsep, name.as_bytes()].concat();
            array.set(Key::of_bytes(&key), Value::Number(fact as f64));
        }
    }
}

/// A number as programs write it: hexadecimal behind `0x`, octal behind `0`.
fn literal_number(text: &[u8]) -> f64 {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1.0, rest),
        [b'+', rest @ ..] => (1.0, rest),
        rest => (1.0, rest),
    };
    let in_base = |digits: &[u8], base: u32| {
        let digits = digits.iter().map_while(|byte| char::from(*byte).to_digit(base));
        digits.fold(0.0, |value, digit| value * f64::from(base) + f64::from(digit))
    };
    match digits {
        [b'0', b'x' | b'X', rest @ ..] => sign * in_base(rest, 16),
        [b'0', rest @ ..] if !rest.is_empty() && rest.iter().all(|byte| matches!(byte, b'0'..=b'7')) => {
            sign * in_base(rest, 8)
        }
        _ => number::of(text),
    }
}
