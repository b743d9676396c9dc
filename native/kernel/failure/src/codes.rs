//! The codes that more than one crate gives. A code of one crate alone is declared in that crate.

use crate::Code;

macro_rules! shared {
    ($($name:ident = $kind:ident $text:literal, $meaning:literal $(, $passing:ident)?;)*) => {
        $(#[doc = concat!("`", $text, "`: ", $meaning, ".")]
        pub const $name: Code = Code::$kind($text, $meaning)$(.$passing())?;)*

        /// All of them.
        pub const SHARED: &[Code] = &[$($name),*];
    };
}

shared! {
    ALREADY_RUNNING = conflict "already_running", "somebody runs the plan at this moment; `details` has its `run_id`", passing;
    BAD_OPTION = usage "bad_option", "an option is unknown or has a bad value";
    BUILD_FAILED = verification "build_failed", "the compiler refused the source";
    BUSY = busy "busy", "too much is waiting already, or another writer holds the file";
    CANCELLED = other "cancelled", "the call was interrupted";
    CLOSED = other "closed", "it was closed";
    CONFLICT = conflict "conflict", "somebody else changes the same thing at this moment";
    CORRUPT = verification "corrupt", "a file is damaged";
    DENIED = usage "denied", "the statement does more than is allowed here";
    DISK_FULL = other "disk_full", "there is no room left";
    ENGINE_MISSING = unreachable "engine_missing", "there is no engine to ask: Workbooks is not built here, or none runs";
    ENGINE_UNAVAILABLE = unreachable "engine_unavailable", "the sandbox or the commands did not start";
    EXISTS = conflict "exists", "it is there already";
    FILE_REFUSED = verification "file_refused", "a file leads out of its place, or is something else than a file";
    INTERNAL = other "internal", "a mistake of Workbooks itself; the next call works";
    INVALID_NAME = usage "invalid_name", "the name has characters that such a name may not have";
    INVALID_PATH = usage "invalid_path", "the path breaks a rule of paths";
    IO = other "io", "the machine refused";
    LANE_UNAVAILABLE = other "lane_unavailable", "the language cannot be built here; the hint says what to do instead";
    MANY_STATEMENTS = usage "many_statements", "a query is one statement";
    MEMORY = limit "memory", "it needs more memory than it may have";
    NOT_A_FILE = other "not_a_file", "it is a directory, a link, a pipe or a device";
    NOT_FOUND = not_found "not_found", "there is no such thing";
    NOT_GRANTED = auth "not_granted", "nobody granted the capability that is needed";
    NOT_JSON = usage "not_json", "the text is not JSON, or the term has none";
    NOT_PRIVATE = other "not_private", "others may write what only the user should";
    NOT_UTF8 = other "not_utf8", "the bytes are not UTF-8";
    OUTPUT_TOO_LARGE = limit "output_too_large", "the answer is larger than it may be";
    SQL = usage "sql", "SQLite cannot run the statement";
    TIMEOUT = limit "timeout", "the time is up";
    TOO_COMPLEX = limit "too_complex", "the text takes more time or memory than a call may have";
    TOO_DEEP = limit "too_deep", "it nests too deeply";
    TOO_LARGE = too_large "too_large", "there is more of it than is taken";
    TOO_MANY_ROWS = limit "too_many_rows", "the answer has more rows than it may have";
    UNFIT = verification "unfit", "it does not fit the place where it is to be used";
    UNKNOWN_VERSION = verification "unknown_version", "it was written by another version of Workbooks";
}
