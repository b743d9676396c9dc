//! A component's types as WIT writes them. Named types are written out, because only their shape counts.

use std::fmt::{self, Display, Formatter};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Type {
    Primitive(wasmparser::PrimitiveValType),
    List(Box<Type>),
    Option(Box<Type>),
    Result(Payload, Payload),
    Tuple(Vec<Type>),
    Record(Vec<(String, Type)>),
    Variant(Vec<(String, Payload)>),
    Enum(Vec<String>),
    Flags(Vec<String>),
    Own(Resource),
    Borrow(Resource),
    Stream(Payload),
    Future(Payload),
    /// Too large to read, or of a kind that no engine of ours runs. It fits nothing.
    Unreadable,
}

pub(crate) type Payload = Option<Box<Type>>;

/// A resource is the same as another when its interface and its name are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Resource {
    pub(crate) interface: String,
    pub(crate) name: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Function {
    pub(crate) is_async: bool,
    pub(crate) params: Vec<(String, Type)>,
    pub(crate) result: Option<Type>,
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let prefix = if self.is_async { "async " } else { "" };
        write!(f, "{prefix}func({})", Commas(self.params.iter().map(Field)))?;
        match &self.result {
            Some(result) => write!(f, " -> {result}"),
            None => Ok(()),
        }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Type::Primitive(name) => write!(f, "{name}"),
            Type::List(element) => write!(f, "list<{element}>"),
            Type::Option(some) => write!(f, "option<{some}>"),
            Type::Result(None, None) => f.write_str("result"),
            Type::Result(Some(ok), None) => write!(f, "result<{ok}>"),
            Type::Result(None, Some(err)) => write!(f, "result<_, {err}>"),
            Type::Result(Some(ok), Some(err)) => write!(f, "result<{ok}, {err}>"),
            Type::Tuple(types) => write!(f, "tuple<{}>", Commas(types.iter())),
            Type::Record(fields) => write!(f, "record {{ {} }}", Commas(fields.iter().map(Field))),
            Type::Variant(cases) => write!(f, "variant {{ {} }}", Commas(cases.iter().map(Case))),
            Type::Enum(names) => write!(f, "enum {{ {} }}", Commas(names.iter())),
            Type::Flags(names) => write!(f, "flags {{ {} }}", Commas(names.iter())),
            Type::Own(resource) => f.write_str(&resource.name),
            Type::Borrow(resource) => write!(f, "borrow<{}>", resource.name),
            Type::Stream(None) => f.write_str("stream"),
            Type::Stream(Some(item)) => write!(f, "stream<{item}>"),
            Type::Future(None) => f.write_str("future"),
            Type::Future(Some(item)) => write!(f, "future<{item}>"),
            Type::Unreadable => f.write_str("(unreadable)"),
        }
    }
}

struct Field<'a>(&'a (String, Type));

impl Display for Field<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let (name, ty) = self.0;
        write!(f, "{name}: {ty}")
    }
}

/// One case of a variant: `name`, or `name(payload)`.
pub(crate) struct Case<'a>(pub(crate) &'a (String, Payload));

impl Display for Case<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self.0 {
            (name, None) => f.write_str(name),
            (name, Some(payload)) => write!(f, "{name}({payload})"),
        }
    }
}

struct Commas<I>(I);

impl<I: Iterator<Item: Display> + Clone> Display for Commas<I> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        for (position, item) in self.0.clone().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(f, "{comma}{item}")?;
        }
        Ok(())
    }
}
