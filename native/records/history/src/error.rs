//! Why there is no answer: a stable code, a message, and what to do about it.

use crate::{MAX_ROWS, database};
use failure::codes::{
    ALREADY_RUNNING, BAD_OPTION, CLOSED, CONFLICT, CORRUPT, DENIED, DISK_FULL, IO, MANY_STATEMENTS, NOT_FOUND,
    NOT_PRIVATE, NOT_UTF8, SQL, TIMEOUT, TOO_MANY_ROWS, UNKNOWN_VERSION,
};
use failure::{Code, fails};
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
    /// Another run came after this one.
    #[error("run `{run_id}` cannot go on: run `{by}` came after it")]
    Superseded {
        /// The run.
        run_id: String,
        /// The newest run.
        by: String,
    },
    /// Nothing about the task waits to be accepted.
    #[error("no amendment of a task `{0}` waits to be accepted")]
    NoAmendment(String),
    /// The plan has no such task.
    #[error("{}", no_task(.0))]
    NoTask(String),
    /// What must be on the disk is not.
    #[error("it could not be recorded: {0}")]
    Unsaved(String),
    /// The plan is not UTF-8.
    #[error("the plan is not UTF-8: byte {0} (the first is 0)")]
    NotText(usize),
    /// The kernel cannot read the plan.
    #[error(transparent)]
    Kernel(#[from] oql::Error),
    /// Not every DONE that was to be certified is earned.
    #[error("`{id}` is not earned: {reason}")]
    NotEarned {
        /// The task.
        id: String,
        /// Why not.
        reason: String,
    },
    /// The certificate is none, or not what was signed.
    #[error(transparent)]
    Certificate(#[from] certificate::Error),
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

/// The same code as the kernel's own.
const UNKNOWN_TASK: Code = Code::not_found("unknown_task", "no task has that id");

fails! {
    Error {
        Error::AlreadyRunning { .. } => ALREADY_RUNNING,
            "wait for it, or cancel it";
        Error::NoPlan(_) => NOT_FOUND, "check the path";
        Error::NoHistory(_) => Code::not_found("no_history", "no run of the plan is known"),
            "run the plan first, or name the history directory it ran with";
        Error::NotSealed(_) => Code::not_found("not_sealed", "the run was never sealed"),
            "run the plan again, or look at the warnings of that run";
        Error::ManyPlans { .. } => BAD_OPTION, "name the plan instead of the directory";
        Error::BadRunId(_) => BAD_OPTION,
            "use 1 to 128 letters, digits, dots, dashes and underscores, not beginning with a dot";
        Error::BadRecord(_) => BAD_OPTION, "give the fields that docs/history.md lists";
        Error::NotPrivate(_) => NOT_PRIVATE, "make it yours, and writable by nobody else (chmod go-w)";
        Error::UnknownVersion { .. } => UNKNOWN_VERSION, "use the version of Workbooks that wrote it";
        Error::NotTelemetry(_) => Code::other("not_telemetry", "the file is not a telemetry database"),
            "check the path";
        Error::Damaged { .. } => CORRUPT,
            "the history directory was tampered with, or the storage lost what it had promised";
        Error::Corrupt => CORRUPT, "move the database away; the logs of the runs are beside it";
        Error::Conflict { .. } => CONFLICT, "merge the two by hand";
        Error::Closed => CLOSED, "open it again";
        Error::Superseded { .. } => CONFLICT, "start a new run";
        Error::NoAmendment(_) => UNKNOWN_TASK, "see the amendments with `wbx status`";
        Error::NoTask(_) => UNKNOWN_TASK, "list the ids with `wbx tasks`";
        Error::Unsaved(_) => IO, "make room, and try again";
        Error::NotText(_) => NOT_UTF8, "save the file as UTF-8";
        Error::NotEarned { .. } => Code::verification("not_earned", "a DONE that was not earned gets no certificate"),
            "run the plan; see what is missing with `wbx status`";
        Error::Sql(_) => SQL, "correct the statement";
        Error::Denied => DENIED, "use a SELECT";
        Error::ManyStatements => MANY_STATEMENTS, "send one statement per query";
        Error::TooManyRows => TOO_MANY_ROWS, "select less, or page with LIMIT";
        Error::Timeout => TIMEOUT, "do less per query";
        Error::Io { cause, .. } if cause.kind() == io::ErrorKind::StorageFull => DISK_FULL, "make room";
        Error::Io { .. } => IO, "check the path, its permissions and the room left";
    }
    of {
        Error::Ledger(error) => error: ledger::Error;
        Error::Kernel(error) => error: oql::Error;
        Error::Certificate(error) => error: certificate::Error;
    }
    details facts
}

fn no_task(id: &str) -> String {
    match id {
        "" => "the plan has no task".to_owned(),
        id => format!("no task has the id `{id}`"),
    }
}

/// Who holds a plan that is being run.
fn facts(error: &Error) -> Option<serde_json::Value> {
    match error {
        Error::AlreadyRunning { run_id } => Some(serde_json::json!({"run_id": run_id})),
        _ => None,
    }
}

impl Error {
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
