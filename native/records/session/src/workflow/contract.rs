//! Typed results. One table says what each contract wants; the schema that validates, the guidance that the agent
//! reads before it works and the reference page all come from it.

mod reference;
mod table;

pub use reference::reference;
pub use table::{CONTRACTS, GRANT};

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::schema::{Additional, Kind};
use super::{CompiledContract, Schema};

/// A contract on an output.
#[derive(Debug, Clone, Copy)]
pub struct Contract {
    /// `wr.contracts.*` or `wb.contracts.*`.
    pub name: &'static str,
    /// The `kind` of the artifact that fulfils it.
    pub kind: &'static str,
    /// What it is for.
    pub summary: &'static str,
    /// The fields besides `kind`.
    pub fields: &'static [Field],
}

/// A field of an artifact.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it looks like.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
    /// What it is for.
    pub summary: &'static str,
}

/// What a field looks like.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Text of this many characters.
    Text(u64, u64),
    /// A whole number in this range.
    Integer(i64, i64),
    /// True or false.
    Boolean,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// This number.
    Number(i64),
    /// A list of at least and at most so many.
    List(&'static Shape, u64, u64),
    /// An object with these fields and no others.
    Record(&'static [Field]),
    /// An object with these fields, and others as the agent likes.
    Open(&'static [Field]),
    /// An object whose values all look like this.
    Map(&'static Shape),
    /// Either.
    Either(&'static Shape, &'static Shape),
}

impl Contract {
    /// The contract with this name.
    pub fn find(name: &str) -> Option<&'static Contract> {
        CONTRACTS.iter().find(|contract| contract.name == name)
    }

    /// The contract that an artifact of this kind fulfils.
    pub fn of_kind(kind: &str) -> Option<&'static Contract> {
        CONTRACTS.iter().find(|contract| contract.kind == kind)
    }

    /// The contract as a workflow embeds it.
    pub fn compiled(&self) -> CompiledContract {
        CompiledContract {
            contract_ref: self.name.into(),
            artifact_kind: self.kind.into(),
            schema: self.schema(),
            guidance: self.guidance(),
        }
    }

    /// The schema that an artifact must fit.
    pub fn schema(&self) -> Schema {
        let mut schema = record(self.fields, false);
        let kind = Schema {
            constant: Some(json!(self.kind)),
            ..Schema::default()
        };
        schema.properties.insert("kind".into(), kind);
        schema.required.insert(0, "kind".into());
        schema
    }

    /// What the agent is told before it works.
    pub fn guidance(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "send an artifact {{\"kind\": \"{}\", ..}}: {}",
            self.kind, self.summary
        )];
        lines.extend(self.fields.iter().map(|field| {
            let optional = if field.required { "" } else { ", optional" };
            format!(
                "{} ({}{optional}): {}",
                field.name,
                field.shape.describe(),
                field.summary
            )
        }));
        lines
    }

    /// An artifact that fulfils the contract, for examples and tests.
    pub fn example(&self) -> Value {
        let mut artifact = example_record(self.fields);
        artifact["kind"] = json!(self.kind);
        artifact
    }
}

impl Shape {
    fn schema(&self) -> Schema {
        let of = |kind| Schema {
            kind: Some(kind),
            ..Schema::default()
        };
        match *self {
            Shape::Text(min, max) => Schema {
                min_length: Some(min),
                max_length: Some(max),
                ..of(Kind::String)
            },
            Shape::Integer(min, max) => Schema {
                minimum: Some(min as f64),
                maximum: Some(max as f64),
                ..of(Kind::Integer)
            },
            Shape::Boolean => of(Kind::Boolean),
            Shape::OneOf(words) => Schema {
                one_of: Some(words.iter().map(|w| json!(w)).collect()),
                ..Schema::default()
            },
            Shape::Number(number) => Schema {
                constant: Some(json!(number)),
                ..Schema::default()
            },
            Shape::List(item, min, max) => Schema {
                items: Some(Box::new(item.schema())),
                min_items: Some(min),
                max_items: Some(max),
                ..of(Kind::Array)
            },
            Shape::Record(fields) => record(fields, false),
            Shape::Open(fields) => record(fields, true),
            Shape::Map(value) => Schema {
                additional_properties: Some(Additional::Like(Box::new(value.schema()))),
                ..of(Kind::Object)
            },
            Shape::Either(a, b) => Schema {
                any_of: vec![a.schema(), b.schema()],
                ..Schema::default()
            },
        }
    }

