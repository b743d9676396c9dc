//! `$x`, `${x:-y}` and their kin.

use super::Mode;
use super::field::Fields;
use super::pattern::{self, Pattern};
use crate::ast::{Bytes, End, Name, Op, Parameter, Replace, Test, Word};
use crate::options::Flag;
use crate::shell::{Shell, Trouble, lossy};
use std::borrow::Cow;

/// What a parameter holds.
enum Value {
    Unset,
    Text(Bytes),
    /// `$@` or, if true, `$*`.
    List(Vec<Bytes>, bool),
}

impl Value {
    fn is_null(&self) -> bool {
        match self {
            Value::Unset => true,
            Value::Text(text) => text.is_empty(),
            Value::List(list, _) => list.is_empty() || (list.len() == 1 && list[0].is_empty()),
        }
    }

    fn is_unset(&self) -> bool {
        match self {
            Value::Unset => true,
            Value::Text(_) => false,
            Value::List(list, _) => list.is_empty(),
        }
    }

    fn map(self, mut change: impl FnMut(Bytes) -> Result<Bytes, Trouble>) -> Result<Value, Trouble> {
        Ok(match self {
            Value::Unset => Value::Unset,
            Value::Text(text) => Value::Text(change(text)?),
            Value::List(list, star) => Value::List(list.into_iter().map(change).collect::<Result<_, _>>()?, star),
        })
    }
}

impl Shell {
    /// A variable's value; some are made up as they are asked for.
    pub fn variable(&self, name: &[u8]) -> Option<Cow<'_, [u8]>> {
        match self.variables.get(name) {
            Some(value) => Some(Cow::Borrowed(value)),
            None if name == b"LINENO" => Some(Cow::Owned(self.line.to_string().into())),
            None => None,
        }
    }

    fn value(&self, name: &Name) -> Value {
        let number = |number: u32| Value::Text(number.to_string().into());
        match name {
            Name::Variable(name) => self
                .variable(name)
                .map_or(Value::Unset, |text| Value::Text(text.into())),
            Name::Positional(0) => Value::Text(self.name.to_vec()),
            Name::Positional(at) => match self.args().get(at - 1) {
                Some(arg) => Value::Text(arg.clone()),
                None => Value::Unset,
            },
            Name::Special(b'@') => Value::List(self.args().to_vec(), false),
            Name::Special(b'*') => Value::List(self.args().to_vec(), true),
            Name::Special(b'#') => number(self.args().len() as u32),
            Name::Special(b'?') => number(self.status.into()),
            Name::Special(b'-') => Value::Text(self.options.letters()),
            Name::Special(b'$') => number(self.pid),
            Name::Special(_) => self.last_job.map_or(Value::Unset, number),
        }
    }

    pub(super) async fn parameter(
        &mut self,
        parameter: &Parameter,
        mode: Mode,
        out: &mut Fields,
    ) -> Result<(), Trouble> {
        let name = &parameter.name;
        let value = match &parameter.op {
            Op::Plain => return self.plain(name, mode, out),
            Op::Bad => return Err("bad substitution".to_owned().into()),
            Op::Length => Value::Text(self.length(name)?.to_string().into()),
            Op::Test { test, colon, word } => {
                let value = self.value(name);
                let missing = if *colon { value.is_null() } else { value.is_unset() };
                match (test, missing) {
                    (Test::Default, true) | (Test::Alternate, false) => return self.word(word, mode, out).await,
                    (Test::Alternate, true) => Value::Unset,
                    (Test::Assign, true) => Value::Text(self.assign_default(name, word).await?),
                    (Test::Error, true) => return Err(self.missing(name, *colon, word).await),
                    (_, false) => value,
                }
            }
            Op::Trim { end, longest, pattern } => {
                let value = self.set_value(name)?;
                let pattern = self.pattern(pattern).await?;
                value.map(|text| self.trim(&text, &pattern, *end, *longest))?
            }
            Op::Slice { offset, length } => {
                let value = self.set_value(name)?;
                let offset = self.arithmetic(offset).await?;
                let length = match length {
                    Some(length) => Some(self.arithmetic(length).await?),
                    None => None,
                };
                slice(value, offset, length)?
            }
            Op::Replace { how, pattern, with } => {
                let value = self.set_value(name)?;
                let pattern = self.pattern(pattern).await?;
                let (with, _held) = self.text(with).await?;
                value.map(|text| self.replace(&text, &pattern, *how, &with))?
            }
        };
        self.put(&value, mode, out)
    }

    /// `$x` alone, without copying the value first.
    fn plain(&mut self, name: &Name, mode: Mode, out: &mut Fields) -> Result<(), Trouble> {
        match name {
            Name::Variable(variable) => {
                if let Some(value) = self.variables.get(variable) {
                    return Ok(out.push(value, mode.expanded())?);
                }
            }
            Name::Special(special @ (b'@' | b'*')) => {
                return self.put_list(self.args(), *special == b'*', mode, out);
            }
            _ => {}
        }
        let value = self.set_value(name)?;
        self.put(&value, mode, out)
    }

    /// The value, where `set -u` asks for one.
    fn set_value(&self, name: &Name) -> Result<Value, Trouble> {
        match self.value(name) {
            Value::Unset if self.is(Flag::NoUnset) => Err(format!("{}: parameter not set", shown(name)).into()),
            value => Ok(value),
        }
    }

    fn put(&self, value: &Value, mode: Mode, out: &mut Fields) -> Result<(), Trouble> {
        match value {
            Value::Unset => Ok(()),
            Value::Text(text) => Ok(out.push(text, mode.expanded())?),
            Value::List(list, star) => self.put_list(list, *star, mode, out),
        }
    }

    fn put_list(&self, list: &[Bytes], star: bool, mode: Mode, out: &mut Fields) -> Result<(), Trouble> {
        if mode.joined || (mode.quoted && star) {
            let separators = self.separators();
            let between = if star { separators.joiner() } else { b" " };
            for (at, arg) in list.iter().enumerate() {
                if at > 0 {
                    out.push(between, mode.expanded())?;
                }
                out.push(arg, mode.expanded())?;
            }
            return Ok(());
        }
        for (at, arg) in list.iter().enumerate() {
            if at > 0 {
                out.next()?;
            }
            if mode.quoted {
                out.present();
            }
            out.push(arg, mode.expanded())?;
        }
        Ok(())
    }

    async fn word(&mut self, word: &Word, mode: Mode, out: &mut Fields) -> Result<(), Trouble> {
        let mode = Mode { inside: true, ..mode };
        self.parts(&word.parts, mode, out).await
    }

    fn length(&self, name: &Name) -> Result<usize, Trouble> {
        Ok(match self.set_value(name)? {
            Value::Unset => 0,
            Value::Text(text) => match std::str::from_utf8(&text) {
                Ok(text) => text.chars().count(),
                Err(_) => text.len(),
            },
            Value::List(list, _) => list.len(),
        })
    }

    async fn assign_default(&mut self, name: &Name, word: &Word) -> Result<Bytes, Trouble> {
        let Name::Variable(variable) = name else {
            return Err(format!("{}: cannot be assigned to", shown(name)).into());
        };
        let (value, _held) = self.text(word).await?;
        self.assign(variable, value.clone())?;
        Ok(value)
    }

    async fn missing(&mut self, name: &Name, colon: bool, word: &Word) -> Trouble {
        let message = match self.text(word).await {
            Ok((message, _)) => message,
            Err(trouble) => return trouble,
        };
        let message = match (&message[..], colon) {
            (b"", true) => "parameter null or not set".into(),
            (b"", false) => "parameter not set".into(),
            (text, _) => lossy(text),
        };
        format!("{}: {message}", shown(name)).into()
    }

    fn trim(&self, text: &[u8], pattern: &Pattern, end: End, longest: bool) -> Result<Bytes, Trouble> {
        let chars = pattern::chars(text);
        let meter = &self.world.meter;
        let rest = match end {
            End::Prefix => &chars[pattern.prefix(&chars, longest, meter)?.unwrap_or(0)..],
            End::Suffix => &chars[..chars.len() - pattern.suffix(&chars, longest, meter)?.unwrap_or(0)],
        };
        Ok(pattern::text(rest))
    }

    fn replace(&self, text: &[u8], pattern: &Pattern, how: Replace, with: &[u8]) -> Result<Bytes, Trouble> {
        let chars = pattern::chars(text);
        let meter = &self.world.meter;
        let mut result = Bytes::new();
        // The result may be far longer than the text, so it is paid for as it grows.
        let mut held = meter.memory(0)?;
        if how == Replace::AtEnd {
            let Some(length) = pattern.suffix(&chars, true, meter)? else {
                return Ok(text.to_vec());
            };
            result.extend(pattern::text(&chars[..chars.len() - length]));
            result.extend(with);
            return Ok(result);
        }
        let mut at = 0;
        while at < chars.len() {
            match pattern.prefix(&chars[at..], true, meter)? {
                Some(length) if length > 0 => {
                    held.grow(with.len())?;
                    result.extend(with);
                    at += length;
                    if how != Replace::All {
                        break;
                    }
                }
                _ if how == Replace::AtStart => break,
                _ => {
                    result.extend(pattern::text(&chars[at..=at]));
                    at += 1;
                }
            }
        }
        result.extend(pattern::text(&chars[at..]));
        Ok(result)
    }
}

