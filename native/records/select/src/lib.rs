//! One SELECT of somebody's own over tables of ours, fenced: it only reads, ends in time, and its answer has an end.
//!
//! SQLite asks the fence about every table, function and pragma while it prepares a statement. What is not on the
//! fence's short list is denied. (A guest's SQL on its own disk may write as well; that fence is in `vfs`.)
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::types::ValueRef;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The most rows that an answer has.
pub const MAX_ROWS: usize = 10_000;
/// The longest that a statement may take.
const LONGEST: Duration = Duration::from_secs(5);
/// Steps of SQLite's machine between two looks at the clock.
const STEPS: i32 = 1_000;

/// The rows that a statement selects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Answer {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows. A BLOB is `{"base64": ".."}`.
    pub rows: Vec<Vec<Value>>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The statement does something else than reading.
    #[error("only reading is allowed")]
    Denied,
    /// The answer has more than [`MAX_ROWS`] rows.
    #[error("the answer has more than {MAX_ROWS} rows; add a LIMIT")]
    TooManyRows,
    /// SQLite cannot run it, or it took too long.
    #[error(transparent)]
    Sql(rusqlite::Error),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::AuthorizationForStatementDenied) => Error::Denied,
            _ => Error::Sql(error),
        }
    }
}

/// Runs one statement that only reads. The connection is used up: the fence stays on it.
///
/// ```
/// let connection = rusqlite::Connection::open_in_memory().unwrap();
/// connection.execute_batch("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x')").unwrap();
/// let answer = select::run(connection, "SELECT a, b FROM t")?;
/// assert_eq!(answer.columns, ["a", "b"]);
/// assert_eq!(answer.rows, [[serde_json::json!(1), serde_json::json!("x")]]);
/// # Ok::<(), select::Error>(())
/// ```
pub fn run(connection: Connection, sql: &str) -> Result<Answer, Error> {
    run_until(connection, sql, Instant::now() + LONGEST)
}

fn run_until(mut connection: Connection, sql: &str, deadline: Instant) -> Result<Answer, Error> {
    connection.progress_handler(STEPS, Some(move || Instant::now() >= deadline))?;
    connection.authorizer(Some(allow))?;
    let mut statement = connection.prepare(sql)?;
    let columns: Vec<String> = statement.column_names().map(String::from).collect();
    let mut found = statement.query([])?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        if rows.len() == MAX_ROWS {
            return Err(Error::TooManyRows);
        }
        let cells = (0..columns.len()).map(|column| row.get_ref(column).map(cell));
        rows.push(cells.collect::<Result<_, _>>()?);
    }
    Ok(Answer { columns, rows })
}

/// Reading, and nothing else; no other file, and no code from one.
fn allow(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Function { function_name } if !function_name.eq_ignore_ascii_case("load_extension") => {
            Authorization::Allow
        }
        _ => Authorization::Deny,
    }
}

fn cell(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(bytes) => json!({"base64": STANDARD.encode(bytes)}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE TABLE people (id); INSERT INTO people VALUES (1)")
            .unwrap();
        connection
    }

    #[test]
    fn whatever_is_no_select_is_denied() {
        for sql in [
            "DELETE FROM people",
            "UPDATE people SET id = 2",
            "INSERT INTO people VALUES (2)",
            "CREATE TABLE x (y)",
            "CREATE TEMP TABLE x (y)",
            "DROP TABLE people",
            "ATTACH '/tmp/x' AS y",
            "PRAGMA table_info(people)",
            "SELECT * FROM pragma_table_info('people')",
            "BEGIN",
            "SAVEPOINT x",
            "VACUUM INTO '/tmp/x'",
            "SELECT load_extension('x')",
            "WITH x AS (SELECT 1) DELETE FROM people",
        ] {
            assert!(run(people(), sql).is_err(), "{sql}");
        }
        assert!(matches!(run(people(), "DELETE FROM people"), Err(Error::Denied)));
        assert!(matches!(run(people(), "SELECT 1; SELECT 2"), Err(Error::Sql(_))));
        assert!(matches!(run(people(), "SELECT nonsense FROM"), Err(Error::Sql(_))));
    }

    #[test]
    fn every_kind_of_value_has_its_json() {
        let answer = run(
            people(),
            "SELECT NULL, 1, 1.5, 'x', x'00ff', json_extract('{\"a\":2}', '$.a')",
        )
        .unwrap();
        let expected = json!([null, 1, 1.5, "x", {"base64": "AP8="}, 2]);
        assert_eq!(Value::Array(answer.rows[0].clone()), expected);
    }

    #[test]
    fn an_answer_has_an_end() {
        let numbers = |n: usize| {
            let sql =
                format!("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT {n}) SELECT x FROM n");
            run(people(), &sql)
        };
        assert_eq!(numbers(MAX_ROWS).unwrap().rows.len(), MAX_ROWS);
        assert!(matches!(numbers(MAX_ROWS + 1), Err(Error::TooManyRows)));
    }

    #[test]
    fn a_statement_that_never_ends_is_ended() {
        let sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT count(*) FROM n";
        let stopped = run_until(people(), sql, Instant::now() + Duration::from_millis(50));
        assert!(matches!(stopped, Err(Error::Sql(_))));
    }
}
