//! Signing every file, and saying which of them is not as it was signed.

use crate::statement::{self, Statement, signature_line, without_signature};
use crate::{Error, Toolkit, replace};
use ledger::Signer;
use serde::Serialize;

/// A signature that holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Signed {
    /// Who signed.
    pub did: String,
    /// How many files it covers, the manifest among them.
    pub files: usize,
    /// One hash for all of it.
    pub pin: String,
}

/// Signs a toolkit: writes `signature.json`, and `#+AUTHOR_DID:` and `#+SIGNATURE:` into the manifest. Each file appears
/// whole or not at all; whoever is stopped in between signs again.
///
/// # Errors
///
/// [`Error::NotTheAuthor`] when the manifest names somebody else, [`Error::Refused`] for a file that cannot be vouched for.
pub fn sign(toolkit: &Toolkit, signer: &Signer) -> Result<Signed, Error> {
    let did = signer.did();
    if let Some(author) = toolkit.manifest().author_did.as_ref().filter(|author| **author != did) {
        return Err(Error::NotTheAuthor {
            author: author.clone(),
            signer: did,
        });
    }
    let mut text = without_signature(&toolkit.tree().text("manifest.org")?);
    if toolkit.manifest().author_did.is_none() {
        text = with_keyword(&text, "AUTHOR_DID", &did);
    }
    let mut statement = Statement::of(toolkit)?;
    statement.manifest = manifest_hash(&text);
    let signature = signer.sign(statement.canonical().as_bytes());
    let dir = toolkit.tree().dir();
    replace::replace(dir, statement::FILE, statement.to_file().as_bytes())?;
    replace::replace(
        dir,
        "manifest.org",
        with_keyword(&text, "SIGNATURE", &signature).as_bytes(),
    )?;
    Ok(signed(&statement, did))
}

/// Whether a toolkit is, file by file, what its author signed. The error names everything that is not.
pub fn check_signature(toolkit: &Toolkit) -> Result<Signed, Vec<String>> {
    let manifest = toolkit.manifest();
    let mut faults = Vec::new();
    let (Some(did), Some(signature)) = (&manifest.author_did, &manifest.signature) else {
        return Err(vec!["manifest.org has no valid #+AUTHOR_DID: and #+SIGNATURE:".into()]);
    };
    if !is_exact(toolkit.text(), signature) {
        faults.push("manifest.org: the line of #+SIGNATURE: is not as it was written".into());
    }
    let now = Statement::of(toolkit).map_err(|refused| vec![refused.to_string()])?;
    let holds = |statement: &Statement| ledger::is_signed_by(did, statement.canonical().as_bytes(), signature);
    let kept = toolkit.tree().text(statement::FILE);
    match kept.ok().and_then(|text| Statement::from_file(&text)) {
        None => faults.push(format!("{} is missing or not as it was written", statement::FILE)),
        Some(then) => {
            faults.extend(differences(&then, &now));
            if !holds(&then) {
                faults.push(match then == now {
                    true => format!("manifest.org: #+SIGNATURE: is not by {did}"),
                    false if holds(&now) => format!("{} is not what was signed", statement::FILE),
                    false => format!("neither {} nor manifest.org is signed by {did}", statement::FILE),
                });
            }
        }
    }
    match faults[..] {
        [] => Ok(signed(&now, did.clone())),
        _ => Err(faults),
    }
}

fn signed(statement: &Statement, did: String) -> Signed {
    Signed {
        did,
        files: statement.files.len() + 1,
        pin: statement.pin(),
    }
}

fn differences(then: &Statement, now: &Statement) -> Vec<String> {
    let mut found = Vec::new();
    if then.manifest != now.manifest {
        found.push("manifest.org is not as it was signed".to_owned());
    }
    for (path, hash) in &then.files {
        match now.files.get(path) {
            None => found.push(format!("{path} is missing")),
            Some(other) if other != hash => found.push(format!("{path} is not as it was signed")),
            Some(_) => {}
        }
    }
    let added = now.files.keys().filter(|path| !then.files.contains_key(*path));
    found.extend(added.map(|path| format!("{path} was added")));
    found
}

/// The signature's line is no part of what is signed, so it has one spelling only.
fn is_exact(text: &str, signature: &str) -> bool {
    let Some(line) = signature_line(text).and_then(|at| text.split_inclusive('\n').nth(at)) else {
        return false;
    };
    line == format!("#+SIGNATURE: {signature}{}", ending(text))
}

/// How this file ends its lines.
fn ending(text: &str) -> &'static str {
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    if first.ends_with("\r\n") { "\r\n" } else { "\n" }
}

fn manifest_hash(text: &str) -> String {
    use sha2::{Digest, Sha256};
    format!("{:x}", Sha256::digest(text.as_bytes()))
}

/// The text with one more keyword, after the last that stands at its top.
fn with_keyword(text: &str, key: &str, value: &str) -> String {
    let keywords = oql::file_keywords(text).unwrap_or_default();
    let after = keywords.iter().filter(|k| k.at_top).map(|k| k.line).max().unwrap_or(0);
    let end = ending(text);
    let mut out = String::with_capacity(text.len() + value.len() + 20);
    let mut lines = text.split_inclusive('\n');
    for line in lines.by_ref().take(after) {
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str(end);
        }
    }
    out.push_str(&format!("#+{key}: {value}{end}"));
    out.extend(lines);
    out
}
