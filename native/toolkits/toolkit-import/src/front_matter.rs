//! The few lines of YAML that stand before a document.

use std::collections::BTreeMap;

/// The keys with a plain value, and the document below. Nested values are not of interest here.
pub(crate) fn split(text: &str) -> (BTreeMap<String, String>, &str) {
    let none = (BTreeMap::new(), text);
    let Some(rest) = text
        .strip_prefix("---")
        .and_then(|rest| rest.strip_prefix("\r\n").or(rest.strip_prefix('\n')))
    else {
        return none;
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return (read(&rest[..at]), &rest[at + line.len()..]);
        }
        at += line.len();
    }
    none
}

fn read(yaml: &str) -> BTreeMap<String, String> {
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    let mut last: Option<String> = None;
    for line in yaml.lines() {
        let indented = line.starts_with([' ', '\t']);
        match (&last, line.split_once(':')) {
            // What is indented goes on with the value before.
            (Some(key), _) if indented => {
                let value = values.entry(key.clone()).or_default();
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(line.trim());
            }
            (_, Some((key, value))) if !indented && !key.starts_with('#') => {
                let key = key.trim().to_owned();
                values.insert(key.clone(), plain(value.trim()));
                last = Some(key);
            }
            _ => last = None,
        }
    }
    values
}

/// A value without its quotes; the marks `>` and `|` announce the lines below.
fn plain(value: &str) -> String {
    if matches!(value.trim_end_matches(['-', '+']), ">" | "|") {
        return String::new();
    }
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return match quote {
                '"' => inner.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\"),
                _ => inner.replace("''", "'"),
            };
        }
    }
    value.split(" #").next().unwrap_or(value).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_the_document_below() {
        let text = "---\r\nname: pdf-tools # ours\r\ndescription: >-\r\n  Reads PDFs.\r\n  And writes them.\r\nlicense: \"MIT: \\\"x\\\"\"\r\n---\r\n# Body\r\n";
        let (values, body) = split(text);
        assert_eq!(values["name"], "pdf-tools");
        assert_eq!(values["description"], "Reads PDFs. And writes them.");
        assert_eq!(values["license"], "MIT: \"x\"");
        assert_eq!(body, "# Body\r\n");
    }

    #[test]
    fn what_is_not_closed_is_no_front_matter() {
        for text in ["---\nname: x\n", "----\n", "name: x", "", "---"] {
            assert_eq!(split(text), (BTreeMap::new(), text));
        }
    }
}
