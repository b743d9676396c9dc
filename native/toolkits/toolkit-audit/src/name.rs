//! The name of a file where others read it: in a headline, and on a command line.

/// How a headline shows it. A name that would be something else there, a keyword or a second line, stands between `=`.
pub(crate) fn shown(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || " ._-+@%/".contains(c);
    let keyword = name.chars().all(|c| c.is_ascii_uppercase());
    let tidy = !name.starts_with(' ') && !name.ends_with(' ') && !name.contains("  ");
    if tidy && !keyword && name.chars().all(plain) {
        return name.to_owned();
    }
    format!("={}=", escaped(name))
}

fn escaped(name: &str) -> String {
    name.chars()
        .map(|c| match c {
            '=' | '\\' => format!("\\x{:02x}", c as u32),
            c if c.is_control() || c.is_whitespace() && c != ' ' => format!("\\u{{{:x}}}", c as u32),
            c => c.to_string(),
        })
        .collect()
}

/// One word for the shell.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+@%/".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if !word.chars().any(|c| c.is_control() || c == '\'') {
        return format!("'{word}'");
    }
    let bytes = word.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'/' | b' ' => char::from(byte).to_string(),
        byte => format!("\\{byte:03o}"),
    });
    format!("$'{}'", bytes.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_thing_in_one_line() {
        for (name, headline, word) in [
            ("calc.py", "calc.py", "calc.py"),
            ("my tool.py", "my tool.py", "'my tool.py'"),
            ("TODO", "=TODO=", "TODO"),
            ("it's", "=it's=", "$'it\\047s'"),
            ("a\n* b", "=a\\u{a}* b=", "$'a\\012\\052 b'"),
            ("a=b", "=a\\x3db=", "'a=b'"),
            ("x :tag:", "=x :tag:=", "'x :tag:'"),
            ("ü.py", "ü.py", "'ü.py'"),
        ] {
            assert_eq!(
                (shown(name).as_str(), quoted(name).as_str()),
                (headline, word),
                "{name:?}"
            );
        }
    }
}