/// `${x:offset:length}`. From the end if negative.
fn slice(value: Value, offset: i64, length: Option<i64>) -> Result<Value, Trouble> {
    let bounds = |count: usize| -> Result<std::ops::Range<usize>, Trouble> {
        let count = count as i64;
        let start = if offset < 0 {
            count.saturating_add(offset)
        } else {
            offset
        };
        if start < 0 || start > count {
            return Ok(0..0);
        }
        let end = match length {
            None => count,
            Some(length) if length < 0 => count.saturating_add(length),
            Some(length) => start.saturating_add(length).min(count),
        };
        match end < start {
            true => Err(format!("{}: substring expression < 0", length.unwrap_or(0)).into()),
            false => Ok(start as usize..end as usize),
        }
    };
    Ok(match value {
        Value::Unset => Value::Unset,
        Value::Text(text) => {
            let chars = pattern::chars(&text);
            Value::Text(pattern::text(&chars[bounds(chars.len())?]))
        }
        Value::List(list, star) => {
            // Positional parameters count from one.
            let shifted = offset.max(1) - 1;
            let start = usize::try_from(shifted).unwrap_or(0).min(list.len());
            let end = match length {
                Some(length) => start
                    .saturating_add(usize::try_from(length).unwrap_or(0))
                    .min(list.len()),
                None => list.len(),
            };
            Value::List(list[start..end].to_vec(), star)
        }
    })
}

/// The parameter's name for a message.
fn shown(name: &Name) -> String {
    match name {
        Name::Variable(name) => lossy(name).into_owned(),
        Name::Positional(number) => number.to_string(),
        Name::Special(byte) => char::from(*byte).to_string(),
    }
}
