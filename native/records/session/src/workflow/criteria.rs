//! Rules on what an agent writes: they look for evidence in the notes.

use regex_lite::{Regex, RegexBuilder};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::{Condition, Schema};

const DEPTH: usize = 16;
/// The longest message that still fits in a blocker with its frame.
const MESSAGE: usize = 400;

/// Rules, composed.
#[derive(Debug, Clone, PartialEq)]
pub enum Criteria {
    /// Every one must hold.
    All(Vec<Criteria>),
    /// At least one must hold.
    Any(Vec<Criteria>),
    /// It must not hold.
    Not(Box<Criteria>),
    /// One rule.
    Rule(Rule),
}

/// One rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// What must hold.
    pub test: Test,
    /// What is said when it does not.
    pub message: String,
    /// When the rule counts at all.
    pub condition: Option<Condition>,
}

/// What must hold of the notes.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// They have this text in them.
    Contains(String),
    /// They match.
    Regex {
        /// The pattern.
        pattern: String,
        /// Of `i`, `m`, `s`; `g` and `u` are taken and mean nothing.
        flags: String,
    },
    /// They are this long, in characters.
    Length {
        /// At least.
        min: Option<u64>,
        /// At most.
        max: Option<u64>,
    },
    /// They are JSON that looks like this.
    Schema(Box<Schema>),
}

impl Criteria {
    /// Reads a rule, a list of rules, or `and`, `or`, `not` of them.
    pub fn from_json(value: &Value) -> Result<Self, String> {
        read(value, 0)
    }

    /// The messages of the rules that do not hold; empty when the notes are accepted.
    pub fn check<'v>(&self, notes: &str, look_up: &impl Fn(&str) -> Option<&'v Value>) -> Vec<String> {
        match self {
            Criteria::All(all) => all.iter().flat_map(|c| c.check(notes, look_up)).collect(),
            Criteria::Any(any) => {
                let failed: Vec<Vec<String>> = any.iter().map(|c| c.check(notes, look_up)).collect();
                if failed.iter().any(Vec::is_empty) {
                    Vec::new()
                } else {
                    failed.into_iter().flatten().collect()
                }
            }
            Criteria::Not(one) if one.check(notes, look_up).is_empty() => {
                vec![format!("this must not hold: {}", one.requirements().join("; "))]
            }
            Criteria::Not(_) => Vec::new(),
            Criteria::Rule(rule) => {
                let counts = rule.condition.as_ref().is_none_or(|c| c.holds(look_up));
                if counts && !rule.test.holds(notes) {
                    vec![rule.message.clone()]
                } else {
                    Vec::new()
                }
            }
        }
    }

    /// What the agent is told before it works.
    pub fn requirements(&self) -> Vec<String> {
        match self {
            Criteria::All(list) => list.iter().flat_map(Criteria::requirements).collect(),
            Criteria::Any(list) => {
                let each: Vec<String> = list.iter().map(|c| c.requirements().join(" and ")).collect();
                vec![format!("one of: {}", each.join("; or "))]
            }
            Criteria::Not(one) => vec![format!("not: {}", one.requirements().join("; "))],
            Criteria::Rule(rule) => vec![match &rule.test {
                Test::Contains(value) => format!("the notes contain {value:?}"),
                Test::Regex { pattern, .. } => format!("the notes match /{pattern}/"),
                Test::Length { min, max } => match (min, max) {
                    (Some(min), Some(max)) => format!("the notes have {min} to {max} characters"),
                    (Some(min), None) => format!("the notes have at least {min} characters"),
                    (None, Some(max)) => format!("the notes have at most {max} characters"),
                    (None, None) => "the notes have any length".into(),
                },
                Test::Schema(_) => format!("the notes are JSON: {}", rule.message),
            }],
        }
    }

    fn to_json(&self) -> Value {
        let list = |list: &[Criteria]| list.iter().map(Criteria::to_json).collect::<Vec<_>>();
        match self {
            Criteria::All(all) => json!({"and": list(all)}),
            Criteria::Any(any) => json!({"or": list(any)}),
            Criteria::Not(one) => json!({"not": one.to_json()}),
            Criteria::Rule(rule) => rule.to_json(),
        }
    }
}

impl Test {
    fn holds(&self, notes: &str) -> bool {
        match self {
            Test::Contains(value) => notes.contains(value),
            Test::Regex { pattern, flags } => regex(pattern, flags).is_ok_and(|r| r.is_match(notes)),
            Test::Length { min, max } => {
                let length = notes.chars().count() as u64;
                min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max)
            }
            Test::Schema(schema) => serde_json::from_str(notes).is_ok_and(|value| schema.check(&value).is_empty()),
        }
    }
}

impl Rule {
    fn to_json(&self) -> Value {
        let mut rule = match &self.test {
            Test::Contains(value) => json!({"type": "contains", "value": value}),
            Test::Regex { pattern, flags } => json!({"type": "regex", "pattern": pattern, "flags": flags}),
            Test::Length { min, max } => json!({"type": "length", "min": min, "max": max}),
            Test::Schema(schema) => json!({"type": "schema", "schema": schema}),
        };
        rule["message"] = json!(self.message);
        if let Some(condition) = &self.condition {
            rule["condition"] = json!(condition);
        }
        rule
    }
}

