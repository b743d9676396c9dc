//! A connection that only ever runs a guest's SQL.

use std::path::Path;
use std::sync::Arc;

use rusqlite::limits::Limit;
use rusqlite::{Connection, config::DbConfig};

use crate::connection::{self, Access, BUSY};
use crate::fence::Fence;
use crate::{Error, MAX_OUTPUT, MAX_ROWS, Stop, cell, functions};

/// The largest string, BLOB or row that a guest's SQL can handle: the answer, and room for a file's other columns.
pub(crate) const MAX_VALUE: usize = MAX_OUTPUT + 64 * 1024;
const MAX_SCHEMA_OBJECTS: i64 = 1_000;
const MAX_SCHEMA_TEXT: f64 = 1024.0 * 1024.0;

/// How many steps of SQLite's machine pass between two looks at the clock. A step can take milliseconds.
const STEPS: i32 = 32;

const LIMITS: [(Limit, i32); 11] = [
    (Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE as i32),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 1024 * 1024),
    (Limit::SQLITE_LIMIT_COLUMN, 256),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
    (Limit::SQLITE_LIMIT_VDBE_OP, 10_000),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 64),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    // A query has no parameters to bind: a `?` is an error, not a NULL.
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 0),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 32),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

pub(crate) struct Guest {
    connection: Connection,
    fence: Arc<Fence>,
}

impl Guest {
    pub fn open(path: &Path, access: Access) -> Result<Guest, Error> {
        let mut connection = connection::open(path, access)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
        for (limit, value) in LIMITS {
            connection.set_limit(limit, value)?;
        }
        let fence = Arc::new(Fence::default());
        functions::install(&connection, &fence)?;
        let clock = fence.clone();
        connection.progress_handler(STEPS, Some(move || clock.reached().is_some()))?;
        let gate = fence.clone();
        connection.authorizer(Some(move |context: rusqlite::hooks::AuthContext<'_>| {
            gate.authorize(&context)
        }))?;
        Ok(Guest { connection, fence })
    }

    /// Answers a statement that only reads; `None` means that it writes.
    pub fn read(&self, sql: &str, stop: &Stop) -> Result<Option<String>, Error> {
        self.fenced(stop, || {
            let mut statement = self.connection.prepare(sql)?;
            match statement.readonly() {
                true => answer(&mut statement).map(Some),
                false => Ok(None),
            }
        })
    }

    /// Runs a statement that writes, in a transaction that commits only when the answer is complete.
    pub fn write(&self, sql: &str, stop: &Stop) -> Result<String, Error> {
        self.fenced(stop, || {
            self.connection.busy_timeout(BUSY.min(stop.remaining()))?;
            self.host("BEGIN IMMEDIATE")?;
            let result = self.change(sql).and_then(|json| self.host("COMMIT").map(|()| json));
            // Some errors have rolled back already.
            if result.is_err() && !self.connection.is_autocommit() {
                self.host("ROLLBACK")?;
            }
            result
        })
    }

    fn change(&self, sql: &str) -> Result<String, Error> {
        let mut statement = self.connection.prepare(sql)?;
        let json = answer(&mut statement)?;
        drop(statement);
        if self.fence.changes_schema() {
            self.check_schema()?;
        }
        Ok(json)
    }

    /// Every connection reads the whole schema when it opens, so a guest may not bloat it.
    fn check_schema(&self) -> Result<(), Error> {
        let measure = "SELECT count(*), total(octet_length(sql)) FROM sqlite_schema";
        let (objects, text): (i64, f64) = self.fence.as_host(|| {
            self.connection
                .query_row(measure, [], |row| Ok((row.get(0)?, row.get(1)?)))
        })?;
        if objects > MAX_SCHEMA_OBJECTS || text > MAX_SCHEMA_TEXT {
            return Err(Error::SchemaTooLarge);
        }
        Ok(())
    }

    fn host(&self, sql: &str) -> Result<(), Error> {
        Ok(self.fence.as_host(|| self.connection.execute_batch(sql))?)
    }

    fn fenced<R>(&self, stop: &Stop, work: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
        if let Some(reason) = stop.reached() {
            return Err(reason);
        }
        self.fence.arm(stop);
        work().map_err(|error| match error {
            _ if let Some(what) = self.fence.denied() => Error::Denied { what },
            Error::Sql { message } if message.starts_with("cannot VACUUM") => Error::Denied { what: "VACUUM".into() },
            Error::Sql { .. } | Error::Busy | Error::Timeout => stop.reached().unwrap_or(error),
            error => error,
        })
    }
}

fn answer(statement: &mut rusqlite::Statement<'_>) -> Result<String, Error> {
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    let mut out = String::from("[");
    let mut count = 0;
    while let Some(row) = rows.next()? {
        if count == MAX_ROWS {
            return Err(Error::TooManyRows);
        }
        out.push_str(if count == 0 { "[" } else { ",[" });
        for column in 0..columns {
            if column > 0 {
                out.push(',');
            }
            cell::append(&mut out, row.get_ref(column)?)?;
        }
        out.push(']');
        count += 1;
    }
    out.push(']');
    Ok(out)
}