    fn describe(&self) -> String {
        match *self {
            Shape::Text(0 | 1, max) => format!("text of at most {max} characters"),
            Shape::Text(min, max) => format!("text of {min} to {max} characters"),
            Shape::Integer(min, max) => format!("whole number {min} to {max}"),
            Shape::Boolean => "true or false".into(),
            Shape::OneOf(words) => words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(" | "),
            Shape::Number(number) => number.to_string(),
            Shape::List(item, 0, max) => format!("list of at most {max}, each {}", item.describe()),
            Shape::List(item, min, max) => format!("list of {min} to {max}, each {}", item.describe()),
            Shape::Record(fields) | Shape::Open(fields) => {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|f| {
                        format!(
                            "{}{}: {}",
                            f.name,
                            if f.required { "" } else { "?" },
                            f.shape.describe()
                        )
                    })
                    .collect();
                format!("{{{}}}", fields.join(", "))
            }
            Shape::Map(value) => format!("object of names to {}", value.describe()),
            Shape::Either(a, b) => format!("{} or {}", a.describe(), b.describe()),
        }
    }

    fn example(&self) -> Value {
        match *self {
            Shape::Text(min, max) => json!(
                "an example text ".repeat(1 + min as usize / 16)[..]
                    .chars()
                    .take(max as usize)
                    .collect::<String>()
            ),
            Shape::Integer(min, _) => json!(min),
            Shape::Boolean => json!(true),
            Shape::OneOf(words) => json!(words[0]),
            Shape::Number(number) => json!(number),
            Shape::List(item, min, _) => json!((0..min.max(1)).map(|_| item.example()).collect::<Vec<_>>()),
            Shape::Record(fields) | Shape::Open(fields) => example_record(fields),
            Shape::Map(value) => json!({"name": value.example()}),
            Shape::Either(a, _) => a.example(),
        }
    }
}

fn record(fields: &[Field], open: bool) -> Schema {
    let described = |field: &Field| {
        let schema = Schema {
            description: Some(field.summary.into()),
            ..field.shape.schema()
        };
        (field.name.to_owned(), schema)
    };
    Schema {
        kind: Some(Kind::Object),
        properties: fields.iter().map(described).collect::<BTreeMap<_, _>>(),
        required: fields.iter().filter(|f| f.required).map(|f| f.name.into()).collect(),
        additional_properties: Some(Additional::Allowed(open)),
        ..Schema::default()
    }
}

fn example_record(fields: &[Field]) -> Value {
    fields
        .iter()
        .filter(|f| f.required)
        .map(|f| (f.name.to_owned(), f.shape.example()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contract_accepts_its_own_example_and_refuses_a_bare_kind() {
        for contract in CONTRACTS {
            let schema = contract.schema();
            assert_eq!(schema.check(&contract.example()), [""; 0], "{}", contract.name);
            assert_ne!(
                schema.check(&json!({"kind": contract.kind})),
                [""; 0],
                "{}",
                contract.name
            );
            assert_ne!(schema.check(&json!({"kind": "other"})), [""; 0], "{}", contract.name);
        }
    }

    #[test]
    fn every_contract_has_its_own_name_and_kind_and_its_schema_reads_back() {
        let names: std::collections::BTreeSet<_> = CONTRACTS.iter().map(|c| c.name).collect();
        let kinds: std::collections::BTreeSet<_> = CONTRACTS.iter().map(|c| c.kind).collect();
        assert_eq!((names.len(), kinds.len()), (CONTRACTS.len(), CONTRACTS.len()));
        for contract in CONTRACTS {
            let schema = contract.schema();
            assert_eq!(Schema::from_json(&serde_json::to_value(&schema).unwrap()), Ok(schema));
        }
    }

    #[test]
    fn the_guidance_names_every_field() {
        for contract in CONTRACTS {
            let guidance = contract.guidance().join("\n");
            for field in contract.fields {
                assert!(guidance.contains(field.name), "{}: {}", contract.name, field.name);
            }
        }
    }
}
