//! `PATH`: what files are called by their bare names.

use crate::Dialect;
use crate::ast::{Bytes, Open};
use crate::shell::Shell;
use std::io::Read;

/// The directories that are looked at; a script may make `PATH` as long as it likes.
const MOST_DIRECTORIES: usize = 64;

/// How much of a file tells whether it is a script.
const HEAD: u64 = 256;

impl Shell {
    /// The first file along `PATH` that is what is looked for.
    pub(crate) fn along_path(&self, name: &[u8], fits: impl Fn(&[u8]) -> bool) -> Option<Bytes> {
        let path = self.variables.get(b"PATH")?;
        let directories = path.split(|byte| *byte == b':').take(MOST_DIRECTORIES);
        directories
            .map(|directory| [if directory.is_empty() { b"." } else { directory }, name].join(&b'/'))
            .find(|file| self.files().metadata(file).is_ok_and(|found| found.is_file()) && fits(file))
    }

    /// The script that a bare name stands for: an executable file that is written for a shell.
    pub(crate) fn script_on_path(&self, name: &[u8]) -> Option<Bytes> {
        self.along_path(name, |file| self.files().may(file, b'x') && self.is_script(file))
    }

    /// The language that the first line of a file asks for.
    pub(crate) fn asks_for(&self, file: &[u8]) -> Option<Dialect> {
        let opened = self.files().open(file, Open::Read, false, 0).ok()?;
        let mut head = Vec::new();
        opened.take(HEAD).read_to_end(&mut head).ok()?;
        Dialect::of_script(&head)
    }

    fn is_script(&self, file: &[u8]) -> bool {
        let Ok(opened) = self.files().open(file, Open::Read, false, 0) else {
            return false;
        };
        let mut head = Vec::new();
        opened.take(HEAD).read_to_end(&mut head).is_ok() && for_a_shell(&head)
    }
}

/// Text, and no other interpreter's.
fn for_a_shell(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match line.strip_prefix(b"#!") {
        _ if head.contains(&0) => false,
        None => true,
        Some(interpreter) => interpreter
            .split(|byte| b" \t/".contains(byte))
            .any(|word| matches!(word, b"sh" | b"dash" | b"bash" | b"ksh" | b"zsh")),
    }
}
