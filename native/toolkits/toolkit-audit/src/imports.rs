//! What JavaScript and Python import.

use crate::stdlib;

/// The longest name of a package, as npm has it.
const MAX_NAME: usize = 214;

/// Calls `found` with each specifier of a line that is not a path: `require("x")`, `from "x"`, `import "x"`,
/// `import("x")`.
pub(crate) fn specifiers<'a>(line: &'a [u8], mut found: impl FnMut(&'a str)) {
    // A specifier is a string, and strings are rarer than words: look back from each.
    for at in memchr::memchr2_iter(b'"', b'\'', line) {
        if announced(&line[..at])
            && let Some(name) = quoted(&line[at..])
        {
            found(name);
        }
    }
}

/// Whether the words before a string say that it names a package.
fn announced(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let (words, called) = match before.strip_suffix(b"(") {
        Some(words) => (words.trim_ascii_end(), true),
        None => (before, false),
    };
    let keywords: [&[u8]; 2] = if called {
        [b"require", b"import"]
    } else {
        [b"from", b"import"]
    };
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
    let mut rest = keywords.iter().filter_map(|keyword| words.strip_suffix(*keyword));
    rest.next().is_some_and(|rest| !rest.last().is_some_and(part))
}

/// The string that begins here, if it can be the name of a package.
fn quoted(text: &[u8]) -> Option<&str> {
    let (quote, rest) = text.split_first()?;
    let name = &rest[..memchr::memchr(*quote, &rest[..rest.len().min(MAX_NAME + 1)])?];
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"@/._:~+-".contains(byte);
    let path = name.starts_with(b".") || name.starts_with(b"/");
    if name.is_empty() || path || !name.iter().all(plain) {
        return None;
    }
    std::str::from_utf8(name).ok()
}

/// Calls `found` with the top-level module of each import of a Python line that is not in the standard library.
pub(crate) fn modules<'a>(line: &'a [u8], mut found: impl FnMut(&'a str)) {
    let Ok(line) = std::str::from_utf8(line) else {
        return;
    };
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("from") => {
            let module = words.next().unwrap_or_default();
            // `from the beginning` is prose.
            if words.next() == Some("import") {
                foreign(module).into_iter().for_each(found);
            }
        }
        Some("import") => {
            let list = line["import".len()..].split(['#', ';']).next().unwrap_or_default();
            let parts: Vec<&str> = list.split(',').map(str::trim).collect();
            if parts.iter().all(|part| is_import(part)) {
                let names = parts.iter().filter_map(|part| part.split_ascii_whitespace().next());
                names.filter_map(foreign).for_each(&mut found);
            }
        }
        _ => {}
    }
}

/// `a.b`, or `a.b as c`. `import the data` is prose.
fn is_import(part: &str) -> bool {
    let words: Vec<&str> = part.split_ascii_whitespace().collect();
    matches!(words[..], [_] | [_, "as", _])
}

fn foreign(module: &str) -> Option<&str> {
    let top = module.split('.').next()?;
    let first = top.bytes().next()?;
    let plain = top.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (plain && !first.is_ascii_digit() && top.len() <= MAX_NAME && !stdlib::contains(top)).then_some(top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_are_names_and_not_paths() {
        for (line, want) in [
            ("const _ = require('lodash');", &["lodash"][..]),
            ("const a = require(\"a\"), b = require( 'b/c' )", &["a", "b/c"]),
            ("import x from '@scope/pkg'", &["@scope/pkg"]),
            ("export * from \"node:fs\"", &["node:fs"]),
            ("import 'side-effect'", &["side-effect"]),
            ("await import('late')", &["late"]),
            ("import x from './x'", &[]),
            ("require('/abs')", &[]),
            ("require(name + 'x')", &[]),
            ("require('a b')", &[]),
            ("require('unclosed", &[]),
            ("Array.from('abc')", &[]),
            ("wherefrom 'x'", &[]),
            ("from_x 'x'", &[]),
            ("myrequire('x')", &[]),
            ("from('x')", &[]),
            ("require 'x'", &[]),
            ("require('evil=\n')", &[]),
        ] {
            let mut found = Vec::new();
            specifiers(line.as_bytes(), |name| found.push(name));
            assert_eq!(found, want, "{line}");
        }
    }

    #[test]
    fn modules_are_those_that_python_lacks() {
        for (line, want) in [
            ("import numpy", &["numpy"][..]),
            ("import numpy as np, os.path, yaml.nodes", &["numpy", "yaml"]),
            ("from requests.adapters import HTTPAdapter", &["requests"]),
            ("from . import x", &[]),
            ("from .sibling import x", &[]),
            ("from the beginning we", &[]),
            ("import the data", &[]),
            ("import json  # and numpy", &[]),
            ("import numpy; numpy.x()", &["numpy"]),
            ("importlib.reload(x)", &[]),
            ("import", &[]),
            ("from", &[]),
        ] {
            let mut found = Vec::new();
            modules(line.as_bytes(), |name| found.push(name));
            assert_eq!(found, want, "{line}");
        }
    }
}
