//! Why there is no answer: a stable code, a message, and what to do about it.

use crate::{MAX_ROWS, database};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why the history gave no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// Somebody runs this plan at this moment.
    #[error("the plan is already running, as `{run_id}`")]
    AlreadyRunning {
        /// The run that holds the plan.
        run_id: String,
    },
    /// There is no such file.
    #[error("there is no file `{}`", .0.display())]
    NoPlan(PathBuf),
    /// Nothing is known about this plan or directory.
    #[error("no run of `{}` is known", .0.display())]
    NoHistory(PathBuf),
    /// There is a log and no seal.
    #[error("`{}` was never sealed", .0.display())]
    NotSealed(PathBuf),
    /// The directory holds several plans with a history.
    #[error("`{}` holds {} plans with a history", .at.display(), .plans.len())]
    ManyPlans {
        /// The directory.
        at: PathBuf,
        /// The plans.
        plans: Vec<PathBuf>,
    },
    /// Neither `XDG_STATE_HOME` nor `HOME` says where histories are.
    #[error("there is no state directory: neither XDG_STATE_HOME nor HOME is an absolute path")]
    NoStateDirectory,
    /// A run's id becomes a name on the disk.
    #[error("`{0}` cannot be the id of a run")]
    BadRunId(String),
    /// A step or a verdict lacks a field, or has one of the wrong kind.
    #[error("this cannot be recorded: {0}")]
    BadRecord(String),
    /// Others may write what only the user should.
    #[error("`{}` is not private to the user", .0.display())]
    NotPrivate(PathBuf),
    /// The database was written by a program with another format.
    #[error(
        "the telemetry has format version {found}, and this program knows version {}",
        database::VERSION
    )]
    UnknownVersion {
        /// The version in the file.
        found: i64,
    },
    /// The file is not a telemetry database.
    #[error("`{}` is not a telemetry database", .0.display())]
    NotTelemetry(PathBuf),
    /// Lines of the log that had been acknowledged are gone or changed.
    #[error("the log of run `{run_id}` is not what was acknowledged: line {line} is gone or changed")]
    Damaged {
        /// The run.
        run_id: String,
        /// The first such line, counted from 1.
        line: u64,
    },
    /// Two others edited the plan while a state was being written.
    #[error("the plan was edited twice at once; the earlier edit is kept in `{}`", .kept.display())]
    Conflict {
        /// Where the earlier edit is.
        kept: PathBuf,
    },
    /// The run is closed.
    #[error("the history is closed")]
    Closed,
    /// The ledger refused.
    #[error(transparent)]
    Ledger(#[from] ledger::Error),
    /// SQLite cannot run the statement.
    #[error("{0}")]
    Sql(String),
    /// The statement would do more than look.
    #[error("the statement does more than read")]
    Denied,
    /// A query is one statement.
    #[error("a query is one statement, and this is more")]
    ManyStatements,
    /// The answer has more than [`MAX_ROWS`] rows.
    #[error("the answer has more than {MAX_ROWS} rows")]
    TooManyRows,
    /// The query took too long.
    #[error("the query ran out of time")]
    Timeout,
    /// The database is damaged.
    #[error("the telemetry is damaged")]
    Corrupt,
    /// The machine refused.
    #[error("cannot {doing} `{}`: {cause}", .path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the machine said.
        cause: io::Error,
    },
}

impl Error {
    /// The stable name of this failure.
    ///
    /// ```
    /// assert_eq!(history::Error::Closed.code(), "closed");
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            Error::AlreadyRunning { .. } => "already_running",
            Error::NoPlan(_) => "not_found",
            Error::NoHistory(_) => "no_history",
            Error::NotSealed(_) => "not_sealed",
            Error::ManyPlans { .. } | Error::NoStateDirectory | Error::BadRunId(_) | Error::BadRecord(_) => {
                "bad_option"
            }
            Error::NotPrivate(_) => "not_private",
            Error::UnknownVersion { .. } => "unknown_version",
            Error::NotTelemetry(_) => "not_telemetry",
            Error::Damaged { .. } | Error::Corrupt => "corrupt",
            Error::Conflict { .. } => "conflict",
            Error::Closed => "closed",
            Error::Ledger(error) => error.code(),
            Error::Sql(_) => "sql",
            Error::Denied => "denied",
            Error::ManyStatements => "many_statements",
            Error::TooManyRows => "too_many_rows",
            Error::Timeout => "timeout",
            Error::Io { cause, .. } if cause.kind() == io::ErrorKind::StorageFull => "disk_full",
            Error::Io { .. } => "io",
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Error::AlreadyRunning { .. } => "wait for it, or cancel it",
            Error::NoPlan(_) => "check the path",
            Error::NoHistory(_) => "run the plan first, or name the history directory it ran with",
            Error::NotSealed(_) => "run the plan again, or look at the warnings of that run",
            Error::ManyPlans { .. } => "name the plan instead of the directory",
            Error::NoStateDirectory => "set HOME, or name a history directory",
            Error::BadRunId(_) => {
                "use 1 to 128 letters, digits, dots, dashes and underscores, not beginning with a dot"
            }
            Error::BadRecord(_) => "give the fields that docs/history.md lists",
            Error::NotPrivate(_) => "make it yours, and writable by nobody else (chmod go-w)",
            Error::UnknownVersion { .. } => "use the version of Workbooks that wrote it",
            Error::NotTelemetry(_) => "check the path",
            Error::Damaged { .. } => {
                "the history directory was tampered with, or the storage lost what it had promised"
            }
            Error::Corrupt => "move the database away; the logs of the runs are beside it",
            Error::Conflict { .. } => "merge the two by hand",
            Error::Closed => "open it again",
            Error::Ledger(error) => error.hint(),
            Error::Sql(_) => "correct the statement",
            Error::Denied => "use a SELECT",
            Error::ManyStatements => "send one statement per query",
            Error::TooManyRows => "select less, or page with LIMIT",
            Error::Timeout => "do less per query",
            Error::Io { .. } => "check the path, its permissions and the room left",
        }
    }

    pub(crate) fn io(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> Error + use<> {
        let path = path.to_owned();
        move |cause| Error::Io {
            doing,
            path: path.clone(),
            cause,
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            _ if matches!(error, rusqlite::Error::MultipleStatement) => Error::ManyStatements,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::Corrupt,
            Some(ErrorCode::OperationInterrupted) => Error::Timeout,
            Some(ErrorCode::AuthorizationForStatementDenied) => Error::Denied,
            _ => Error::Sql(match error {
                rusqlite::Error::SqlInputError { msg, .. } => msg,
                other => other.to_string(),
            }),
        }
    }
}
