//! Source blocks as they stand in a text, and the file keywords above the first headline.
//!
//! For readers of Org files that are no plans: a toolkit's manifest and its skills.

use crate::error::Error;
use crate::org::{Lines, Outline, Section, code};
use serde::Serialize;
use shell_grammar::{Limits, Script};

/// A source block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Block {
    /// The title of the headline it stands under; none above the first.
    pub under: Option<String>,
    /// The language.
    pub lang: Option<String>,
    /// The header arguments in order, without their colons.
    pub args: Vec<(String, String)>,
    /// The text between the two lines, without common indentation and Org's commas.
    pub body: String,
    /// Line number of `#+begin_src`, from 1.
    pub line: usize,
}

impl Block {
    /// The value of a header argument; of several the last counts, as in Org.
    pub fn arg(&self, key: &str) -> Option<&str> {
        let found = self.args.iter().rfind(|(name, _)| name.eq_ignore_ascii_case(key));
        found.map(|(_, value)| value.as_str())
    }
}

/// A `#+KEY: value` line outside of every block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileKeyword {
    /// In upper case.
    pub key: String,
    /// Trimmed.
    pub value: String,
    /// Line number, from 1.
    pub line: usize,
    /// Whether it stands above the first headline, where a file's own keywords are.
    pub at_top: bool,
}

/// Why a script cannot be read, and on which of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError {
    /// Line of the script, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

/// Every source block that stands in no other block.
///
/// ```
/// let blocks = oql::blocks("* Count\n#+begin_src sh :role task\nwc -l\n#+end_src\n").unwrap();
/// assert_eq!((blocks[0].arg("role"), blocks[0].line), (Some("task"), 2));
/// ```
pub fn blocks(org: &str) -> Result<Vec<Block>, Error> {
    let outline = Outline::read(org)?;
    let mut found = Vec::new();
    let mut take = |under: Option<String>, section: Section<'_>, mut line: usize, mut at: usize| {
        for source in &section.sources {
            line += org[at..source.start].matches('\n').count();
            at = source.start;
            found.push(Block {
                under: under.clone(),
                lang: source.lang.map(String::from),
                args: source
                    .args
                    .iter()
                    .map(|arg| (arg.key.to_owned(), arg.value.to_owned()))
                    .collect(),
                body: code(org, source),
                line,
            });
        }
    };
    take(None, outline.preamble_section(), 1, outline.preamble.start);
    for (i, h) in outline.headlines.iter().enumerate() {
        take(Some(outline.name(i)), outline.section(i), h.line + 1, h.section.start);
    }
    Ok(found)
}

/// Every `#+KEY: value` line outside of every block.
///
/// ```
/// let found = oql::file_keywords("#+TITLE: Tools\n* Node\n#+NAME: x\n").unwrap();
/// assert_eq!((found[0].key.as_str(), found[0].value.as_str(), found[0].at_top), ("TITLE", "Tools", true));
/// assert!(!found[1].at_top);
/// ```
pub fn file_keywords(org: &str) -> Result<Vec<FileKeyword>, Error> {
    let outline = Outline::read(org)?;
    let mut found = Vec::new();
    let top = outline.preamble.clone();
    collect(
        org,
        &outline.preamble_section(),
        top.start,
        top.end,
        1,
        true,
        &mut found,
    );
    for (i, h) in outline.headlines.iter().enumerate() {
        let section = outline.section(i);
        collect(
            org,
            &section,
            h.section.start,
            h.section.end,
            h.line + 1,
            false,
            &mut found,
        );
    }
    Ok(found)
}

/// The commands that a script certainly calls, or why it cannot be read.
///
/// ```
/// assert_eq!(oql::script_commands("sort a | uniq -c\n").unwrap(), ["sort", "uniq"]);
/// assert_eq!(oql::script_commands("echo\nif true\n").unwrap_err().line, 2);
/// ```
pub fn script_commands(script: &str) -> Result<Vec<String>, ScriptError> {
    let read = Script::read(script.as_bytes(), &Limits::default()).map_err(|error| ScriptError {
        line: 1 + script.as_bytes()[..error.offset]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count(),
        message: error.message,
    })?;
    let mut names: Vec<String> = Vec::new();
    for command in read.commands() {
        if !names.contains(&command.name) {
            names.push(command.name);
        }
    }
    Ok(names)
}

fn collect(
    org: &str,
    section: &Section<'_>,
    from: usize,
    to: usize,
    first: usize,
    at_top: bool,
    found: &mut Vec<FileKeyword>,
) {
    for line in Lines::between(org, from, to, first) {
        let Some((key, value)) = keyword(line.text).filter(|_| !section.in_block(line.number)) else {
            continue;
        };
        found.push(FileKeyword {
            key: key.to_uppercase(),
            value: value.trim().to_owned(),
            line: line.number,
            at_top,
        });
    }
}

fn keyword(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line
        .trim_start_matches([' ', '\t'])
        .strip_prefix("#+")?
        .split_once(':')?;
    let word = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    word.then_some((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_in_blocks_are_somebodys_example() {
        let org = "\u{feff}#+TITLE: a\r\n#+begin_example\n#+EXEC: posix\n#+end_example\n* N\n#+exec: task\n";
        let found = file_keywords(org).unwrap();
        let seen: Vec<_> = found
            .iter()
            .map(|k| (k.key.as_str(), k.value.as_str(), k.line, k.at_top))
            .collect();
        assert_eq!(seen, [("TITLE", "a", 1, true), ("EXEC", "task", 6, false)]);
    }

    #[test]
    fn blocks_know_their_line_and_their_headline() {
        let org = "#+begin_src sh\na\n#+end_src\n* One\n\n** Two\n:PROPERTIES:\n:ID: x\n:END:\ntext\n#+begin_src js :role task :name t\nb\n#+end_src\n";
        let seen: Vec<_> = blocks(org)
            .unwrap()
            .into_iter()
            .map(|b| (b.under, b.lang, b.body, b.line))
            .collect();
        let text = |t: &str| Some(t.to_owned());
        assert_eq!(
            seen,
            [
                (None, text("sh"), "a\n".to_owned(), 1),
                (text("Two"), text("js"), "b\n".to_owned(), 11)
            ]
        );
    }
}
