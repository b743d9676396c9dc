//! `_telemetry.db`, one for each plan: what the logs of its runs say, in tables.

use crate::copies::{LEDGER, TELEMETRY};
use crate::link::Link;
use crate::log::Mark;
use crate::past::Past;
use crate::record::{Record, Step, Verdict};
use crate::{Error, fault, ledger_seal};
use ledger::Chain;
use rusqlite::backup::Backup;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params};
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

/// The version of the format, in `PRAGMA user_version`.
pub(crate) const VERSION: i64 = 1;
/// `WBKT` in ASCII, in `PRAGMA application_id`.
const APPLICATION_ID: i64 = 0x5742_4B54;

/// `verdicts` has what a task event has no column for; its key is the event's rowid. `runs` says how far into each log
/// the rows go: that much was acknowledged.
const TABLES: &str = "
    CREATE TABLE task_events(run_id TEXT NOT NULL, task_id TEXT NOT NULL, idx INTEGER, title TEXT, state TEXT NOT NULL,
                             output TEXT, ts INTEGER NOT NULL);
    CREATE TABLE step_events(run_id TEXT NOT NULL, step INTEGER, tool TEXT, exit_code INTEGER, error TEXT,
                             dur_ms INTEGER, ts INTEGER NOT NULL);
    CREATE TABLE verdicts(event INTEGER PRIMARY KEY, line INTEGER NOT NULL, how TEXT, reason TEXT);
    CREATE TABLE runs(run_id TEXT PRIMARY KEY, lines INTEGER NOT NULL, bytes INTEGER NOT NULL, head TEXT NOT NULL,
                      started INTEGER NOT NULL, closed INTEGER NOT NULL);
    CREATE INDEX task_events_by_task ON task_events(task_id);";

/// Another process may be reading; it is never long.
const BUSY: Duration = Duration::from_secs(5);

pub(crate) struct Database(Connection);

/// A run as the database knows it.
pub(crate) struct Known {
    pub lines: u64,
    pub head: String,
}

impl Database {
    /// Opens the database, and makes it when there is none.
    pub fn open(path: &Path) -> Result<Database, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut connection = connect(path, flags)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let objects: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if objects == 0 && number(&transaction, "application_id")? == 0 {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        check_format(&transaction, path)?;
        transaction.commit()?;
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        // The log is synced before its rows are written, and rows that the power took can be made again from it.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(Database(connection))
    }

    /// Opens the database of a slot. One that is gone, cannot be read, or does not know the logs is made again from them:
    /// it is only an index.
    pub fn of_slot(slot: &Path, links: &[Link]) -> Result<(Database, Vec<String>), Error> {
        let path = slot.join(TELEMETRY);
        let remake = |why: &str| {
            let database = Database::remake(slot)?;
            Ok((
                database,
                vec![format!("the telemetry was made again from the logs: {why}")],
            ))
        };
        match Database::open(&path) {
            Ok(database) if database.is_empty()? && !links.is_empty() => {
                drop(database);
                remake("it was gone")
            }
            Ok(database) => match links.iter().find(|link| !database.agrees(link)) {
                None => Ok((database, Vec::new())),
                Some(link) => {
                    let why = format!("it did not fit the log of run `{}`", link.run_id);
                    drop(database);
                    remake(&why)
                }
            },
            Err(Error::Corrupt | Error::NotTelemetry(_)) => remake("it could not be read"),
            Err(e) => Err(e),
        }
    }

