//! What was asked over a door, call by call: a log with the chain and the seal of a run's.

use crate::copies::{LEDGER, STEPS};
use crate::{Error, Home};
use durable::{Target, create_private};
use ledger::{Chain, Signer};
use parking_lot::Mutex;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The log of one server's calls. `wbx ledger verify DIR` holds it against its seal.
///
/// ```
/// use history::{Call, CallLog, Home};
///
/// # let dir = tempfile::tempdir().unwrap();
/// let home = Home::open(&dir.path().join("history"))?;
/// let log = CallLog::open(&home, "mcp-1", 1_700_000_000_000)?;
/// let call = Call { json: r#"{"client":"ada","tool":"run_shell"}"#, ts: 1_700_000_000_001, changes: true };
/// log.append(&call)?;
/// assert!(history::verify(&home, log.dir())?.is_sound());
/// # Ok::<(), history::Error>(())
/// ```
pub struct CallLog {
    dir: PathBuf,
    id: String,
    signer: Signer,
    written: Mutex<Written>,
}

struct Written {
    file: File,
    chain: Chain,
    /// How many lines the seal speaks of.
    sealed: u64,
}

/// One call.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// What is said about it: an object.
    pub json: &'a str,
    /// When, in milliseconds since 1970.
    pub ts: i64,
    /// Whether it may have changed something: then its line is on the disk, and sealed, before this returns. Calls that
    /// only looked are sealed together.
    pub changes: bool,
}

/// How many calls that only looked are sealed together.
const TOGETHER: u64 = 64;

impl CallLog {
    /// Makes the log of a server. `id` is a name that no other server has.
    pub fn open(home: &Home, id: &str, ts: i64) -> Result<CallLog, Error> {
        let dir = home.calls().join(id);
        create_private(&dir).map_err(Error::io("make the log of calls", &dir))?;
        let path = dir.join(STEPS);
        let file = OpenOptions::new()
            .create_new(true)
            .append(true)
            .mode(0o600)
            .open(&path)
            .map_err(Error::io("make", &path))?;
        let log = CallLog {
            signer: home.signer()?,
            id: id.to_owned(),
            written: Mutex::new(Written {
                file,
                chain: Chain::new(),
                sealed: 0,
            }),
            dir,
        };
        let first = format!(r#"{{"kind":"calls","v":1,"server":"{id}","ts":{ts}}}"#);
        log.append(&Call {
            json: &first,
            ts,
            changes: true,
        })?;
        Ok(log)
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Puts a call down.
    pub fn append(&self, call: &Call<'_>) -> Result<(), Error> {
        let path = self.dir.join(STEPS);
        let mut written = self.written.lock();
        let mut chain = written.chain.clone();
        let line = chain.link(call.json).map_err(|e| Error::BadRecord(e.to_string()))?;
        // One write, so that a kill tears at most the last line.
        written
            .file
            .write_all(format!("{line}\n").as_bytes())
            .map_err(Error::io("write", &path))?;
        written.chain = chain;
        if call.changes {
            written.file.sync_data().map_err(Error::io("sync", &path))?;
        }
        if call.changes || written.chain.count() - written.sealed >= TOGETHER {
            self.seal(&mut written, call.ts)?;
        }
        Ok(())
    }

    /// Seals what is written so far.
    pub fn finish(&self, ts: i64) -> Result<(), Error> {
        let mut written = self.written.lock();
        if written.sealed == written.chain.count() {
            return Ok(());
        }
        self.seal(&mut written, ts)
    }

    fn seal(&self, written: &mut Written, ts: i64) -> Result<(), Error> {
        let path = self.dir.join(LEDGER);
        let seal = self.signer.seal(&written.chain, &self.id, ts.max(0).unsigned_abs());
        let seal = seal.map_err(|e| Error::BadRecord(e.to_string()))?.to_json();
        Target::at(&path)
            .and_then(|target| target.replace(seal.as_bytes()))
            .map_err(Error::io("seal", &path))?;
        written.sealed = written.chain.count();
        Ok(())
    }
}

/// The logs of calls in a home, the newest name last.
pub fn call_logs(home: &Home) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.calls()).into_iter().flatten().flatten();
    let mut logs: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.join(STEPS).is_file())
        .collect();
    logs.sort();
    logs
}
