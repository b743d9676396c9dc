//! What is signed: the manifest and every other file, by their hashes.

use crate::{Error, Toolkit};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The file that keeps the statement, so that a change can be named and not only noticed.
pub(crate) const FILE: &str = "signature.json";
const VERSION: u64 = 1;

/// The hashes of a toolkit's files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The SHA-256 of the manifest without its signature.
    pub manifest: String,
    /// The SHA-256 of every other file, by its path.
    pub files: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    v: u64,
    statement: Statement,
}

impl Statement {
    /// What is true of a toolkit now.
    pub fn of(toolkit: &Toolkit) -> Result<Statement, Error> {
        let mut files = toolkit.tree().hashes()?;
        files.remove("manifest.org");
        files.remove(FILE);
        // Read again: what is signed is what lies there, not what was read some time ago.
        let text = toolkit.tree().text("manifest.org")?;
        Ok(Statement {
            manifest: sha256(without_signature(&text).as_bytes()),
            files,
        })
    }

    /// The bytes that the signature is over: RFC 8785.
    pub fn canonical(&self) -> String {
        ledger::canonical(self)
    }

    /// One hash for all of it: what a grant is for.
    pub fn pin(&self) -> String {
        sha256(self.canonical().as_bytes())
    }

    pub(crate) fn to_file(&self) -> String {
        let kept = Kept {
            v: VERSION,
            statement: self.clone(),
        };
        ledger::canonical(&kept) + "\n"
    }

    /// Reads what [`Statement::to_file`] wrote, and nothing that only looks like it.
    pub(crate) fn from_file(text: &str) -> Option<Statement> {
        let kept: Kept = serde_json::from_str(text).ok()?;
        let statement = kept.statement;
        (kept.v == VERSION && statement.to_file() == text).then_some(statement)
    }
}

/// A manifest without its line of `#+SIGNATURE:`.
///
/// ```
/// let text = "#+TITLE: a\n#+SIGNATURE: x\n* a\n";
/// assert_eq!(toolkit::without_signature(text), "#+TITLE: a\n* a\n");
/// ```
pub fn without_signature(text: &str) -> String {
    let signature = signature_line(text);
    let kept = text
        .split_inclusive('\n')
        .enumerate()
        .filter(|(at, _)| Some(*at) != signature);
    kept.map(|(_, line)| line).collect()
}

/// Which line the signature stands on, from 0.
pub(crate) fn signature_line(text: &str) -> Option<usize> {
    let keywords = oql::file_keywords(text).ok()?;
    let found = keywords.into_iter().find(|k| k.at_top && k.key == "SIGNATURE");
    found.map(|keyword| keyword.line - 1)
}

fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}
