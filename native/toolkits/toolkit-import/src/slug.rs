//! Names that can be a directory, an id, a file.

use std::collections::BTreeSet;

const LONGEST: usize = 64;

/// Small letters, digits, dots, dashes and underscores; `fallback` when nothing is left.
pub(crate) fn slug(text: &str, fallback: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            'a'..='z' | '0'..='9' | '_' | '.' => out.push(c),
            'A'..='Z' => out.push(c.to_ascii_lowercase()),
            _ if !out.ends_with('-') => out.push('-'),
            _ => {}
        }
        if out.len() >= LONGEST {
            break;
        }
    }
    let slug = out.trim_matches(['-', '.']);
    if slug.is_empty() {
        fallback.to_owned()
    } else {
        slug.to_owned()
    }
}

/// Whether a name can be the id of a toolkit: letters, digits, dots, dashes and underscores, a letter or digit first.
pub(crate) fn is_slug(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    name.len() <= LONGEST && name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(plain)
}

/// Hands out each name once.
#[derive(Default)]
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    pub fn taken(name: &str) -> Self {
        Names(BTreeSet::from([name.to_owned()]))
    }

    /// The name, or `name-2`; an extension stays at the end.
    pub fn claim(&mut self, name: &str) -> String {
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
            _ => (name, String::new()),
        };
        let mut claimed = name.to_owned();
        let mut n = 1;
        while !self.0.insert(claimed.clone()) {
            n += 1;
            claimed = format!("{stem}-{n}{extension}");
        }
        claimed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_a_plain_name() {
        for (text, want) in [
            ("PDF Tools", "pdf-tools"),
            ("@scope/cli", "scope-cli"),
            ("../../etc/passwd", "etc-passwd"),
            (".", "x"),
            ("", "x"),
            ("日本", "x"),
            ("a.b_c", "a.b_c"),
        ] {
            assert_eq!(slug(text, "x"), want, "{text}");
        }
        assert!(is_slug("a.b-C") && !is_slug("-a") && !is_slug("a b") && !is_slug("..") && !is_slug(""));
    }

    #[test]
    fn a_name_is_given_once() {
        let mut names = Names::taken("overview");
        let claimed = ["overview", "a.py", "a.py", "overview"].map(|name| names.claim(name));
        assert_eq!(claimed, ["overview-2", "a.py", "a-2.py", "overview-3"]);
    }
}
