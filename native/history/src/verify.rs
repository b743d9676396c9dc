//! Holding a run's log against its seal.

use crate::copies::{LEDGER, STEPS};
use crate::{Error, Home, place, read};
use ledger::Verification;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Verifies a log: a `_steps.jsonl`, the one in a directory, or that of a plan's newest run.
pub fn verify(home: &Home, at: &Path) -> Result<Verification, Error> {
    let steps = steps(home, at)?;
    let found = hold(&steps)?;
    if found.is_sound() {
        return Ok(found);
    }
    // The two files of a run that goes on get their names one after the other.
    thread::sleep(Duration::from_millis(20));
    hold(&steps)
}

/// The log that [`verify`] looks at.
pub fn steps(home: &Home, at: &Path) -> Result<PathBuf, Error> {
    let path = place::of_past_plan(at);
    let steps = match path {
        _ if path.is_dir() => path.join(STEPS),
        _ if path.extension().is_some_and(|extension| extension == "jsonl") => path,
        plan => {
            let runs = read::runs(home, &plan)?;
            // A run that recorded nothing has nothing to verify.
            let newest = runs.iter().rev().find(|run| run.lines > 0);
            let newest = newest.ok_or_else(|| Error::NoHistory(at.to_owned()))?;
            home.slot(&plan).join("runs").join(&newest.run_id).join(STEPS)
        }
    };
    match steps.is_file() {
        true => Ok(steps),
        false => Err(Error::NoHistory(at.to_owned())),
    }
}

fn hold(steps: &Path) -> Result<Verification, Error> {
    let seal = steps.with_file_name(LEDGER);
    let seal = fs::read(&seal).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => Error::NotSealed(steps.to_owned()),
        _ => Error::io("read", &seal)(e),
    })?;
    let log = fs::read(steps).map_err(Error::io("read", steps))?;
    Ok(ledger::verify(&log, &seal)?)
}
