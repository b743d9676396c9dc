//! Can what one side sends be read by the other?
//!
//! WIT subtyping, by name: a reader ignores the fields it does not know, reads an absent `option` field as none, and
//! must know every case that can come. Flags are records of booleans. Numbers do not widen, parameters and tuples are
//! positional, and a resource is its interface and name: what no engine converts is a break.

use std::collections::{HashMap, HashSet};

use crate::wit_type::{Case, Payload, Resource, Type};

/// One place where the two sides disagree. A side that lacks the thing has no type.
#[derive(Debug, PartialEq)]
pub(crate) struct Mismatch {
    /// Where in the type: empty for the whole, else `.field`, `.ok.element`.
    pub(crate) within: String,
    pub(crate) sent: Option<String>,
    pub(crate) read: Option<String>,
    pub(crate) why: String,
}

pub(crate) fn mismatches(sent: &Type, read: &Type) -> Vec<Mismatch> {
    let mut found = Vec::new();
    compare("", sent, read, &mut found);
    found
}

fn compare(within: &str, sent: &Type, read: &Type, found: &mut Vec<Mismatch>) {
    let mut differ = |why: String| {
        found.push(Mismatch {
            within: within.to_owned(),
            sent: Some(sent.to_string()),
            read: Some(read.to_string()),
            why,
        });
    };
    match (sent, read) {
        (Type::Unreadable, _) | (_, Type::Unreadable) => differ("the type is too large to compare".to_owned()),
        (Type::Primitive(sent), Type::Primitive(read)) if sent == read => {}
        (Type::List(sent), Type::List(read)) => compare(&format!("{within}.element"), sent, read, found),
        (Type::Option(sent), Type::Option(read)) => compare(&format!("{within}.some"), sent, read, found),
        (Type::Result(sent_ok, sent_err), Type::Result(read_ok, read_err)) => {
            compare_payloads(&format!("{within}.ok"), sent_ok, read_ok, found);
            compare_payloads(&format!("{within}.err"), sent_err, read_err, found);
        }
        (Type::Stream(sent), Type::Stream(read)) | (Type::Future(sent), Type::Future(read)) => {
            compare_payloads(&format!("{within}.item"), sent, read, found);
        }
        (Type::Tuple(sent), Type::Tuple(read)) if sent.len() == read.len() => {
            for (position, (sent, read)) in sent.iter().zip(read).enumerate() {
                compare(&format!("{within}.{position}"), sent, read, found);
            }
        }
        (Type::Tuple(sent), Type::Tuple(read)) => {
            differ(format!(
                "a tuple of {} cannot be read as a tuple of {}",
                sent.len(),
                read.len()
            ));
        }
        (Type::Record(sent), Type::Record(read)) => compare_fields(within, sent, read, found),
        (Type::Variant(sent), Type::Variant(read)) => compare_cases(within, sent, read, found),
        (Type::Enum(sent), Type::Enum(read)) => {
            found.extend(without(sent, read).map(|case| unknown_case(within, case, case)));
        }
        (Type::Flags(sent), Type::Flags(read)) => {
            found.extend(without(read, sent).map(|flag| unsent(within, "flag", flag, flag)));
        }
        (Type::Own(sent), Type::Own(read)) | (Type::Borrow(sent), Type::Borrow(read)) => {
            if sent != read {
                differ(format!("{} is not {}", qualified(sent), qualified(read)));
            }
        }
        _ => differ("the one cannot be read as the other".to_owned()),
    }
}

fn compare_payloads(within: &str, sent: &Payload, read: &Payload, found: &mut Vec<Mismatch>) {
    match (sent, read) {
        (None, None) => {}
        (Some(sent), Some(read)) => compare(within, sent, read, found),
        (sent, read) => {
            let why = if sent.is_some() {
                "a value is sent where none is read"
            } else {
                "a value is read where none is sent"
            };
            found.push(Mismatch {
                within: within.to_owned(),
                sent: sent.as_ref().map(ToString::to_string),
                read: read.as_ref().map(ToString::to_string),
                why: why.to_owned(),
            });
        }
    }
}

fn compare_fields(within: &str, sent: &[(String, Type)], read: &[(String, Type)], found: &mut Vec<Mismatch>) {
    let sent: HashMap<&str, &Type> = sent.iter().map(|(name, ty)| (name.as_str(), ty)).collect();
    for (field, wanted) in read {
        match (sent.get(field.as_str()), wanted) {
            (Some(given), wanted) => compare(&format!("{within}.{field}"), given, wanted, found),
            (None, Type::Option(_)) => {}
            (None, wanted) => found.push(unsent(within, "field", field, &wanted.to_string())),
        }
    }
}

fn compare_cases(within: &str, sent: &[(String, Payload)], read: &[(String, Payload)], found: &mut Vec<Mismatch>) {
    let read: HashMap<&str, &Payload> = read.iter().map(|(name, payload)| (name.as_str(), payload)).collect();
    for case in sent {
        let (name, payload) = case;
        match read.get(name.as_str()) {
            Some(known) => compare_payloads(&format!("{within}.{name}"), payload, known, found),
            None => found.push(unknown_case(within, name, &Case(case).to_string())),
        }
    }
}

fn without<'a>(names: &'a [String], others: &'a [String]) -> impl Iterator<Item = &'a String> {
    let others: HashSet<&String> = others.iter().collect();
    names.iter().filter(move |name| !others.contains(name))
}

fn unsent(within: &str, what: &str, name: &str, ty: &str) -> Mismatch {
    Mismatch {
        within: format!("{within}.{name}"),
        sent: None,
        read: Some(ty.to_owned()),
        why: format!("{what} `{name}` is read but not sent"),
    }
}

fn unknown_case(within: &str, name: &str, case: &str) -> Mismatch {
    Mismatch {
        within: format!("{within}.{name}"),
        sent: Some(case.to_owned()),
        read: None,
        why: format!("case `{name}` can be sent and is not known to the reader"),
    }
}

fn qualified(resource: &Resource) -> String {
    format!("resource `{}.{}`", resource.interface, resource.name)
}
