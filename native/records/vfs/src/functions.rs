//! The SQL functions that a guest may call, and the replacements for those whose work grows with the square of their
//! input.
//!
//! SQLite cannot be interrupted inside a function. `json_patch` and `unhex` with two arguments are quadratic, touch
//! nothing that a guest cannot do another way, and are left out. The rest of the quadratic ones live in
//! [`crate::linear`] and [`crate::pattern`].

use std::borrow::Cow;
use std::sync::Arc;

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Error, ffi};

use crate::fence::Fence;
use crate::guest::MAX_VALUE;
use crate::linear::{self, Side};
use crate::pattern::Pattern;

/// Sorted, for the search.
#[rustfmt::skip]
const ALLOWED: [&str; 102] = [
    "->", "->>", "abs", "avg", "changes", "char", "coalesce", "concat", "concat_ws", "count", "cume_dist",
    "current_date", "current_time", "current_timestamp", "date", "datetime", "dense_rank", "first_value",
    "format", "glob", "group_concat", "hex", "if", "ifnull", "iif", "instr", "json", "json_array",
    "json_array_insert", "json_array_length", "json_error_position", "json_extract", "json_group_array",
    "json_group_object", "json_insert", "json_object", "json_pretty", "json_quote", "json_remove",
    "json_replace", "json_set", "json_type", "json_valid", "jsonb", "jsonb_array", "jsonb_array_insert",
    "jsonb_extract", "jsonb_group_array", "jsonb_group_object", "jsonb_insert", "jsonb_object", "jsonb_remove",
    "jsonb_replace", "jsonb_set", "julianday", "lag", "last_insert_rowid", "last_value", "lead", "length",
    "like", "likelihood", "likely", "lower", "ltrim", "max", "min", "nth_value", "ntile", "nullif",
    "octet_length", "percent_rank", "printf", "quote", "random", "randomblob", "rank", "replace", "round",
    "row_number", "rtrim", "sign", "soundex", "sqlite_version", "strftime", "string_agg", "substr", "substring",
    "sum", "time", "timediff", "total", "total_changes", "trim", "typeof", "unicode", "unistr", "unistr_quote",
    "unixepoch", "unlikely", "upper", "zeroblob",
];

pub(crate) fn is_allowed(name: &str) -> bool {
    ALLOWED.binary_search(&name.to_ascii_lowercase().as_str()).is_ok()
}

/// Puts the replacements in the place of SQLite's own.
pub(crate) fn install(connection: &Connection, fence: &Arc<Fence>) -> Result<(), Error> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        // A guest's own table may use them in a CHECK.
        | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("instr", 2, flags, instr)?;
    connection.create_scalar_function("replace", 3, flags, replace)?;
    for (name, side) in [("trim", Side::Both), ("ltrim", Side::Left), ("rtrim", Side::Right)] {
        connection.create_scalar_function(name, 2, flags, move |call| trim(call, side))?;
    }
    for (name, arguments) in [("like", 2), ("like", 3), ("glob", 2)] {
        let fence = fence.clone();
        connection.create_scalar_function(name, arguments, flags, move |call| matches(call, name, &fence))?;
    }
    Ok(())
}

fn instr(call: &Context<'_>) -> Result<Option<i64>, Error> {
    let blobs = [0, 1].map(|i| matches!(call.get_raw(i), ValueRef::Blob(_))) == [true, true];
    let (Some(text), Some(part)) = (text(call, 0)?, text(call, 1)?) else {
        return Ok(None);
    };
    let place = match blobs {
        true => linear::byte_position(&text, &part),
        false => linear::character_position(&text, &part),
    };
    Ok(Some(place as i64))
}

fn replace(call: &Context<'_>) -> Result<Option<Text>, Error> {
    let (Some(text), Some(part)) = (text(call, 0)?, text(call, 1)?) else {
        return Ok(None);
    };
    if part.is_empty() {
        return Ok(Some(Text(text.into_owned())));
    }
    let Some(new) = self::text(call, 2)? else {
        return Ok(None);
    };
    match linear::replace(&text, &part, &new, MAX_VALUE) {
        Some(replaced) => Ok(Some(Text(replaced))),
        None => Err(failure(ffi::SQLITE_TOOBIG)),
    }
}

fn trim(call: &Context<'_>, side: Side) -> Result<Option<Text>, Error> {
    let (Some(text), Some(set)) = (text(call, 0)?, text(call, 1)?) else {
        return Ok(None);
    };
    Ok(Some(Text(linear::trim(&text, &set, side).to_vec())))
}

/// `text LIKE pattern ESCAPE escape` is `like(pattern, text, escape)`.
fn matches(call: &Context<'_>, name: &str, fence: &Fence) -> Result<Option<bool>, Error> {
    let (Some(pattern), Some(text)) = (text(call, 0)?, text(call, 1)?) else {
        return Ok(None);
    };
    let pattern = match (name, call.len()) {
        ("glob", _) => Pattern::glob(&pattern),
        (_, 2) => Pattern::like(&pattern, None),
        _ => match self::text(call, 2)? {
            None => return Ok(None),
            Some(escape) => Pattern::like(&pattern, Some(&escape)),
        },
    };
    pattern
        .map_err(|why| Error::UserFunctionError(why.into()))?
        .matches(&text, || fence.reached().is_some())
        .map(Some)
        .ok_or_else(|| failure(ffi::SQLITE_INTERRUPT))
}

/// An argument as text, the way SQLite would make it text.
fn text<'a>(call: &'a Context<'_>, argument: usize) -> Result<Option<Cow<'a, [u8]>>, Error> {
    Ok(Some(match call.get_raw(argument) {
        ValueRef::Null => return Ok(None),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Cow::Borrowed(bytes),
        ValueRef::Integer(i) => Cow::Owned(i.to_string().into_bytes()),
        ValueRef::Real(r) => Cow::Owned(real(r)?.into_bytes()),
    }))
}

/// Only SQLite knows how SQLite writes a number.
fn real(number: f64) -> Result<String, Error> {
    thread_local!(static SQLITE: Result<Connection, Error> = Connection::open_in_memory());
    SQLITE.with(|connection| match connection {
        Ok(connection) => connection
            .prepare_cached("SELECT CAST(?1 AS TEXT)")?
            .query_row([number], |row| row.get(0)),
        Err(_) => Err(failure(ffi::SQLITE_NOMEM)),
    })
}

fn failure(code: i32) -> Error {
    Error::SqliteFailure(ffi::Error::new(code), None)
}

/// TEXT that need not be UTF-8.
struct Text(Vec<u8>);

impl ToSql for Text {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>, Error> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(&self.0)))
    }
}
