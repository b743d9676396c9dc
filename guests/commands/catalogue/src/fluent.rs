//! Fluent messages as Rust expressions of type `&[Part]`.

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement, Variant, VariantKey};
use fluent_syntax::parser;
use fluent_syntax::unicode::unescape_unicode_to_string;
use std::collections::{BTreeMap, HashMap};

type Patterns<'a> = HashMap<&'a str, &'a Pattern<&'a str>>;

/// Every message of a Fluent text: its identifier and its expression.
///
/// A message that upstream got wrong is left out, as Fluent itself does.
pub fn messages(text: &str) -> BTreeMap<String, String> {
    let resource = parser::parse(text).unwrap_or_else(|(partial, _)| partial);
    let patterns: Patterns = resource
        .body
        .iter()
        .filter_map(|entry| match entry {
            Entry::Message(message) => Some((message.id.name, message.value.as_ref()?)),
            _ => None,
        })
        .collect();
    patterns
        .iter()
        .map(|(id, pattern)| (id.to_string(), parts(pattern, &patterns)))
        .collect()
}

fn parts(pattern: &Pattern<&str>, all: &Patterns) -> String {
    let parts: String = pattern
        .elements
        .iter()
        .map(|element| element_part(element, all) + ", ")
        .collect();
    format!("&[{parts}]")
}

fn element_part(element: &PatternElement<&str>, all: &Patterns) -> String {
    match element {
        PatternElement::TextElement { value } => format!("Text({value:?})"),
        PatternElement::Placeable {
            expression: Expression::Inline(inline),
        } => inline_part(inline, all),
        PatternElement::Placeable {
            expression: Expression::Select { selector, variants },
        } => select_part(selector, variants, all),
    }
}

fn inline_part(inline: &InlineExpression<&str>, all: &Patterns) -> String {
    match inline {
        InlineExpression::StringLiteral { value } => format!("Text({:?})", unescape_unicode_to_string(value)),
        InlineExpression::NumberLiteral { value } => format!("Text({value:?})"),
        InlineExpression::VariableReference { id } => format!("Argument({:?})", id.name),
        InlineExpression::MessageReference { id, .. } => match all.get(id.name) {
            Some(pattern) => format!("Select(\"\", &[], {})", parts(pattern, all)),
            None => format!("Text({:?})", format!("{{{}}}", id.name)),
        },
        other => panic!("a message uses {other:?}, which the catalogue does not know"),
    }
}

fn select_part(selector: &InlineExpression<&str>, variants: &[Variant<&str>], all: &Patterns) -> String {
    let InlineExpression::VariableReference { id } = selector else {
        panic!("a message selects by {selector:?}, which the catalogue does not know");
    };
    let rows: String = variants
        .iter()
        .map(|one| format!("({:?}, {}), ", key(one), parts(&one.value, all)))
        .collect();
    let default = variants
        .iter()
        .find(|one| one.default)
        .expect("Fluent demands a default");
    format!("Select({:?}, &[{rows}], {})", id.name, parts(&default.value, all))
}

fn key<'a>(variant: &Variant<&'a str>) -> &'a str {
    match variant.key {
        VariantKey::Identifier { name } => name,
        VariantKey::NumberLiteral { value } => value,
    }
}

#[cfg(test)]
mod tests {
    use super::messages;

    #[test]
    fn messages_become_expressions() {
        for (text, expression) in [
            ("id = plain", r#"&[Text("plain"), ]"#),
            ("id = a { $x } b", r#"&[Text("a "), Argument("x"), Text(" b"), ]"#),
            ("id = {\"{}\"}", r#"&[Text("{}"), ]"#),
            ("id = { other }\nother = o", r#"&[Select("", &[], &[Text("o"), ]), ]"#),
            ("id = { missing }", r#"&[Text("{missing}"), ]"#),
            (
                "id = { $n ->\n    [one] 1\n   *[other] n\n}",
                r#"&[Select("n", &[("one", &[Text("1"), ]), ("other", &[Text("n"), ]), ], &[Text("n"), ]), ]"#,
            ),
        ] {
            assert_eq!(messages(text)["id"], expression, "{text}");
        }
    }
}