fn regex(pattern: &str, flags: &str) -> Result<Regex, String> {
    let mut builder = RegexBuilder::new(pattern);
    for flag in flags.chars() {
        match flag {
            'i' => builder.case_insensitive(true),
            'm' => builder.multi_line(true),
            's' => builder.dot_matches_new_line(true),
            'g' | 'u' => &mut builder,
            other => return Err(format!("there is no flag `{other}`")),
        };
    }
    builder.build().map_err(|e| format!("the pattern cannot be read: {e}"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    #[serde(rename = "type")]
    kind: String,
    message: String,
    value: Option<String>,
    pattern: Option<String>,
    flags: Option<String>,
    min: Option<u64>,
    max: Option<u64>,
    schema: Option<Value>,
    condition: Option<Condition>,
}

fn read(value: &Value, depth: usize) -> Result<Criteria, String> {
    if depth > DEPTH {
        return Err(format!("criteria nest more than {DEPTH} deep"));
    }
    let list = |list: &[Value]| list.iter().map(|v| read(v, depth + 1)).collect::<Result<Vec<_>, _>>();
    match value {
        Value::Array(all) => Ok(Criteria::All(list(all)?)),
        Value::Object(object) if object.contains_key("type") => read_rule(value).map(Criteria::Rule),
        Value::Object(object) if object.len() == 1 => match object.iter().next() {
            Some((word, Value::Array(all))) if word == "and" => Ok(Criteria::All(list(all)?)),
            Some((word, Value::Array(any))) if word == "or" => Ok(Criteria::Any(list(any)?)),
            Some((word, one)) if word == "not" => Ok(Criteria::Not(Box::new(read(one, depth + 1)?))),
            _ => Err("criteria are composed by and, or, not".into()),
        },
        _ => Err("criteria are a rule with a type, a list of rules, or one of and, or, not".into()),
    }
}

fn read_rule(value: &Value) -> Result<Rule, String> {
    let raw: RawRule = serde_json::from_value(value.clone()).map_err(|e| format!("a rule cannot be read: {e}"))?;
    if raw.message.len() > MESSAGE {
        return Err(format!("a rule's message has more than {MESSAGE} bytes"));
    }
    let test = match raw.kind.as_str() {
        "contains" => Test::Contains(raw.value.filter(|v| !v.is_empty()).ok_or("`contains` needs a value")?),
        "regex" => {
            let pattern = raw.pattern.ok_or("`regex` needs a pattern")?;
            let flags = raw.flags.unwrap_or_default();
            regex(&pattern, &flags)?;
            Test::Regex { pattern, flags }
        }
        "length" if raw.min.is_none() && raw.max.is_none() => return Err("`length` needs min or max".into()),
        "length" => Test::Length {
            min: raw.min,
            max: raw.max,
        },
        "schema" => Test::Schema(Box::new(Schema::from_json(
            &raw.schema.ok_or("`schema` needs a schema")?,
        )?)),
        other => return Err(format!("there is no rule `{}`", crate::text::clip(other, 64))),
    };
    Ok(Rule {
        test,
        message: raw.message,
        condition: raw.condition,
    })
}

impl Serialize for Criteria {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Criteria {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Criteria::from_json(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(criteria: Value, notes: &str) -> Vec<String> {
        Criteria::from_json(&criteria).unwrap().check(notes, &|_| None)
    }

    #[test]
    fn each_rule_looks_at_the_notes() {
        let rule = |mut rule: Value| {
            rule["message"] = json!("no");
            rule
        };
        for (criteria, notes, accepted) in [
            (rule(json!({"type": "contains", "value": "x"})), "axb", true),
            (rule(json!({"type": "contains", "value": "x"})), "ab", false),
            (
                rule(json!({"type": "regex", "pattern": "^finding \\d", "flags": "im"})),
                "a\nFinding 1",
                true,
            ),
            (
                rule(json!({"type": "regex", "pattern": "^finding \\d"})),
                "a\nFinding 1",
                false,
            ),
            (
                rule(json!({"type": "length", "min": 2, "max": 3})),
                "\u{20ac}\u{20ac}",
                true,
            ),
            (rule(json!({"type": "length", "min": 2})), "x", false),
            (
                rule(json!({"type": "schema", "schema": {"type": "array"}})),
                "[1]",
                true,
            ),
            (
                rule(json!({"type": "schema", "schema": {"type": "array"}})),
                "{}",
                false,
            ),
            (
                rule(json!({"type": "schema", "schema": {"type": "array"}})),
                "not json",
                false,
            ),
            (
                rule(json!({"type": "contains", "value": "x", "condition": {"var": "absent"}})),
                "",
                true,
            ),
        ] {
            assert_eq!(
                check(criteria.clone(), notes).is_empty(),
                accepted,
                "{criteria} on {notes:?}"
            );
        }
    }

    #[test]
    fn rules_compose() {
        let has = |value| json!({"type": "contains", "value": value, "message": format!("no {value}")});
        assert_eq!(check(json!([has("a"), has("b")]), "a"), ["no b"]);
        assert_eq!(check(json!({"or": [has("a"), has("b")]}), "b"), [""; 0]);
        assert_eq!(check(json!({"or": [has("a"), has("b")]}), ""), ["no a", "no b"]);
        assert_eq!(check(json!({"not": has("a")}), "b"), [""; 0]);
        assert_eq!(
            check(json!({"not": has("a")}), "a"),
            ["this must not hold: the notes contain \"a\""]
        );
    }

    #[test]
    fn what_is_not_a_rule_is_refused() {
        for bad in [
            json!({"type": "magic", "message": "m"}),
            json!({"type": "contains", "message": "m"}),
            json!({"type": "contains", "value": "x"}),
            json!({"type": "regex", "pattern": "(", "message": "m"}),
            json!({"type": "regex", "pattern": "a", "flags": "y", "message": "m"}),
            json!({"type": "length", "message": "m"}),
            json!({"type": "schema", "schema": {"$ref": "#"}, "message": "m"}),
            json!({"type": "contains", "value": "x", "message": "m".repeat(500)}),
            json!({"xor": []}),
            json!("text"),
        ] {
            assert!(Criteria::from_json(&bad).is_err(), "{bad}");
        }
    }
}
