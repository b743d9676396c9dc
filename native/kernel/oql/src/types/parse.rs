//! Reads a WIT type written on one line.

use super::Type;
use std::collections::BTreeSet;

/// The longest type text that is read, in bytes.
pub(super) const MAX_LENGTH: usize = 64 * 1024;
/// The deepest nesting of types that is read.
pub(super) const MAX_DEPTH: usize = 64;

/// The type, or nothing when the text is not one.
pub(super) fn parse(text: &str) -> Option<Type> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let mut reader = Reader { rest: text };
    let ty = reader.ty(0)?;
    reader.rest.trim_start().is_empty().then_some(ty)
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn ty(&mut self, depth: usize) -> Option<Type> {
        if depth == MAX_DEPTH {
            return None;
        }
        let depth = depth + 1;
        if self.rest.trim_start().starts_with('%') {
            return Some(Type::Name(self.name()?.to_owned()));
        }
        let name = self.name()?;
        // A keyword without its brackets is a name like any other: plans say `:out events:list`.
        Some(match name {
            "list" if self.eat('<') => Type::List(self.only(depth)?),
            "option" if self.eat('<') => Type::Option(self.only(depth)?),
            "tuple" if self.eat('<') => Type::Tuple(self.items('>', |r| r.ty(depth))?),
            "result" => self.result(depth)?,
            "record" if self.eat('{') => Type::Record(distinct(
                self.items('}', |r| {
                    let field = r.name()?;
                    Some((r.eat(':').then_some(field)?.to_owned(), r.ty(depth)?))
                })?,
                |(name, _)| name,
            )?),
            "variant" if self.eat('{') => Type::Variant(distinct(
                self.items('}', |r| {
                    let case = r.name()?.to_owned();
                    if !r.eat('(') {
                        return Some((case, None));
                    }
                    let payload = r.ty(depth)?;
                    r.eat(')').then_some((case, Some(payload)))
                })?,
                |(name, _)| name,
            )?),
            "enum" if self.eat('{') => Type::Variant(distinct(
                self.items('}', |r| Some((r.name()?.to_owned(), None)))?,
                |(name, _)| name,
            )?),
            "flags" if self.eat('{') => {
                Type::Flags(distinct(self.items('}', |r| r.name().map(str::to_owned))?, |name| {
                    name
                })?)
            }
            _ => Type::Name(name.to_owned()),
        })
    }

    fn result(&mut self, depth: usize) -> Option<Type> {
        if !self.eat('<') {
            return Some(Type::Result(None, None));
        }
        let ok = if self.eat('_') {
            None
        } else {
            Some(Box::new(self.ty(depth)?))
        };
        let err = if !self.eat(',') || self.eat('_') {
            None
        } else {
            Some(Box::new(self.ty(depth)?))
        };
        self.eat('>').then_some(Type::Result(ok, err))
    }

    fn only(&mut self, depth: usize) -> Option<Box<Type>> {
        let ty = self.ty(depth)?;
        self.eat('>').then(|| Box::new(ty))
    }

    /// Items between commas up to the closing bracket; the last may have a comma too.
    fn items<T>(&mut self, close: char, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(item(self)?);
            if !self.eat(',') {
                return self.eat(close).then_some(items);
            }
        }
        Some(items)
    }

    /// A name; `%` lets a keyword be one, as in WIT.
    fn name(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start();
        let text = text.strip_prefix('%').unwrap_or(text);
        let end = text
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
            .unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        self.rest = rest;
        name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(name)
    }

    fn eat(&mut self, wanted: char) -> bool {
        match self.rest.trim_start().strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

fn distinct<T>(items: Vec<T>, name: impl Fn(&T) -> &String) -> Option<Vec<T>> {
    let mut seen = BTreeSet::new();
    items.iter().all(|item| seen.insert(name(item))).then_some(items)
}
