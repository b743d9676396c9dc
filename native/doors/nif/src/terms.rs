//! Terms to JSON values: what the BEAM sends to an operation.

use crate::failure::{self, Failure};
use ::failure::codes::NOT_JSON;
use rustler::{Binary, ListIterator, MapIterator, Term, TermType};
use serde_json::{Map, Number, Value};

/// A plan may nest 1,000 deep; a worker's stack has room for this many levels.
const MAX_DEPTH: u32 = 4_000;

/// The JSON value of a term made of maps, lists, binaries, numbers and atoms; `nil` is null.
pub(crate) fn value(term: Term) -> Result<Value, Failure> {
    deep(term, MAX_DEPTH)
}

fn deep(term: Term, depth: u32) -> Result<Value, Failure> {
    let below = depth.checked_sub(1).ok_or_else(|| none(term))?;
    match term.get_type() {
        TermType::Atom => Ok(match term.atom_to_string().map_err(|_| none(term))?.as_str() {
            "nil" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            word => Value::String(word.to_owned()),
        }),
        TermType::Binary => {
            let bytes: Binary = failure::given(term)?;
            Ok(Value::String(failure::text(&bytes)?.to_owned()))
        }
        TermType::Integer => match (term.decode::<i64>(), term.decode::<u64>()) {
            (Ok(number), _) => Ok(number.into()),
            (_, Ok(number)) => Ok(number.into()),
            _ => Err(none(term)),
        },
        TermType::Float => {
            let number: f64 = term.decode().map_err(|_| none(term))?;
            Number::from_f64(number).map(Value::Number).ok_or_else(|| none(term))
        }
        TermType::List => {
            let items: ListIterator = term.decode().map_err(|_| none(term))?;
            items
                .map(|item| deep(item, below))
                .collect::<Result<_, _>>()
                .map(Value::Array)
        }
        TermType::Map => {
            let pairs = MapIterator::new(term).ok_or_else(|| none(term))?;
            let pairs = pairs.map(|(key, value)| Ok((key_of(key)?, deep(value, below)?)));
            pairs.collect::<Result<Map<_, _>, _>>().map(Value::Object)
        }
        _ => Err(none(term)),
    }
}

fn key_of(key: Term) -> Result<String, Failure> {
    match key.get_type() {
        TermType::Atom => match key.atom_to_string() {
            // A struct is no plain data, and its fields are its own affair.
            Ok(name) if name != "__struct__" => Ok(name),
            _ => Err(none(key)),
        },
        TermType::Binary => {
            let bytes: Binary = failure::given(key)?;
            Ok(failure::text(&bytes)?.to_owned())
        }
        _ => Err(none(key)),
    }
}

fn none(term: Term) -> Failure {
    let shown: String = format!("{term:?}").chars().take(100).collect();
    Failure::new(
        NOT_JSON,
        format!("no JSON for {shown}"),
        "use maps, lists, strings, numbers and atoms",
    )
}
