//! The two languages that the grammar reads.

/// Which language a text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// The shell of POSIX. What only bash has is a syntax error that says so.
    #[default]
    Sh,
    /// bash.
    Bash,
}

/// The builtins that only bash has: in sh each of them is an error.
pub const BASH_BUILTINS: &[&str] = &[
    "builtin",
    "caller",
    "declare",
    "dirs",
    "disown",
    "let",
    "mapfile",
    "popd",
    "pushd",
    "readarray",
    "shopt",
    "typeset",
];

impl Dialect {
    /// The name of the command that reads it.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Sh => "sh",
            Dialect::Bash => "bash",
        }
    }

    /// By the name of the command.
    pub fn named(name: &str) -> Option<Dialect> {
        match name {
            "sh" => Some(Dialect::Sh),
            "bash" => Some(Dialect::Bash),
            _ => None,
        }
    }

    /// What the `#!` line of a script asks for, if it has one that asks for a shell.
    ///
    /// ```
    /// use shell_grammar::Dialect;
    /// assert_eq!(Dialect::of_script(b"#!/usr/bin/env bash\necho"), Some(Dialect::Bash));
    /// assert_eq!(Dialect::of_script(b"#!/bin/sh -e\necho"), Some(Dialect::Sh));
    /// assert_eq!(Dialect::of_script(b"echo"), None);
    /// ```
    pub fn of_script(text: &[u8]) -> Option<Dialect> {
        let line = text.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
        let mut words = line
            .split(|byte| b" \t\r".contains(byte))
            .filter(|word| !word.is_empty());
        let base = |word: &[u8]| word.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_vec();
        let mut name = base(words.next()?);
        if name == b"env" {
            // `env -S bash -e` has options, and variables that it sets.
            name = base(words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='))?);
        }
        match &name[..] {
            b"bash" => Some(Dialect::Bash),
            b"sh" | b"dash" => Some(Dialect::Sh),
            _ => None,
        }
    }

    /// What is said about a construct that only bash has.
    pub fn refuses(construct: &str) -> String {
        format!("`{construct}` is bash's, and this is sh: run it with bash")
    }
}
