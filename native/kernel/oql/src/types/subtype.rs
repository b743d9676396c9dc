//! The subtype relation, and the smallest reader that shows where it fails.

use super::{Break, Type};
use std::collections::{BTreeMap, BTreeSet};

/// A place where a reader of the old type fails. It grows outwards as the comparison returns.
pub(super) struct Mismatch {
    /// Steps of the path, innermost first.
    steps: Vec<String>,
    was: Option<String>,
    now: Option<String>,
    why: String,
    witness: Type,
}

type Outcome = Result<(), Box<Mismatch>>;

/// Is every value of `new` readable as `old`?
pub(super) fn check(old: &Type, new: &Type) -> Outcome {
    match (old, new) {
        // Counting the layers answers in one step what trying each pairing would answer in exponentially many.
        (Type::Option(_), _) => {
            let (layers, was) = peel(old);
            let (new_layers, now) = peel(new);
            if new_layers > layers {
                return Err(mismatch(old, new, "the value may now be missing"));
            }
            check(was, now).map_err(|inner| (0..layers).fold(inner, |m, _| m.within("?", |ty| Type::Option(ty.into()))))
        }
        (_, Type::Option(_)) => Err(mismatch(old, new, "the value may now be missing")),
        (Type::List(was), Type::List(now)) => check(was, now).map_err(|m| m.within("[]", |ty| Type::List(ty.into()))),
        (Type::Result(was_ok, was_err), Type::Result(now_ok, now_err)) => {
            payload(old, "ok", was_ok.as_deref(), now_ok.as_deref(), |ok| {
                Type::Result(Some(ok.into()), was_err.clone())
            })?;
            payload(old, "err", was_err.as_deref(), now_err.as_deref(), |err| {
                Type::Result(was_ok.clone(), Some(err.into()))
            })
        }
        (Type::Tuple(was), Type::Tuple(now)) => tuple(was, now),
        (Type::Record(was), Type::Record(now)) => record(was, now),
        (Type::Variant(was), Type::Variant(now)) => variant(old, was, now),
        (Type::Flags(was), Type::Flags(now)) => flags(old, was, now),
        (was, now) if was == now => Ok(()),
        _ => Err(mismatch(old, new, &format!("`{old}` became `{new}`"))),
    }
}

fn peel(mut ty: &Type) -> (usize, &Type) {
    let mut layers = 0;
    while let Type::Option(inner) = ty {
        layers += 1;
        ty = inner;
    }
    (layers, ty)
}

fn tuple(was: &[Type], now: &[Type]) -> Outcome {
    for (index, member) in was.iter().enumerate() {
        // A reader of one member has to name those before it.
        let prefix = |ty| Type::Tuple(was[..index].iter().cloned().chain([ty]).collect());
        match now.get(index) {
            Some(now) => check(member, now),
            None => Err(gone(member, format!("member {index} is gone"))),
        }
        .map_err(|m| m.within(&format!(".{index}"), prefix))?;
    }
    Ok(())
}

fn record(was: &[(String, Type)], now: &[(String, Type)]) -> Outcome {
    let now: BTreeMap<_, _> = now.iter().map(|(name, ty)| (name, ty)).collect();
    for (name, field) in was {
        match now.get(name) {
            Some(now) => check(field, now),
            None => Err(gone(field, format!("field `{name}` is gone"))),
        }
        .map_err(|m| m.within(&format!(".{name}"), |ty| Type::Record(vec![(name.clone(), ty)])))?;
    }
    Ok(())
}

fn variant(old: &Type, was: &[(String, Option<Type>)], now: &[(String, Option<Type>)]) -> Outcome {
    let places: BTreeMap<_, _> = was.iter().enumerate().map(|(i, (name, _))| (name, i)).collect();
    for (name, now) in now {
        let Some(&place) = places.get(name) else {
            return Err(added(old, name));
        };
        payload(old, name, was[place].1.as_ref(), now.as_ref(), |ty| {
            // A reader handles every case there was, so the witness keeps them all.
            let mut cases = was.to_vec();
            cases[place].1 = Some(ty);
            Type::Variant(cases)
        })?;
    }
    Ok(())
}

fn payload(
    whole: &Type,
    case: &str,
    was: Option<&Type>,
    now: Option<&Type>,
    wrap: impl FnOnce(Type) -> Type,
) -> Outcome {
    let change = match (was, now) {
        (None, None) => return Ok(()),
        (Some(was), Some(now)) => {
            return check(was, now).map_err(|m| m.within(&format!(".{case}"), wrap));
        }
        (Some(_), None) => "lost its",
        (None, Some(_)) => "gained a",
    };
    Err(Box::new(Mismatch {
        steps: vec![format!(".{case}")],
        was: was.map(Type::to_string),
        now: now.map(Type::to_string),
        why: format!("case `{case}` {change} value"),
        witness: whole.clone(),
    }))
}

fn flags(old: &Type, was: &[String], now: &[String]) -> Outcome {
    let known: BTreeSet<_> = was.iter().collect();
    match now.iter().find(|name| !known.contains(name)) {
        Some(name) => Err(added(old, name)),
        None => Ok(()),
    }
}

fn mismatch(old: &Type, new: &Type, why: &str) -> Box<Mismatch> {
    Box::new(Mismatch {
        steps: Vec::new(),
        was: Some(old.to_string()),
        now: Some(new.to_string()),
        why: why.to_owned(),
        witness: old.clone(),
    })
}

fn gone(old: &Type, why: String) -> Box<Mismatch> {
    Box::new(Mismatch {
        steps: Vec::new(),
        was: Some(old.to_string()),
        now: None,
        why,
        witness: old.clone(),
    })
}

fn added(old: &Type, case: &str) -> Box<Mismatch> {
    Box::new(Mismatch {
        steps: vec![format!(".{case}")],
        was: None,
        now: Some(case.to_owned()),
        why: format!("case `{case}` is new"),
        witness: old.clone(),
    })
}

impl Mismatch {
    fn within(mut self: Box<Self>, step: &str, wrap: impl FnOnce(Type) -> Type) -> Box<Self> {
        self.steps.push(step.to_owned());
        let inner = std::mem::replace(&mut self.witness, Type::Tuple(Vec::new()));
        self.witness = wrap(inner);
        self
    }

    pub(super) fn into_break(self) -> Break {
        let path: String = self.steps.into_iter().rev().collect();
        let absent = || "absent".to_owned();
        Break {
            path: if path.starts_with('.') {
                path
            } else {
                format!(".{path}")
            },
            was: self.was.unwrap_or_else(absent),
            now: self.now.unwrap_or_else(absent),
            why: self.why,
            witness: self.witness.to_string(),
        }
    }
}
