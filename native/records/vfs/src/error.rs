//! Why the disk refused: a stable code, a message, and what to do about it.
//!
//! No message carries a host path, so any of them may be shown to a guest.

use failure::codes::{
    BUSY, CANCELLED, CORRUPT, DENIED, DISK_FULL, INVALID_PATH, IO, MANY_STATEMENTS, MEMORY, NOT_A_FILE, NOT_FOUND,
    OUTPUT_TOO_LARGE, SQL, TIMEOUT, TOO_MANY_ROWS, UNKNOWN_VERSION,
};
use failure::{Code, fails};
use thiserror::Error;

use crate::{MAX_FILE, MAX_OUTPUT, MAX_ROWS, Volume};

/// Why the disk gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// No volume has this name.
    #[error("there is no volume `{name}`")]
    UnknownVolume {
        /// The name that was asked for.
        name: String,
    },
    /// The path breaks a rule of paths.
    #[error("`{path}` is not a path: {why}")]
    InvalidPath {
        /// The path, shortened when it is long.
        path: String,
        /// The rule that it breaks.
        why: &'static str,
    },
    /// One path would have to be a file and a directory at once.
    #[error("`{path}` and `{other}` cannot both be files")]
    PathConflict {
        /// The path that was asked for.
        path: String,
        /// The file that is in the way.
        other: String,
    },
    /// The volume has no such file.
    #[error("there is no `{path}` in {volume}")]
    NotFound {
        /// Where it was looked for.
        volume: Volume,
        /// The path that was asked for.
        path: String,
    },
    /// The file is larger than [`MAX_FILE`].
    #[error("`{path}` would be {size} bytes, and a file holds at most {MAX_FILE}")]
    FileTooLarge {
        /// The file.
        path: String,
        /// How large it would be.
        size: u64,
    },
    /// The disk has reached its page cap, or the machine has no room.
    #[error("the disk is full")]
    DiskFull,
    /// Another writer held the disk for too long.
    #[error("another writer holds the disk")]
    Busy,
    /// The fence does not let a guest do this.
    #[error("{what} is not allowed here")]
    Denied {
        /// What the statement tried.
        what: String,
    },
    /// A query is one statement.
    #[error("a query is one statement, and this is more")]
    ManyStatements,
    /// SQLite cannot run the statement.
    #[error("{message}")]
    Sql {
        /// What SQLite says about it.
        message: String,
    },
    /// A string, a BLOB or a row is too large for a query.
    #[error("a value is too large for a query")]
    ValueTooLarge,
    /// The tables and indexes of the disk have become too many.
    #[error("the disk's schema is too large")]
    SchemaTooLarge,
    /// The answer has more than [`MAX_ROWS`] rows.
    #[error("the answer has more than {MAX_ROWS} rows")]
    TooManyRows,
    /// The answer is longer than [`MAX_OUTPUT`].
    #[error("the answer is longer than {MAX_OUTPUT} bytes")]
    OutputTooLarge,
    /// The deadline passed.
    #[error("the query ran out of time")]
    Timeout,
    /// The caller cancelled.
    #[error("the query was cancelled")]
    Cancelled,
    /// SQLite reached the memory limit.
    #[error("the query needs more memory than SQLite may use")]
    Memory,
    /// The disk was written by a program with another format.
    #[error(
        "the disk has format version {found}, and this program knows version {}",
        crate::format::VERSION
    )]
    UnknownVersion {
        /// The version in the file.
        found: i64,
    },
    /// The file is not a workbook's disk.
    #[error("the file is not a workbook's disk: {why}")]
    NotADisk {
        /// What gave it away.
        why: &'static str,
    },
    /// The file is damaged.
    #[error("the disk is damaged")]
    Corrupt,
    /// A directory holds something that is neither a file nor a directory.
    #[error("`{path}` is neither a file nor a directory")]
    NotAFile {
        /// Where, below the directory.
        path: String,
    },
    /// The directory to import holds the disk itself.
    #[error("`{path}` is the disk itself")]
    OwnFile {
        /// Where, below the directory.
        path: String,
    },
    /// The machine refused.
    #[error("cannot {doing}: {cause}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// What the machine said.
        cause: String,
    },
}

