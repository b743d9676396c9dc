//! Does an output's new type keep the promise of the old one?
//!
//! Types are written as in WIT and compared by name, never by memory layout. A consumer was written against the
//! *old* type, so the new one must be its subtype: every new value must read as an old value.
//!
//! | shape | safe | breaks |
//! |---|---|---|
//! | numbers, `bool`, `char`, `string`, names | the same | any other, wider numbers too: their wire form differs |
//! | `record` | more fields, any order | fewer fields, even optional ones |
//! | `tuple` | more members at the end | fewer members |
//! | `variant`, `enum`, `flags` | fewer cases | more cases |
//! | `option` | `T` where `option<T>` was | `option<T>` where `T` was |
//! | `list`, `option`, `result`, payloads | a subtype inside | anything else inside |
//!
//! The rules are Candid's, but for two. Candid takes `nat` for `int`: WIT's integers have no common wire form.
//! Candid takes a missing field for an optional one, and so must take *anything* for an `option`, as its decoders
//! turn what they cannot read into `null`. A Workbooks consumer has no such decoder, so here that is a break.

mod parse;
mod subtype;
#[cfg(test)]
mod tests;

use std::fmt;

/// What the gate learns about one output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Whoever reads the old type can read the new one.
    Compatible,
    /// Somebody who reads the old type cannot read the new one.
    Breaks(Break),
    /// One of the two is not a type this module reads: compare the strings.
    Unreadable,
}

/// A difference that breaks a reader of the old type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Break {
    /// Where: `.` is the whole value, then `.field`, `[]` for list members, `?` for an option's value.
    pub(crate) path: String,
    /// The old type or case there, or `absent`.
    pub(crate) was: String,
    /// The new type or case there, or `absent`.
    pub(crate) now: String,
    /// The difference in words.
    pub(crate) why: String,
    /// The least a consumer must read to break: a type that the old one satisfies and the new one does not.
    pub(crate) witness: String,
}

impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Break {
            path,
            was,
            now,
            why,
            witness,
        } = self;
        write!(
            f,
            "a consumer that reads `{witness}` breaks at `{path}`: {why} (was `{was}`, now `{now}`)"
        )
    }
}

/// Compares the types of an output before and after an upgrade.
pub(crate) fn compare_output(old: &str, new: &str) -> Verdict {
    let (Some(old), Some(new)) = (parse::parse(old), parse::parse(new)) else {
        return Verdict::Unreadable;
    };
    match subtype::check(&old, &new) {
        Ok(()) => Verdict::Compatible,
        Err(mismatch) => Verdict::Breaks((*mismatch).into_break()),
    }
}

/// A WIT type. An `enum` is a variant without payloads, as in the component model.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Type {
    /// A primitive, or a type defined elsewhere: equal only to itself.
    Name(String),
    List(Box<Type>),
    Option(Box<Type>),
    Result(Option<Box<Type>>, Option<Box<Type>>),
    Tuple(Vec<Type>),
    Record(Vec<(String, Type)>),
    Variant(Vec<(String, Option<Type>)>),
    Flags(Vec<String>),
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Of all the names only this one would read back as something else.
            Type::Name(name) if name == "result" => f.write_str("%result"),
            Type::Name(name) => f.write_str(name),
            Type::List(item) => write!(f, "list<{item}>"),
            Type::Option(some) => write!(f, "option<{some}>"),
            Type::Result(None, None) => f.write_str("result"),
            Type::Result(Some(ok), None) => write!(f, "result<{ok}>"),
            Type::Result(None, Some(err)) => write!(f, "result<_, {err}>"),
            Type::Result(Some(ok), Some(err)) => write!(f, "result<{ok}, {err}>"),
            Type::Tuple(items) => {
                f.write_str("tuple<")?;
                joined(f, items, |f, item| write!(f, "{item}"))?;
                f.write_str(">")
            }
            Type::Record(fields) => braced(f, "record", fields, |f, (name, ty)| write!(f, "{name}: {ty}")),
            Type::Variant(cases) => {
                let payloads = cases.iter().any(|(_, payload)| payload.is_some());
                let keyword = if payloads { "variant" } else { "enum" };
                braced(f, keyword, cases, |f, (name, payload)| match payload {
                    None => f.write_str(name),
                    Some(payload) => write!(f, "{name}({payload})"),
                })
            }
            Type::Flags(names) => braced(f, "flags", names, |f, name| f.write_str(name)),
        }
    }
}

fn braced<T>(
    f: &mut fmt::Formatter<'_>,
    keyword: &str,
    items: &[T],
    show: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    if items.is_empty() {
        return write!(f, "{keyword} {{}}");
    }
    write!(f, "{keyword} {{ ")?;
    joined(f, items, show)?;
    f.write_str(" }")
}

fn joined<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    show: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        show(f, item)?;
    }
    Ok(())
}
