//! `$x`, `${x:-y}` and their kin.

use super::Mode;
use super::field::{Fields, Mark};
use super::pattern::{self, Pattern};
use crate::Dialect;
use crate::assign::Place;
use crate::ast::{Bytes, End, Index, Name, Op, Parameter, Replace, Test, Word};
use crate::options::Flag;
use crate::quote;
use crate::shell::{Shell, Trouble, lossy};
use crate::shopt::Opt;
use crate::variables::Shape;

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
    fn value(&self, name: &Name) -> Value {
        let number = |number: u32| Value::Text(number.to_string().into());
        match name {
            Name::Variable(name) => self
                .variable(name)
                .map_or(Value::Unset, |text| Value::Text(text.into_owned())),
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

    /// What a parameter names, and what it holds.
    async fn look_up(&mut self, parameter: &Parameter) -> Result<(Subject, Value), Trouble> {
        let subject = self.subject(parameter).await?;
        let value = self.value_of(&subject)?;
        if !parameter.indirect {
            return Ok((subject, value));
        }
        // `${!x}`: a name that stands for another tells which; any other variable has the name for its value.
        if let Name::Variable(name) = &parameter.name
            && parameter.index.is_none()
            && let Some(variable) = self.variables.entry(name)
            && variable.nameref
        {
            let text = variable.value().unwrap_or_default().to_vec();
            return Ok((subject, Value::Text(text)));
        }
        let text = match value {
            Value::Text(text) => text,
            Value::List(list, _) => list.join(&b' '),
            Value::Unset => match parameter.op {
                Op::Test { .. } => return Ok((subject, Value::Unset)),
                _ => return Err(format!("{}: invalid indirect expansion", subject.shown()).into()),
            },
        };
        let Some(subject) = Subject::parse(self, &text) else {
            return Err(format!("{}: invalid variable name", lossy(&text)).into());
        };
        let subject = match subject {
            Subject::At(place) if place.index.is_none() => Subject::At(self.resolve(&place.name)),
            subject => subject,
        };
        let value = self.value_of(&subject)?;
        Ok((subject, value))
    }

    async fn subject(&mut self, parameter: &Parameter) -> Result<Subject, Trouble> {
        let Name::Variable(name) = &parameter.name else {
            return Ok(Subject::Name(parameter.name.clone()));
        };
        let place = match parameter.indirect && parameter.index.is_none() {
            true => Place {
                name: name.clone(),
                index: None,
            },
            false => self.resolve(name),
        };
        Ok(match &parameter.index {
            None => Subject::At(place),
            Some(Index::All(star)) => Subject::All(place.name, *star),
            Some(Index::At(parts)) => {
                let index = self.index_text(parts).await?;
                match &index[..] {
                    b"@" | b"*" => Subject::All(place.name, index == b"*"),
                    _ => Subject::At(Place {
                        name: place.name,
                        index: Some(index),
                    }),
                }
            }
        })
    }

    fn value_of(&mut self, subject: &Subject) -> Result<Value, Trouble> {
        Ok(match subject {
            Subject::Name(name) => self.value(name),
            Subject::All(name, star) => {
                let values = self.entries(name).into_iter().map(|(_, value)| value).collect();
                Value::List(values, *star)
            }
            Subject::At(Place { name, index: None }) => {
                if let Some(drawn) = self.drawn(name) {
                    return Ok(Value::Text(drawn));
                }
                self.refuse_unknown(name)?;
                match self.variable(name) {
                    Some(text) => Value::Text(text.into_owned()),
                    None => Value::Unset,
                }
            }
            Subject::At(Place {
                name,
                index: Some(index),
            }) => {
                let key = self.read_key(name, index)?;
                self.element(name, &key).map_or(Value::Unset, Value::Text)
            }
        })
    }

    pub(super) async fn parameter(
        &mut self,
        parameter: &Parameter,
        mode: Mode,
        out: &mut Fields,
    ) -> Result<(), Trouble> {
        match &parameter.op {
            Op::Plain if parameter.index.is_none() && !parameter.indirect => {
                return self.plain(&parameter.name, mode, out);
            }
            Op::Bad => return Err("bad substitution".to_owned().into()),
            Op::Bash => return Err(Dialect::refuses("this parameter expansion").into()),
            Op::Names(each) => {
                let Name::Variable(prefix) = &parameter.name else {
                    return Ok(());
                };
                let names = self
                    .variables
                    .sorted()
                    .into_iter()
                    .filter(|(_, variable)| variable.is_set());
                let names = names
                    .map(|(name, _)| name.clone())
                    .filter(|name| name.starts_with(prefix));
                let list = names.collect();
                return self.put(&Value::List(list, !each), mode, out);
            }
            Op::Keys => {
                let Subject::All(name, star) = self.subject(parameter).await? else {
                    return Ok(());
                };
                let keys = self.entries(&name).into_iter().map(|(key, _)| key).collect();
                return self.put(&Value::List(keys, star), mode, out);
            }
            _ => {}
        }
        let (subject, value) = self.look_up(parameter).await?;
        let value = match &parameter.op {
            Op::Plain => self.needed(&subject, value)?,
            Op::Length => Value::Text(length(&self.needed(&subject, value)?).to_string().into()),
            Op::Test { test, colon, word } => {
                let missing = if *colon { value.is_null() } else { value.is_unset() };
                match (test, missing) {
                    (Test::Default, true) | (Test::Alternate, false) => return self.word(word, mode, out).await,
                    (Test::Alternate, true) => Value::Unset,
                    (Test::Assign, true) => Value::Text(self.assign_default(&subject, word).await?),
                    (Test::Error, true) => return Err(self.missing(&subject, *colon, word).await),
                    (_, false) => value,
                }
            }
            Op::Trim { end, longest, pattern } => {
                let value = self.needed(&subject, value)?;
                let pattern = self.pattern(pattern).await?;
                value.map(|text| self.trim(&text, &pattern, *end, *longest))?
            }
            Op::Slice { offset, length } => {
                let value = self.needed(&subject, value)?;
                let offset = self.arithmetic(offset).await?;
                let length = match length {
                    Some(length) => Some(self.arithmetic(length).await?),
                    None => None,
                };
                self.slice(&subject, value, offset, length)?
            }
            Op::Replace { how, pattern, with } => {
                let value = self.needed(&subject, value)?;
                let style = self.matching_style();
                let pattern = self.pattern_in(pattern, style).await?;
                let with = self.replacement(with).await?;
                value.map(|text| self.replace(&text, &pattern, *how, &with))?
            }
            Op::Case { to, all, pattern } => {
                let value = self.needed(&subject, value)?;
                let wanted = match pattern.parts.is_empty() {
                    true => None,
                    false => Some(self.pattern(pattern).await?),
                };
                let meter = self.world.meter.clone();
                value.map(|text| Ok(super::case::converted(&text, *to, *all, wanted.as_ref(), &meter)?))?
            }
            Op::Transform(letter) => {
                let value = self.needed(&subject, value)?;
                self.transform(*letter, &subject, value)?
            }
            Op::Bad | Op::Bash | Op::Names(_) | Op::Keys => Value::Unset,
        };
        self.put(&value, mode, out)
    }

    fn transform(&self, letter: u8, subject: &Subject, value: Value) -> Result<Value, Trouble> {
        let name = match subject {
            Subject::At(place) => Some(&place.name),
            Subject::All(name, _) => Some(name),
            Subject::Name(_) => None,
        };
        match (letter, name, subject) {
            (b'a', Some(name), Subject::All(..)) => {
                let attributes = self.attributes(name);
                value.map(|_| Ok(attributes.clone()))
            }
            (b'a', Some(name), _) => Ok(match self.variables.entry(name) {
                None => Value::Unset,
                Some(_) => Value::Text(self.attributes(name)),
            }),
            (b'A', Some(name), _) => Ok(match (self.variables.entry(name), &value) {
                (None, _) | (_, Value::Unset) => Value::Unset,
                (Some(variable), _) if variable.letters().is_empty() => {
                    let text = quote::for_bash(variable.value().unwrap_or_default());
                    Value::Text([&name[..], b"=", &text].concat())
                }
                (Some(variable), _) if variable.array().is_none() => {
                    let text = quote::for_bash(variable.value().unwrap_or_default());
                    let flags = variable.letters();
                    Value::Text([b"declare -", flags.as_bytes(), b" ", &name[..], b"=", &text].concat())
                }
                _ => self.declaration(name).map_or(Value::Unset, Value::Text),
            }),
            (b'K' | b'k', Some(name), Subject::All(_, star)) => {
                let mut pairs = Vec::new();
                for (key, value) in self.entries(name) {
                    match letter {
                        b'K' => pairs.push([&quote::key(&key)[..], b" ", &quote::double(&value)].concat()),
                        _ => pairs.extend([key, value]),
                    }
                }
                match letter {
                    b'K' => Ok(Value::Text(pairs.join(&b' '))),
                    _ => Ok(Value::List(pairs, *star)),
                }
            }
            (b'P' | b'A' | b'a', ..) if letter != b'a' => {
                Err(format!("@{}: not supported here", char::from(letter)).into())
            }
            _ => value.map(|text| self.transformed(letter, &text)),
        }
    }

    /// The text that replaces, where bash has `&` stand for what was matched.
    async fn replacement(&mut self, with: &Word) -> Result<Replacement, Trouble> {
        let mut fields = Fields::new(&self.world.meter)?;
        self.parts(&with.parts, Mode::ONE, &mut fields).await?;
        let (field, _held) = fields.one();
        if !self.is_bash() || !self.shopt.is(Opt::PatSubReplacement) {
            return Ok(vec![Some(field.into_text())]);
        }
        let mut pieces: Replacement = vec![Some(Bytes::new())];
        let mut bytes = field.bytes().peekable();
        while let Some((byte, mark)) = bytes.next() {
            let open = mark != Mark::Quoted;
            let next = bytes.peek().map(|(byte, _)| *byte);
            match (byte, next) {
                (b'&', _) if open => pieces.extend([None, Some(Bytes::new())]),
                (b'\\', Some(escaped @ (b'&' | b'\\'))) if open => {
                    bytes.next();
                    if let Some(Some(text)) = pieces.last_mut() {
                        text.push(escaped);
                    }
                }
                _ => {
                    if let Some(Some(text)) = pieces.last_mut() {
                        text.push(byte);
                    }
                }
            }
        }
        Ok(pieces)
    }

    /// `$x` alone, without copying the value first.
    fn plain(&mut self, name: &Name, mode: Mode, out: &mut Fields) -> Result<(), Trouble> {
        match name {
            Name::Variable(variable) => {
                if let Some(entry) = self.variables.entry(variable)
                    && !entry.nameref
                    && let Some(value) = entry.value()
                {
                    return Ok(out.push(value, mode.expanded())?);
                }
                let subject = Subject::At(self.resolve(variable));
                let value = self.value_of(&subject)?;
                let value = self.needed(&subject, value)?;
                return self.put(&value, mode, out);
            }
            Name::Special(special @ (b'@' | b'*')) => {
                return self.put_list(self.args(), *special == b'*', mode, out);
            }
            _ => {}
        }
        let value = self.value(name);
        let value = self.needed(&Subject::Name(name.clone()), value)?;
        self.put(&value, mode, out)
    }

    /// The value, where `set -u` asks for one.
    fn needed(&self, subject: &Subject, value: Value) -> Result<Value, Trouble> {
        match value {
            Value::Unset if self.is(Flag::NoUnset) => Err(Trouble::End(super::unset(self, &subject.shown()))),
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

    async fn assign_default(&mut self, subject: &Subject, word: &Word) -> Result<Bytes, Trouble> {
        let Subject::At(place) = subject else {
            return Err(format!("{}: cannot be assigned to", subject.shown()).into());
        };
        let (value, _held) = self.text(word).await?;
        self.assign_to(place, value, false)?;
        // What was stored, which attributes may have changed.
        Ok(match self.value_of(subject)? {
            Value::Text(text) => text,
            _ => Bytes::new(),
        })
    }

    async fn missing(&mut self, subject: &Subject, colon: bool, word: &Word) -> Trouble {
        let message = match self.text(word).await {
            Ok((message, _)) => message,
            Err(trouble) => return trouble,
        };
        let message = match (&message[..], colon) {
            (b"", true) => "parameter null or not set".into(),
            (b"", false) => "parameter not set".into(),
            (text, _) => lossy(text),
        };
        Trouble::End(format!("{}: {message}", subject.shown()))
    }

    /// `${x:offset:length}`. From the end if negative.
    fn slice(&self, subject: &Subject, value: Value, offset: i64, length: Option<i64>) -> Result<Value, Trouble> {
        let list = |list: &[Bytes], from: i64, star: bool| -> Result<Value, Trouble> {
            let count = list.len() as i64;
            let start = if from < 0 { count.saturating_add(from) } else { from };
            if start < 0 || start > count {
                return Ok(Value::List(Vec::new(), star));
            }
            let end = match length {
                None => count,
                Some(length) if length < 0 => {
                    return Err(format!("{length}: substring expression < 0").into());
                }
                Some(length) => start.saturating_add(length).min(count),
            };
            Ok(Value::List(list[start as usize..end as usize].to_vec(), star))
        };
        match (value, subject) {
            (Value::Unset, _) => Ok(Value::Unset),
            (Value::Text(text), _) => {
                let chars = pattern::chars(&text);
                Ok(Value::Text(pattern::text(&chars[bounds(chars.len(), offset, length)?])))
            }
            // Numbers may be missing in an array: the offset is a number, not a count.
            (Value::List(values, star), Subject::All(name, _)) => {
                let keys: Vec<i64> = self
                    .entries(name)
                    .iter()
                    .map(|(key, _)| {
                        std::str::from_utf8(key)
                            .ok()
                            .and_then(|key| key.parse().ok())
                            .unwrap_or(0)
                    })
                    .collect();
                if self.variables.shape(name) == Shape::Associative {
                    // bash counts from one here, as with parameters.
                    return list(&values, offset.max(1) - 1, star);
                }
                let from = match offset {
                    0.. => offset,
                    _ => keys.last().map_or(0, |last| last + 1).saturating_add(offset),
                };
                if from < 0 {
                    return Ok(Value::List(Vec::new(), star));
                }
                let skipped = keys.iter().take_while(|key| **key < from).count();
                list(&values, skipped as i64, star)
            }
            // Parameters count from one, and `$0` is the one before.
            (Value::List(values, star), _) => {
                let mut all = vec![self.name.to_vec()];
                all.extend(values);
                match offset {
                    0.. => list(&all, offset, star),
                    // From the end there is no `$0` but the very last.
                    _ => list(&all, offset, star),
                }
            }
        }
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

    fn replace(&self, text: &[u8], pattern: &Pattern, how: Replace, with: &Replacement) -> Result<Bytes, Trouble> {
        let chars = pattern::chars(text);
        let replaced = |matched: &[pattern::Char], into: &mut Bytes| {
            for piece in with {
                match piece {
                    Some(text) => into.extend(text),
                    None => into.extend(pattern::text(matched)),
                }
            }
        };
        let size: usize = with.iter().flatten().map(Vec::len).sum();
        let meter = &self.world.meter;
        let mut result = Bytes::new();
        // The result may be far longer than the text, so it is paid for as it grows.
        let mut held = meter.memory(0)?;
        if how == Replace::AtEnd {
            let Some(length) = pattern.suffix(&chars, true, meter)? else {
                return Ok(text.to_vec());
            };
            let start = chars.len() - length;
            result.extend(pattern::text(&chars[..start]));
            replaced(&chars[start..], &mut result);
            return Ok(result);
        }
        let mut at = 0;
        // `${x/#/before}` puts a text in front.
        if how == Replace::AtStart && pattern.prefix(&chars, true, meter)? == Some(0) {
            replaced(&[], &mut result);
            result.extend(text);
            return Ok(result);
        }
        while at < chars.len() {
            match pattern.prefix(&chars[at..], true, meter)? {
                Some(length) if length > 0 => {
                    held.grow(size + length)?;
                    replaced(&chars[at..at + length], &mut result);
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

/// What replaces a match, piece by piece; nothing stands for the match itself.
type Replacement = Vec<Option<Bytes>>;

/// What a parameter names.
enum Subject {
    /// A special or a positional one.
    Name(Name),
    /// A variable or an element.
    At(Place),
    /// All elements; true for `*`.
    All(Bytes, bool),
}

impl Subject {
    /// What the value of a variable names, for `${!x}`.
    fn parse(shell: &Shell, text: &[u8]) -> Option<Subject> {
        if let Some(place) = shell.parse_place(text) {
            return Some(match place.index.as_deref() {
                Some(all @ (b"@" | b"*")) => Subject::All(place.name, all == b"*"),
                _ => Subject::At(place),
            });
        }
        match text {
            [special] if b"@*#?-$!".contains(special) => Some(Subject::Name(Name::Special(*special))),
            digits if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
                Some(Subject::Name(Name::Positional(number)))
            }
            _ => None,
        }
    }

    /// The parameter's name for a message.
    fn shown(&self) -> String {
        match self {
            Subject::Name(Name::Variable(name)) => lossy(name).into_owned(),
            Subject::Name(Name::Positional(number)) => number.to_string(),
            Subject::Name(Name::Special(byte)) => char::from(*byte).to_string(),
            Subject::At(place) => place.shown(),
            Subject::All(name, star) => format!("{}[{}]", lossy(name), if *star { '*' } else { '@' }),
        }
    }
}

fn length(value: &Value) -> usize {
    match value {
        Value::Unset => 0,
        Value::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => text.chars().count(),
            Err(_) => pattern::chars(text).len(),
        },
        Value::List(list, _) => list.len(),
    }
}

/// The characters that a slice takes.
fn bounds(count: usize, offset: i64, length: Option<i64>) -> Result<std::ops::Range<usize>, Trouble> {
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
}
