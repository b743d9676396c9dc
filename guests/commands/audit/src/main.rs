//! `audit`: a verdict on scripts, from inside the shell. The check of a fix-up plan is a call of it.
#![forbid(unsafe_code)]

mod files;
mod options;

use files::Given;
use options::Options;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::process::exit;
use toolkit_audit::{Auditor, Lanes, MAX_SCRIPT, Report, Script, Unread};

/// The scripts are not what was expected.
const NOT_AS_EXPECTED: i32 = 1;
/// Nothing can be said.
const TROUBLE: i32 = 2;

fn main() {
    start::enter();
    let status = match run() {
        Ok(true) => 0,
        Ok(false) => NOT_AS_EXPECTED,
        Err(message) => {
            eprintln!("audit: {message}");
            TROUBLE
        }
    };
    exit(status);
}

/// Prints the report and says whether it is as expected.
fn run() -> Result<bool, String> {
    let options = Options::read(std::env::args().skip(1))?;
    let lanes = Lanes::shipped();
    let mut report = Report::default();
    for path in &options.paths {
        let given = Given::list(path, options.deep)?;
        let auditor = Auditor::new(&lanes).carrying(&given.carried);
        for (shown, path) in &given.files {
            report.push(script(&auditor, shown, path)?);
        }
    }
    let text = match options.json {
        true => serde_json::to_string(&report).map_err(|error| error.to_string())? + "\n",
        false => report.to_string(),
    };
    io::stdout()
        .write_all(text.as_bytes())
        .map_err(|error| error.to_string())?;
    let expected = |script: &Script| options.expect.is_none_or(|class| script.class <= class);
    Ok(report.scripts.iter().all(expected))
}

fn script(auditor: &Auditor<'_>, shown: &str, path: &str) -> Result<Script, String> {
    let failed = |error: io::Error| format!("{path}: {}", files::reason(&error));
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Ok(auditor.unread(shown, Unread::NotAFile));
    }
    let mut text = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MAX_SCRIPT as u64 + 1)
        .read_to_end(&mut text)
        .map_err(failed)?;
    Ok(auditor.script(shown, &text))
}
