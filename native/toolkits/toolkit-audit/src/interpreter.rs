//! What runs a script: its first line says so, or else its name.

use crate::table::{self, Row};
use crate::{Kind, Lanes};

/// The longest name that is believed.
const MAX_NAME: usize = 64;

/// What nothing says anything about.
pub(crate) const UNKNOWN: &str = "unknown";

/// How the rest of a script is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Shell,
    JavaScript,
    Python,
    /// Ruby and Perl say `require` as well, and do not mean npm.
    NotJavaScript,
    Other,
}

pub(crate) struct Interpreter {
    pub name: String,
    pub language: Language,
    pub row: &'static Row,
}

pub(crate) fn of(file: &str, text: &[u8]) -> Interpreter {
    let name = shebang(text).or_else(|| extension(file).map(str::to_owned));
    let name = name.unwrap_or_else(|| UNKNOWN.to_owned());
    let known = known(&name);
    let language = match known {
        "sh" | "bash" | "zsh" => Language::Shell,
        "node" | "js" => Language::JavaScript,
        "python" | "python2" | "python3" => Language::Python,
        "ruby" | "perl" => Language::NotJavaScript,
        _ => Language::Other,
    };
    let row = table::row(Kind::Interpreter, known).expect("the table has a row for every other interpreter");
    Interpreter { name, language, row }
}

impl Interpreter {
    pub fn finding(&self, lanes: &Lanes) -> crate::Finding {
        self.row.finding(&self.name, lanes)
    }
}

/// `python3.12` is `python3` to the table, `perl5` is `perl`.
fn known(name: &str) -> &str {
    let listed = |name: &&str| {
        table::TABLE
            .iter()
            .any(|row| row.kind == Kind::Interpreter && row.names.contains(name))
    };
    let major = name.split('.').next().unwrap_or(name);
    let bare = major.trim_end_matches(|c: char| c.is_ascii_digit());
    [name, major, bare].into_iter().find(listed).unwrap_or(name)
}

/// `#!/usr/bin/env -S node --flag` gives `node`.
fn shebang(text: &[u8]) -> Option<String> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let line = text.strip_prefix(b"#!")?;
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    // A path may be long, but not as long as a binary without a line end.
    let line = std::str::from_utf8(&line[..line.len().min(4096)]).ok()?;
    let mut words = line.split_ascii_whitespace();
    let first = base(words.next()?);
    let name = match first {
        "env" => base(words.find(|word| !word.starts_with('-') && !word.contains('='))?),
        name => name,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    (!name.is_empty() && name.len() <= MAX_NAME && name.chars().all(plain)).then(|| name.to_owned())
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn extension(file: &str) -> Option<&'static str> {
    let (stem, extension) = base(file).rsplit_once('.')?;
    match extension {
        _ if stem.is_empty() => None,
        "sh" => Some("sh"),
        "js" | "mjs" | "cjs" => Some("node"),
        "py" => Some("python"),
        "rb" => Some("ruby"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_it_and_else_the_extension() {
        for (file, text, name) in [
            ("x", "#!/bin/sh", "sh"),
            ("x", "#! /bin/bash -e\n", "bash"),
            ("x.py", "#!/usr/bin/env node\n", "node"),
            ("x", "#!/usr/bin/env -S node --flag\n", "node"),
            ("x", "#!/usr/bin/env -i A=b python3.12 -u\n", "python3.12"),
            ("x", "#!/usr/bin/env python3\r\nimport x\r\n", "python3"),
            ("x", "\u{feff}#!/bin/zsh\n", "zsh"),
            ("x", "#!/usr/bin/env\n", "unknown"),
            ("x.sh", "#!/usr/bin/env\n", "sh"),
            ("x", "#!\n", "unknown"),
            ("x", "#!/opt/my tool/x\n", "my"),
            ("x", "#!/bin/e*vil\n", "unknown"),
            ("a.sh", "echo", "sh"),
            ("a.js", "", "node"),
            ("a.mjs", "", "node"),
            ("a.cjs", "", "node"),
            ("a.py", "", "python"),
            ("a.rb", "", "ruby"),
            ("a.tar.py", "", "python"),
            (".py", "", "unknown"),
            ("a.txt", "", "unknown"),
            ("a.d/b", "", "unknown"),
        ] {
            assert_eq!(of(file, text.as_bytes()).name, name, "{file} {text:?}");
        }
    }

    #[test]
    fn a_version_in_the_name_does_not_hide_it() {
        for (name, want) in [
            ("python3.12", "python3"),
            ("python2.7", "python2"),
            ("perl5.36.0", "perl"),
            ("ruby3.2", "ruby"),
            ("node18", "node"),
            ("lua5.4", "lua5.4"),
        ] {
            assert_eq!(known(name), want);
        }
    }
}
