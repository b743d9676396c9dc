//! The seal, and the copies beside the plan.
//!
//! A guest may have the plan's directory. So a copy is written through its descriptor and put in its place by a rename,
//! which replaces whatever stands there, a link too. Nothing is ever read back from a copy.
//!
//! The copy of the log grows with it: as long as the file in its place is the one that we put there, untouched, only the
//! new lines are added. The copy of the database is made anew.

use crate::database::Database;
use crate::fault;
use crate::log::Log;
use crate::staged::{self, Points, Staged, sync_directory};
use ledger::Signer;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
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

/// The copy of a log that we put beside the plan.
#[derive(Default)]
pub(crate) struct LogCopy(Option<(File, Stamp, u64)>);

/// What changes when somebody else touches a file. Its time of change cannot be set, unlike that of its content.
#[derive(PartialEq, Eq)]
struct Stamp {
    place: (u64, u64),
    size: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(about: &Metadata) -> Stamp {
        Stamp {
            place: (about.dev(), about.ino()),
            size: about.len(),
            changed: (about.ctime(), about.ctime_nsec()),
        }
    }
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
    staged::stage(&target, &places.mark, 0o600, SEAL, |file| {
        file.write_all(text.as_bytes())
    })?
    .place()?;
    sync_directory(&places.run)?;
    Ok(text)
}

/// Brings the copies of the log and its seal up to date. A run that has recorded nothing leaves those of the one before.
pub(crate) fn publish_log(places: &Places, seal: Option<&str>, log: &Log, copy: &mut LogCopy) -> io::Result<()> {
    if log.written().chain.count() == 0 {
        return Ok(());
    }
    let seal = seal
        .map(|seal| stage(places, LEDGER, |to| to.write_all(seal.as_bytes())))
        .transpose()?;
    copy.bring_up_to_date(places, log)?;
    if let Some(seal) = seal {
        seal.place()?;
    }
    Ok(())
}

impl LogCopy {
    fn bring_up_to_date(&mut self, places: &Places, log: &Log) -> io::Result<()> {
        let target = places.beside.join(STEPS);
        let (file, from) = match self.0.take() {
            Some((file, stamp, bytes)) if is_ours(&target, &stamp) => (file, bytes),
            _ => (replace(places, log)?, log.written().bytes),
        };
        log.copy_to(&file, from)?;
        fault::point("copies.appended");
        let stamp = Stamp::of(&file.metadata()?);
        self.0 = Some((file, stamp, log.written().bytes));
        Ok(())
    }
}

/// A new copy in the place of whatever is there, and the right to go on with it.
fn replace(places: &Places, log: &Log) -> io::Result<File> {
    let mut kept = None;
    stage(places, STEPS, |to| {
        kept = Some(to.try_clone()?);
        log.copy_to(to, 0)
    })?
    .place()?;
    kept.ok_or_else(|| io::ErrorKind::NotFound.into())
}

fn is_ours(target: &Path, stamp: &Stamp) -> bool {
    fs::symlink_metadata(target).is_ok_and(|about| about.is_file() && Stamp::of(&about) == *stamp)
}

/// Puts a new copy of the database beside the plan.
pub(crate) fn publish_database(places: &Places, database: &Database) -> io::Result<()> {
    let staged = stage(places, TELEMETRY, |to| copy_database(&places.slot, database, to))?;
    fault::point("copies.staged");
    staged.place()?;
    sync_directory(&places.beside)?;
    fault::point("copies.kept");
    Ok(())
}

fn stage(places: &Places, name: &str, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<Staged> {
    staged::stage(&places.beside.join(name), &places.mark, 0o666, COPY, fill)
}

/// SQLite writes by name, so it writes where only we can.
fn copy_database(slot: &Path, database: &Database, to: &mut File) -> io::Result<()> {
    let snapshot = slot.join("snapshot.db");
    database.copy_to(&snapshot).map_err(io::Error::other)?;
    io::copy(&mut File::open(&snapshot)?, to).map(drop)
}
