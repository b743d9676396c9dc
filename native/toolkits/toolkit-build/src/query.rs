//! `SELECT .. FROM entity` over the rows of a source: SQLite in memory, fenced.

use crate::Error;
use rusqlite::{Connection, ToSql};
use serde_json::Value;
use toolkit::Rows;

/// The most columns of a source; SQLite has room for no more.
const MAX_COLUMNS: usize = 500;
pub use select::Answer;

/// Runs one SELECT over rows that are called `entity`. Objects and arrays are their JSON, for SQLite's `json_extract`.
///
/// ```
/// let rows = serde_json::from_str(r#"[{"id": 1, "state": "open"}, {"id": 2, "state": "shut"}]"#).unwrap();
/// let answer = toolkit_build::select("SELECT id FROM issues WHERE state = 'open'", "issues", &rows).unwrap();
/// assert_eq!(answer.rows, [[1]]);
/// ```
///
/// # Errors
///
/// [`Error::Denied`] for anything else than a SELECT, [`Error::Sql`] for what cannot be run or breaks a bound.
pub fn select(sql: &str, entity: &str, rows: &Rows) -> Result<Answer, Error> {
    let connection = Connection::open_in_memory().map_err(wrong)?;
    load(&connection, entity, rows)?;
    select::run(connection, sql).map_err(|error| match error {
        select::Error::Denied => Error::Denied(error.to_string()),
        other => Error::Sql(other.to_string()),
    })
}

fn load(connection: &Connection, entity: &str, rows: &Rows) -> Result<(), Error> {
    let mut columns: Vec<&str> = Vec::new();
    for name in rows.iter().flat_map(|row| row.keys()) {
        if !columns.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            columns.push(name);
        }
        if columns.len() > MAX_COLUMNS {
            return Err(Error::Sql(format!("the rows have more than {MAX_COLUMNS} columns")));
        }
    }
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let list = match columns[..] {
        [] => "\"id\"".to_owned(),
        _ => columns.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "),
    };
    connection
        .execute_batch(&format!("CREATE TABLE {} ({list})", quoted(entity)))
        .map_err(wrong)?;
    if columns.is_empty() {
        return Ok(());
    }
    let marks = vec!["?"; columns.len()].join(", ");
    let insert = format!("INSERT INTO {} VALUES ({marks})", quoted(entity));
    let mut insert = connection.prepare(&insert).map_err(wrong)?;
    for row in rows {
        let values: Vec<Box<dyn ToSql>> = columns.iter().map(|name| bound(row.get(*name))).collect();
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        insert.execute(&values[..]).map_err(wrong)?;
    }
    Ok(())
}

fn bound(value: Option<&Value>) -> Box<dyn ToSql> {
    match value {
        None | Some(Value::Null) => Box::new(rusqlite::types::Null),
        Some(Value::Bool(yes)) => Box::new(*yes),
        Some(Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Box::new(integer),
            (None, real) => Box::new(real),
        },
        Some(Value::String(text)) => Box::new(text.clone()),
        Some(other) => Box::new(other.to_string()),
    }
}

fn wrong(error: rusqlite::Error) -> Error {
    Error::Sql(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows(json: Value) -> Rows {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn rows_are_selected_filtered_and_counted() {
        let found = rows(json!([
            {"id": 1, "who": {"name": "Ada"}, "n": 1.5}, {"id": 2, "who": {"name": "Bo"}}, {"id": 3, "ok": true}
        ]));
        let answer = |sql| select(sql, "people", &found).unwrap();
        assert_eq!(answer("SELECT count(*) FROM people").rows, [[json!(3)]]);
        let named =
            answer("SELECT json_extract(who, '$.name') AS name FROM people WHERE who IS NOT NULL ORDER BY id DESC");
        assert_eq!(
            (named.columns, named.rows),
            (vec!["name".into()], vec![vec![json!("Bo")], vec![json!("Ada")]])
        );
        assert_eq!(
            answer("SELECT n, ok FROM people WHERE id = 1").rows,
            [[json!(1.5), Value::Null]]
        );
        assert_eq!(
            select("SELECT id FROM none", "none", &Vec::new()).unwrap().rows,
            Vec::<Vec<Value>>::new()
        );
    }

    #[test]
    fn whatever_is_no_select_is_denied() {
        let found = rows(json!([{"id": 1}]));
        for sql in [
            "DELETE FROM people",
            "ATTACH '/tmp/x' AS y",
            "PRAGMA table_info(people)",
            "CREATE TABLE x (y)",
            "SELECT load_extension('x')",
            "UPDATE people SET id = 2",
        ] {
            let error = select(sql, "people", &found).unwrap_err();
            assert!(["denied", "sql"].contains(&error.code()), "{sql}: {error}");
        }
        assert_eq!(
            select("DELETE FROM people", "people", &found).unwrap_err().code(),
            "denied"
        );
        assert_eq!(
            select("SELECT 1; SELECT 2", "people", &found).unwrap_err().code(),
            "sql"
        );
        assert_eq!(
            select("SELECT nonsense FROM", "people", &found).unwrap_err().code(),
            "sql"
        );
    }
}
