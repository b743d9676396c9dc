//! A small part of JSON Schema: what contracts need, and nothing that could be misread.
//!
//! A keyword outside this part is refused when the workflow is compiled, so no rule is ever skipped in silence.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How deep schemas nest.
const DEPTH: usize = 16;

/// What a value must look like.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Schema {
    /// Its JSON type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<Kind>,
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
    /// The one value it may be.
    #[serde(rename = "const", skip_serializing_if = "Option::is_none", default)]
    pub constant: Option<Value>,
    /// The values it may be.
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none", default)]
    pub one_of: Option<Vec<Value>>,
    /// Fewest characters of a text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub min_length: Option<u64>,
    /// Most characters of a text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_length: Option<u64>,
    /// Smallest number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub minimum: Option<f64>,
    /// Largest number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub maximum: Option<f64>,
    /// Fewest items of a list.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub min_items: Option<u64>,
    /// Most items of a list.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_items: Option<u64>,
    /// What every item of a list looks like.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub items: Option<Box<Schema>>,
    /// What the fields of an object look like.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub properties: BTreeMap<String, Schema>,
    /// Fields that an object must have.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub required: Vec<String>,
    /// Whether an object may have other fields, or what they look like.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub additional_properties: Option<Additional>,
    /// At least one of these must fit.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub any_of: Vec<Schema>,
}

/// What fields an object may have besides its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Additional {
    /// Any, or none.
    Allowed(bool),
    /// Those that look like this.
    Like(Box<Schema>),
}

/// A JSON type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// A list.
    Array,
    /// An object.
    Object,
    /// Null.
    Null,
}

impl Kind {
    fn fits(self, value: &Value) -> bool {
        match self {
            Kind::String => value.is_string(),
            Kind::Integer => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|f| f.fract() == 0.0),
            Kind::Number => value.is_number(),
            Kind::Boolean => value.is_boolean(),
            Kind::Array => value.is_array(),
            Kind::Object => value.is_object(),
            Kind::Null => value.is_null(),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Kind::String => "a text",
            Kind::Integer => "a whole number",
            Kind::Number => "a number",
            Kind::Boolean => "true or false",
            Kind::Array => "a list",
            Kind::Object => "an object",
            Kind::Null => "null",
        }
    }
}

impl Schema {
    /// Reads a schema, and refuses a keyword that is not in this part.
    pub fn from_json(value: &Value) -> Result<Self, String> {
        let schema: Schema =
            serde_json::from_value(value.clone()).map_err(|e| format!("the schema cannot be read: {e}"))?;
        if schema.depth() > DEPTH {
            Err(format!("the schema nests more than {DEPTH} deep"))
        } else {
            Ok(schema)
        }
    }

    fn depth(&self) -> usize {
        let inside = self
            .properties
            .values()
            .chain(self.items.as_deref())
            .chain(&self.any_of);
        1 + inside.map(Schema::depth).max().unwrap_or(0)
    }

    /// What is wrong with the value, each with its place; empty when it fits.
    pub fn check(&self, value: &Value) -> Vec<String> {
        let mut wrong = Vec::new();
        self.walk(value, "", &mut wrong);
        wrong
    }

