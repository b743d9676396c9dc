//! Numbers as jq prints them: jaq keeps a point in a float that is whole.

use jaq_all::json::{Num, Val};

/// Up to here every whole float is exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The value with its whole floats as integers.
pub fn plain(value: Val) -> Val {
    match value {
        Val::Num(Num::Float(float)) if float.fract() == 0.0 && float.abs() < EXACT => {
            Num::from_str_radix(&format!("{float:.0}"), 10).map_or(Val::Num(Num::Float(float)), Val::Num)
        }
        Val::Arr(items) if items.iter().any(has_float) => items.iter().cloned().map(plain).collect(),
        Val::Obj(object) if object.values().any(has_float) => {
            let entries = object.iter().map(|(key, value)| (key.clone(), plain(value.clone())));
            Val::obj(entries.collect())
        }
        other => other,
    }
}

/// Most values hold none, and are not copied.
fn has_float(value: &Val) -> bool {
    match value {
        Val::Num(Num::Float(_)) => true,
        Val::Arr(items) => items.iter().any(has_float),
        Val::Obj(object) => object.values().any(has_float),
        _ => false,
    }
}
