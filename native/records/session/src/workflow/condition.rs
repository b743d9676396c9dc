//! Conditions on the context: a closed set, never an expression that is evaluated.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

/// How deep conditions nest.
const DEPTH: usize = 16;

/// A test on the context.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// The variable is there and is not null, false, 0 or empty.
    Truthy(String),
    /// The variable compares so with the value.
    Compare(String, Operator, Value),
    /// Every one holds.
    And(Vec<Condition>),
    /// At least one holds.
    Or(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
}

/// How a variable is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// Is the same JSON value.
    Equals,
    /// Is another JSON value, or is not there.
    NotEquals,
    /// Is a smaller number.
    Lt,
    /// Is a smaller number or the same.
    Lte,
    /// Is a larger number.
    Gt,
    /// Is a larger number or the same.
    Gte,
    /// Is one of the list.
    In,
    /// Is a list or a text that has the value in it.
    Contains,
}

impl Operator {
    const ALL: [(Operator, &'static str, &'static str); 8] = [
        (Operator::Equals, "equals", "="),
        (Operator::NotEquals, "not_equals", "!="),
        (Operator::Lt, "lt", "<"),
        (Operator::Lte, "lte", "<="),
        (Operator::Gt, "gt", ">"),
        (Operator::Gte, "gte", ">="),
        (Operator::In, "in", "in"),
        (Operator::Contains, "contains", "contains"),
    ];

    fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    fn takes(self, value: &Value) -> bool {
        match self {
            Operator::Lt | Operator::Lte | Operator::Gt | Operator::Gte => value.is_number(),
            Operator::In => value.is_array(),
            _ => true,
        }
    }

    fn holds(self, found: Option<&Value>, value: &Value) -> bool {
        let ordered = |test: fn(f64, f64) -> bool| match (found.and_then(Value::as_f64), value.as_f64()) {
            (Some(a), Some(b)) => test(a, b),
            _ => false,
        };
        match self {
            Operator::Equals => found.is_some_and(|found| same(found, value)),
            Operator::NotEquals => !found.is_some_and(|found| same(found, value)),
            Operator::Lt => ordered(|a, b| a < b),
            Operator::Lte => ordered(|a, b| a <= b),
            Operator::Gt => ordered(|a, b| a > b),
            Operator::Gte => ordered(|a, b| a >= b),
            Operator::In => value
                .as_array()
                .is_some_and(|list| found.is_some_and(|f| list.iter().any(|v| same(f, v)))),
            Operator::Contains => match found {
                Some(Value::Array(list)) => list.iter().any(|v| same(v, value)),
                Some(Value::String(text)) => value.as_str().is_some_and(|part| text.contains(part)),
                _ => false,
            },
        }
    }
}

/// JSON equality in which 1 and 1.0 are the same number.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

impl Condition {
    /// Whether it holds, with variables looked up by their path.
    pub fn holds<'v>(&self, look_up: &impl Fn(&str) -> Option<&'v Value>) -> bool {
        match self {
            Condition::Truthy(var) => look_up(var).is_some_and(truthy),
            Condition::Compare(var, operator, value) => operator.holds(look_up(var), value),
            Condition::And(all) => all.iter().all(|c| c.holds(look_up)),
            Condition::Or(any) => any.iter().any(|c| c.holds(look_up)),
            Condition::Not(one) => !one.holds(look_up),
        }
    }

    /// Reads the JSON form.
    pub fn from_json(value: &Value) -> Result<Self, String> {
        read(value, 0)
    }

    /// Reads `KEY OPERATOR JSON-value` or a JSON condition.
    pub fn from_org(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.starts_with('{') {
            let value = serde_json::from_str(text).map_err(|e| format!("`{text}` is not JSON: {e}"))?;
            return Self::from_json(&value);
        }
        let usage = || format!("`{text}` is not KEY (=, !=, <, <=, >, >=, in, contains) JSON-value");
        let (key, rest) = text.split_once(char::is_whitespace).ok_or_else(usage)?;
        let (sign, value) = rest.trim_start().split_once(char::is_whitespace).ok_or_else(usage)?;
        let (operator, ..) = Operator::ALL.into_iter().find(|(.., s)| *s == sign).ok_or_else(usage)?;
        let value = serde_json::from_str(value.trim()).map_err(|e| format!("`{}` is not JSON: {e}", value.trim()))?;
        compare(variable(key)?, operator, value)
    }

    fn to_json(&self) -> Value {
        match self {
            Condition::Truthy(var) => json!({"var": var}),
            Condition::Compare(var, operator, value) => json!({"var": var, operator.name(): value}),
            Condition::And(all) => json!({"and": all.iter().map(Condition::to_json).collect::<Vec<_>>()}),
            Condition::Or(any) => json!({"or": any.iter().map(Condition::to_json).collect::<Vec<_>>()}),
            Condition::Not(one) => json!({"not": one.to_json()}),
        }
    }
}

fn truthy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(n) => n.as_f64() != Some(0.0),
        Value::String(s) => !s.is_empty(),
        _ => true,
    }
}