fails! {
    Error {
        Error::UnknownVolume { .. } => Code::usage("unknown_volume", "a disk has no such volume"),
            "use workspace, memory or tmp";
        Error::InvalidPath { .. } => INVALID_PATH, "use a relative path such as notes/a.txt";
        Error::PathConflict { .. } => Code::conflict("path_conflict", "one path would be a file and a directory at once"),
            "rename or delete one of the two";
        Error::NotFound { .. } => NOT_FOUND, "list the volume to see what is there";
        Error::FileTooLarge { .. } => Code::too_large("file_too_large", "a file is larger than a disk takes"),
            "split the file";
        Error::DiskFull => DISK_FULL, "delete files, or open the disk with a higher page cap";
        Error::Busy => BUSY, "try again, and look for a long transaction in another process";
        Error::Denied { .. } => DENIED, "docs/disk.md lists what a guest's SQL may do";
        Error::ManyStatements => MANY_STATEMENTS, "send one statement per query; each is its own transaction";
        Error::Sql { .. } => SQL, "correct the statement";
        Error::ValueTooLarge => Code::limit("value_too_large", "a string, a BLOB or a row is too large for a query"),
            "work on smaller pieces";
        Error::SchemaTooLarge => Code::limit("schema_too_large", "a disk has too many tables and indexes"),
            "drop tables, indexes or views that are not needed";
        Error::TooManyRows => TOO_MANY_ROWS, "select less, or page with LIMIT";
        Error::OutputTooLarge => OUTPUT_TOO_LARGE, "select less, or page with LIMIT";
        Error::Timeout => TIMEOUT, "do less per query, or ask for a longer time limit";
        Error::Cancelled => CANCELLED, "run it again when it is wanted";
        Error::Memory => MEMORY, "gather, sort or join fewer rows at once";
        Error::UnknownVersion { .. } => UNKNOWN_VERSION, "use the version of Workbooks that wrote it";
        Error::NotADisk { .. } => Code::verification("not_a_disk", "the file is not a disk"),
            "check the path, or restore a backup";
        Error::Corrupt => CORRUPT, "restore a backup";
        Error::NotAFile { .. } => NOT_A_FILE, "remove it; links, pipes and devices do not go on a disk";
        Error::OwnFile { .. } => Code::usage("own_file", "the disk's own file lies in the directory"),
            "keep the disk's file outside the directory";
        Error::Io { .. } => IO, "check the path, its permissions and the room left";
    }
}

impl Error {
    pub(crate) fn io(doing: &'static str) -> impl Fn(std::io::Error) -> Error {
        move |error| match error.kind() {
            std::io::ErrorKind::StorageFull => Error::DiskFull,
            // The kind, not the error: its text is the only part sure to name no path.
            kind => Error::Io {
                doing,
                cause: kind.to_string(),
            },
        }
    }
}

/// SQLite's refusals, sorted into ours. Only what SQLite says about the statement itself passes through as text.
impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        if let rusqlite::Error::MultipleStatement = error {
            return Error::ManyStatements;
        }
        let (code, message) = match error {
            rusqlite::Error::SqliteFailure(failure, message) => (failure.code, message),
            rusqlite::Error::SqlInputError { error, msg, .. } => (error.code, Some(msg)),
            other => {
                return Error::Sql {
                    message: other.to_string(),
                };
            }
        };
        match code {
            ErrorCode::DiskFull => Error::DiskFull,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Error::Busy,
            ErrorCode::TooBig => Error::ValueTooLarge,
            ErrorCode::OutOfMemory => Error::Memory,
            ErrorCode::OperationInterrupted => Error::Timeout,
            ErrorCode::DatabaseCorrupt => Error::Corrupt,
            ErrorCode::NotADatabase => Error::NotADisk {
                why: "it is not an SQLite database",
            },
            // What SQLite says to stepping through an empty text.
            ErrorCode::ApiMisuse => Error::Sql {
                message: "there is no statement to run".into(),
            },
            ErrorCode::Unknown
            | ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            | ErrorCode::ParameterOutOfRange
            | ErrorCode::AuthorizationForStatementDenied
            | ErrorCode::SchemaChanged
            | ErrorCode::OperationAborted => Error::Sql {
                message: message.unwrap_or_else(|| "SQLite refused the statement".into()),
            },
            _ => Error::Io {
                doing: "use the disk's file",
                cause: format!("{code:?}"),
            },
        }
    }
}

/// A name short enough for a message.
pub(crate) fn shorten(name: &str) -> String {
    const LONGEST: usize = 120;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}
