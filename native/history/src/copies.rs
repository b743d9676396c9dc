//! The seal, and the copies beside the plan.
//!
//! A guest may have the plan's directory. So a copy is written through its descriptor and put in its place by a rename,
//! which replaces whatever stands there, a link too. Nothing is ever read back from a copy.

use crate::database::Database;
use crate::fault;
use crate::log::Log;
use crate::staged::{Points, Staged, sync_directory};
use ledger::Signer;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(crate) const STEPS: &str = "_steps.jsonl";
pub(crate) const LEDGER: &str = "_ledger.json";
pub(crate) const TELEMETRY: &str = "_telemetry.db";

const SEAL: Points = ["seal.written", "seal.synced", "seal.placed"];
const COPY: Points = ["copies.written", "copies.synced", "copies.placed"];

/// Where things go.
pub(crate) struct Places {
    /// The slot of the plan.
    pub slot: PathBuf,
    /// The run's own directory in it.
    pub run: PathBuf,
    /// The directory that the plan is in.
    pub beside: PathBuf,
    /// Tells our temporary files from those of other plans.
    pub mark: String,
}

/// Seals what is written of the log. Returns the seal's text.
pub(crate) fn seal(places: &Places, signer: &Signer, run_id: &str, log: &Log, ts: i64) -> io::Result<String> {
    let ts = u64::try_from(ts).unwrap_or(0).min(ledger::MAX_INTEGER);
    let seal = signer
        .seal(&log.written().chain, run_id, ts)
        .map_err(io::Error::other)?;
    let text = seal.to_json();
    fault::point("seal.signed");
    let target = places.run.join(LEDGER);
    Staged::new(&target, &places.mark, 0o600, SEAL, |file| {
        file.write_all(text.as_bytes())
    })?
    .place()?;
    sync_directory(&places.run)?;
    Ok(text)
}

/// Puts copies beside the plan: first all are complete, then all get their names. A run that has recorded nothing
/// leaves the log of the one before.
pub(crate) fn publish(places: &Places, seal: Option<&str>, log: &Log, database: &Database) -> io::Result<()> {
    let stage = |name: &str, fill: &mut dyn FnMut(&mut File) -> io::Result<()>| {
        Staged::new(&places.beside.join(name), &places.mark, 0o666, COPY, fill)
    };
    let mut staged = vec![stage(TELEMETRY, &mut |to| copy_database(&places.slot, database, to))?];
    if log.written().chain.count() > 0 {
        staged.push(stage(STEPS, &mut |to| log.copy_to(to))?);
        if let Some(seal) = seal {
            staged.push(stage(LEDGER, &mut |to| to.write_all(seal.as_bytes()))?);
        }
    }
    fault::point("copies.staged");
    staged.into_iter().try_for_each(Staged::place)?;
    sync_directory(&places.beside)?;
    fault::point("copies.kept");
    Ok(())
}

/// SQLite writes by name, so it writes where only we can.
fn copy_database(slot: &Path, database: &Database, to: &mut File) -> io::Result<()> {
    let snapshot = slot.join("snapshot.db");
    database.copy_to(&snapshot).map_err(io::Error::other)?;
    io::copy(&mut File::open(&snapshot)?, to).map(drop)
}