fn variable(text: &str) -> Result<String, String> {
    let part = |p: &str| !p.is_empty() && p.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if text.len() <= 128 && text.split('.').all(part) {
        Ok(text.to_owned())
    } else {
        Err(format!("`{}` is not a context key", crate::text::clip(text, 64)))
    }
}

fn compare(var: String, operator: Operator, value: Value) -> Result<Condition, String> {
    if operator.takes(&value) {
        Ok(Condition::Compare(var, operator, value))
    } else {
        Err(format!(
            "`{}` cannot be compared by {}",
            crate::text::clip(&value.to_string(), 64),
            operator.name()
        ))
    }
}

fn read(value: &Value, depth: usize) -> Result<Condition, String> {
    if depth > DEPTH {
        return Err(format!("conditions nest more than {DEPTH} deep"));
    }
    let object = value.as_object().ok_or("a condition is a JSON object")?;
    if object.contains_key("var") {
        return read_comparison(object);
    }
    let mut entries = object.iter();
    let (Some((word, body)), None) = (entries.next(), entries.next()) else {
        return Err("a condition has var and a comparison, or one of and, or, not".into());
    };
    let list = || -> Result<Vec<Condition>, String> {
        let list = body.as_array().ok_or_else(|| format!("`{word}` takes a list"))?;
        list.iter().map(|c| read(c, depth + 1)).collect()
    };
    match word.as_str() {
        "and" => Ok(Condition::And(list()?)),
        "or" => Ok(Condition::Or(list()?)),
        "not" => Ok(Condition::Not(Box::new(read(body, depth + 1)?))),
        _ => Err(format!("there is no condition `{}`", crate::text::clip(word, 64))),
    }
}

fn read_comparison(object: &Map<String, Value>) -> Result<Condition, String> {
    let var = variable(object["var"].as_str().ok_or("`var` is a string")?)?;
    let mut all = Vec::new();
    // The table's order, so that the order of the keys in the source does not matter.
    for (operator, name, _) in Operator::ALL {
        if let Some(value) = object.get(name) {
            all.push(compare(var.clone(), operator, value.clone())?);
        }
    }
    if all.len() + 1 != object.len() {
        return Err(format!("a condition on `{var}` has a comparison that does not exist"));
    }
    Ok(match all.len() {
        0 => Condition::Truthy(var),
        1 => all.remove(0),
        _ => Condition::And(all),
    })
}

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Condition::from_json(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(condition: &str, context: Value) -> bool {
        let condition = Condition::from_org(condition).unwrap();
        condition.holds(&|path| crate::interpret::look_up(context.as_object().unwrap(), path))
    }

    #[test]
    fn every_operator_says_what_its_sign_says() {
        for (condition, context, want) in [
            ("n = 1", json!({"n": 1.0}), true),
            ("n = 1", json!({"n": "1"}), false),
            ("n = 1", json!({}), false),
            ("n != 1", json!({}), true),
            ("n != 1", json!({"n": 1}), false),
            ("n < 2", json!({"n": 1}), true),
            ("n < 2", json!({"n": 2}), false),
            ("n <= 2", json!({"n": 2}), true),
            ("n > 2", json!({"n": "3"}), false),
            ("n >= 2", json!({"n": 2.5}), true),
            ("s in [\"a\", \"b\"]", json!({"s": "b"}), true),
            ("s in []", json!({"s": "b"}), false),
            ("s contains \"ell\"", json!({"s": "hello"}), true),
            ("s contains 2", json!({"s": [1, 2]}), true),
            ("a.b.c = true", json!({"a": {"b": {"c": true}}}), true),
            ("{\"var\": \"x\"}", json!({"x": 0}), false),
            ("{\"var\": \"x\"}", json!({"x": []}), true),
            (
                "{\"not\": {\"var\": \"x\", \"gt\": 1, \"lt\": 3}}",
                json!({"x": 2}),
                false,
            ),
            ("{\"or\": [{\"var\": \"x\"}, {\"and\": []}]}", json!({}), true),
        ] {
            assert_eq!(holds(condition, context.clone()), want, "{condition} on {context}");
        }
    }

    #[test]
    fn what_is_not_a_condition_is_refused() {
        for bad in [
            "",
            "n",
            "n =",
            "n == 1",
            "n = one",
            "n < \"1\"",
            "s in 1",
            "a..b = 1",
            "{\"xor\": []}",
            "{\"and\": 1}",
            "{\"var\": \"x\", \"like\": 1}",
            "{\"var\": 1}",
            "{}",
            "{\"and\": [], \"or\": []}",
        ] {
            assert!(Condition::from_org(bad).is_err(), "{bad}");
        }
        let deep = format!("{}{{\"var\":\"x\"}}{}", "{\"not\":".repeat(20), "}".repeat(20));
        assert!(Condition::from_org(&deep).is_err());
    }

    #[test]
    fn the_org_form_and_the_json_form_are_one() {
        let org = Condition::from_org("risk in [\"high\"]").unwrap();
        assert_eq!(Condition::from_json(&json!({"in": ["high"], "var": "risk"})), Ok(org));
    }
}