    fn walk(&self, value: &Value, at: &str, wrong: &mut Vec<String>) {
        let mut say = |what: String| wrong.push(format!("{} {what}", if at.is_empty() { "it" } else { at }));
        if let Some(kind) = self.kind
            && !kind.fits(value)
        {
            return say(format!("must be {}", kind.name()));
        }
        if let Some(constant) = &self.constant
            && constant != value
        {
            say(format!("must be {constant}"));
        }
        if let Some(list) = &self.one_of
            && !list.contains(value)
        {
            let list: Vec<String> = list.iter().map(Value::to_string).collect();
            say(format!("must be one of {}", crate::text::clip(&list.join(", "), 200)));
        }
        if !self.any_of.is_empty() && !self.any_of.iter().any(|s| s.check(value).is_empty()) {
            say("fits none of the shapes it may have".into());
        }
        match value {
            Value::String(text) => self.text(text.chars().count() as u64, &mut say),
            Value::Number(number) => self.number(number.as_f64().unwrap_or(f64::NAN), &mut say),
            Value::Array(list) => self.list(list, at, wrong),
            Value::Object(object) => self.object(object, at, wrong),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn text(&self, length: u64, say: &mut impl FnMut(String)) {
        if self.min_length.is_some_and(|min| length < min) {
            say(format!(
                "must have at least {} characters",
                self.min_length.unwrap_or(0)
            ));
        }
        if self.max_length.is_some_and(|max| length > max) {
            say(format!("may have at most {} characters", self.max_length.unwrap_or(0)));
        }
    }

    fn number(&self, number: f64, say: &mut impl FnMut(String)) {
        if let Some(min) = self.minimum.filter(|min| number < *min) {
            say(format!("must be at least {min}"));
        }
        if let Some(max) = self.maximum.filter(|max| number > *max) {
            say(format!("must be at most {max}"));
        }
    }

    fn list(&self, list: &[Value], at: &str, wrong: &mut Vec<String>) {
        let name = if at.is_empty() { "it" } else { at };
        let length = list.len() as u64;
        if let Some(min) = self.min_items.filter(|min| length < *min) {
            wrong.push(format!("{name} must have at least {min} items"));
        }
        if let Some(max) = self.max_items.filter(|max| length > *max) {
            wrong.push(format!("{name} may have at most {max} items"));
        }
        if let Some(items) = &self.items {
            for (i, item) in list.iter().enumerate() {
                items.walk(item, &format!("{at}[{i}]"), wrong);
            }
        }
    }

    fn object(&self, object: &serde_json::Map<String, Value>, at: &str, wrong: &mut Vec<String>) {
        let place = |key: &str| {
            let key = crate::text::clip(key, 64);
            if at.is_empty() { key } else { format!("{at}.{key}") }
        };
        for key in self.required.iter().filter(|key| !object.contains_key(*key)) {
            wrong.push(format!("{} is missing", place(key)));
        }
        for (key, value) in object {
            match (self.properties.get(key), &self.additional_properties) {
                (Some(schema), _) => schema.walk(value, &place(key), wrong),
                (None, Some(Additional::Allowed(false))) => wrong.push(format!("{} is not a field of it", place(key))),
                (None, Some(Additional::Like(schema))) => schema.walk(value, &place(key), wrong),
                (None, _) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_rule_says_what_is_wrong_and_where() {
        let schema = Schema::from_json(&json!({
            "type": "object",
            "required": ["kind", "items"],
            "additionalProperties": false,
            "properties": {
                "kind": {"const": "x"},
                "level": {"enum": ["low", "high"]},
                "n": {"type": "integer", "minimum": 1, "maximum": 3},
                "items": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string", "minLength": 2}},
                "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "map": {"type": "object", "additionalProperties": {"type": "boolean"}},
            },
        }))
        .unwrap();
        for (value, want) in [
            (json!({"kind": "x", "items": ["ab"]}), vec![]),
            (json!(1), vec!["it must be an object"]),
            (json!({"kind": "y", "items": ["ab"]}), vec!["kind must be \"x\""]),
            (json!({"kind": "x"}), vec!["items is missing"]),
            (
                json!({"kind": "x", "items": []}),
                vec!["items must have at least 1 items"],
            ),
            (
                json!({"kind": "x", "items": ["a", 1, "cd"]}),
                vec![
                    "items may have at most 2 items",
                    "items[0] must have at least 2 characters",
                    "items[1] must be a text",
                ],
            ),
            (
                json!({"kind": "x", "items": ["ab"], "n": 4}),
                vec!["n must be at most 3"],
            ),
            (
                json!({"kind": "x", "items": ["ab"], "n": 1.5}),
                vec!["n must be a whole number"],
            ),
            (
                json!({"kind": "x", "items": ["ab"], "level": "mid"}),
                vec!["level must be one of \"low\", \"high\""],
            ),
            (
                json!({"kind": "x", "items": ["ab"], "z": 1}),
                vec!["z is not a field of it"],
            ),
            (
                json!({"kind": "x", "items": ["ab"], "either": 1}),
                vec!["either fits none of the shapes it may have"],
            ),
            (
                json!({"kind": "x", "items": ["ab"], "map": {"a": 1}}),
                vec!["map.a must be true or false"],
            ),
        ] {
            assert_eq!(schema.check(&value), want, "{value}");
        }
    }

    #[test]
    fn a_keyword_outside_this_part_is_refused() {
        for bad in [
            json!({"pattern": "a"}),
            json!({"$ref": "#"}),
            json!({"type": "date"}),
            json!({"oneOf": []}),
            json!(1),
        ] {
            assert!(Schema::from_json(&bad).is_err(), "{bad}");
        }
    }
}