    /// Makes the database again from the logs.
    fn remake(slot: &Path) -> Result<Database, Error> {
        let path = slot.join(TELEMETRY);
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let file = slot.join(format!("{TELEMETRY}{suffix}"));
            match fs::remove_file(&file) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(Error::io("remove", &file)(e)),
                _ => {}
            }
        }
        let mut database = Database::open(&path)?;
        for log in Past::of_slot(slot)?.logs {
            database.begin(&log.link.run_id, log.link.started)?;
            let mut mark = Mark::default();
            let mut records = Vec::new();
            for line in log.lines {
                mark.add(line.text.as_bytes());
                records.push((mark.chain.count(), line.record));
            }
            database.add(&log.link.run_id, &records, &mark)?;
            // A log of version 1 does not say whether its run is over; taking it for over, nobody resumes it by mistake.
            if log.over || log.link.first.is_none() {
                database.end(&log.link.run_id)?;
            }
        }
        Ok(database)
    }

    /// The same for a database that is open.
    pub fn again(&mut self, slot: &Path) -> Result<(), Error> {
        *self = Database::remake(slot)?;
        Ok(())
    }

    /// Whether a run is over, for logs that do not say it themselves.
    pub fn is_over(&self, run_id: &str) -> Result<bool, Error> {
        let sql = "SELECT closed FROM runs WHERE run_id = ?1";
        Ok(self
            .0
            .query_row(sql, [run_id], |row| row.get(0))
            .optional()?
            .unwrap_or(true))
    }

    fn is_empty(&self) -> Result<bool, Error> {
        Ok(self
            .0
            .query_row("SELECT count(*) = 0 FROM runs", [], |row| row.get(0))?)
    }

    /// Whether it has what the seal of a run that is over stands for; it may know a line more, if the run was killed
    /// before that was sealed. A run that is not over is recovered.
    fn agrees(&self, link: &Link) -> bool {
        let seal = link.is_over().then(|| ledger_seal(&link.dir.join(LEDGER))).flatten();
        seal.is_none_or(|seal| {
            let known = self.run(&link.run_id).ok().flatten();
            known.is_some_and(|known| match link.is_sealed() {
                true => known.lines == seal.count && known.head == seal.head,
                false => known.lines >= seal.count,
            })
        })
    }

    /// What is known about a run.
    pub fn run(&self, run_id: &str) -> Result<Option<Known>, Error> {
        let sql = "SELECT lines, head FROM runs WHERE run_id = ?1";
        Ok(self.0.query_row(sql, [run_id], known).optional()?)
    }

    /// Notes that a run begins, or goes on.
    pub fn begin(&self, run_id: &str, ts: i64) -> Result<(), Error> {
        self.0.execute(
            "INSERT INTO runs VALUES (?1, 0, 0, ?2, ?3, 0) ON CONFLICT DO UPDATE SET closed = 0",
            params![run_id, Chain::new().head(), ts],
        )?;
        Ok(())
    }

    /// Notes that a run is over.
    pub fn end(&self, run_id: &str) -> Result<(), Error> {
        self.0
            .execute("UPDATE runs SET closed = 1 WHERE run_id = ?1", [run_id])?;
        Ok(())
    }

    /// Adds the rows of some lines, and how far into the log that is, in one transaction.
    pub fn add<'a>(
        &mut self,
        run_id: &str,
        records: impl IntoIterator<Item = &'a (u64, Record)>,
        mark: &Mark,
    ) -> Result<(), Error> {
        let transaction = self.0.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (line, record) in records {
            match record {
                Record::Step(step) => add_step(&transaction, run_id, step)?,
                Record::Verdict(verdict) => add_verdict(&transaction, run_id, *line, verdict)?,
                // The others are the log's own.
                _ => {}
            }
        }
        transaction
            .prepare_cached("UPDATE runs SET lines = ?2, bytes = ?3, head = ?4 WHERE run_id = ?1")?
            .execute(params![
                run_id,
                mark.chain.count().cast_signed(),
                mark.bytes.cast_signed(),
                mark.chain.head()
            ])?;
        fault::point("rows.inserted");
        transaction.commit()?;
        fault::point("rows.committed");
        Ok(())
    }

    /// Copies the database to one file that needs no log beside it. For a directory that only we can write to.
    pub fn copy_to(&self, path: &Path) -> Result<(), Error> {
        match fs::remove_file(path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(Error::io("remove", path)(e)),
            _ => {}
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut copy = Connection::open_with_flags(path, flags)?;
        // Whoever asked for the copy syncs it.
        copy.pragma_update(None, "synchronous", "OFF")?;
        Backup::new(&self.0, &mut copy)?.step(-1)?;
        copy.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
        Ok(())
    }
}

/// Whether a run is over, for logs that do not say it themselves.
pub(crate) fn is_closed(path: &Path, run_id: &str) -> bool {
    let closed = || -> Result<bool, Error> {
        let connection = open_to_read(path)?;
        Ok(connection.query_row("SELECT closed FROM runs WHERE run_id = ?1", [run_id], |row| row.get(0))?)
    };
    closed().unwrap_or(true)
}

/// Opens a database to look at it. Nothing in the file is trusted.
pub(crate) fn open_to_read(path: &Path) -> Result<Connection, Error> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    match check_format(&connection, path) {
        Err(Error::Corrupt) => Err(Error::NotTelemetry(path.to_owned())),
        checked => checked.map(|()| connection),
    }
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, Error> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY)?;
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    ] {
        connection.set_db_config(setting, on)?;
    }
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

fn check_format(connection: &Connection, path: &Path) -> Result<(), Error> {
    if number(connection, "application_id")? != APPLICATION_ID {
        return Err(Error::NotTelemetry(path.to_owned()));
    }
    match number(connection, "user_version")? {
        VERSION => Ok(()),
        found => Err(Error::UnknownVersion { found }),
    }
}

fn number(connection: &Connection, pragma: &str) -> Result<i64, Error> {
    Ok(connection.pragma_query_value(None, pragma, |row| row.get(0))?)
}

fn known(row: &rusqlite::Row<'_>) -> rusqlite::Result<Known> {
    Ok(Known {
        lines: row.get::<_, i64>(0)?.max(0).cast_unsigned(),
        head: row.get(1)?,
    })
}

fn add_step(transaction: &Transaction<'_>, run_id: &str, step: &Step) -> Result<(), Error> {
    transaction
        .prepare_cached("INSERT INTO step_events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
        .execute(params![
            run_id,
            step.step,
            step.tool,
            step.exit_code,
            step.error,
            step.dur_ms,
            step.ts
        ])?;
    Ok(())
}

fn add_verdict(transaction: &Transaction<'_>, run_id: &str, line: u64, verdict: &Verdict) -> Result<(), Error> {
    transaction
        .prepare_cached("INSERT INTO task_events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
        .execute(params![
            run_id,
            verdict.task_id,
            verdict.idx,
            verdict.title,
            verdict.state,
            verdict.output,
            verdict.ts
        ])?;
    let event = transaction.last_insert_rowid();
    transaction
        .prepare_cached("INSERT INTO verdicts VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![event, line.cast_signed(), verdict.how, verdict.reason])?;
    Ok(())
}
