//! The fence around a guest's SQL.
//!
//! SQLite asks it about every table, function and pragma while it prepares a statement. The fence is a list of what is
//! allowed: what nobody thought of is denied. While a query runs, it also says when to stop.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use crate::{Error, Stop, functions};

/// Function calls that a statement may spell out. SQLite looks at the clock only where a program jumps back, so this
/// bounds what a guest can do in a straight line.
const MAX_CALLS: usize = 100;

/// Pragmas that only look, whatever their argument.
const PRAGMAS: [&str; 7] = [
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "table_info",
    "table_list",
    "table_xinfo",
];
/// Pragmas that only look when they have no argument.
const BARE_PRAGMAS: [&str; 7] = [
    "application_id",
    "encoding",
    "freelist_count",
    "max_page_count",
    "page_count",
    "page_size",
    "user_version",
];
/// Tables that SQLite makes up: they show its insides, or do unbounded work in one step.
const MADE_UP_TABLES: [&str; 13] = [
    "bytecode",
    "dbstat",
    "fts3",
    "fts3tokenize",
    "fts4",
    "fts4aux",
    "fts5",
    "fts5vocab",
    "rtree",
    "rtree_i32",
    "sqlite_dbpage",
    "sqlite_stmt",
    "tables_used",
];

/// What the guest's connection shares with the callbacks inside SQLite.
#[derive(Default)]
pub(crate) struct Fence {
    stop: Mutex<Option<Stop>>,
    host: AtomicBool,
    calls: AtomicUsize,
    changes_schema: AtomicBool,
    denied: Mutex<Option<String>>,
}

impl Fence {
    /// Prepares for the next query.
    pub fn arm(&self, stop: &Stop) {
        *self.stop.lock() = Some(stop.clone());
        *self.denied.lock() = None;
        self.calls.store(0, Relaxed);
        self.changes_schema.store(false, Relaxed);
    }

    /// Steps aside while the host itself speaks on the guest's connection.
    pub fn as_host<R>(&self, work: impl FnOnce() -> R) -> R {
        self.host.store(true, Relaxed);
        let result = work();
        self.host.store(false, Relaxed);
        result
    }

    /// Why the running query must end now, when it must.
    pub fn reached(&self) -> Option<Error> {
        if self.host.load(Relaxed) {
            return None;
        }
        self.stop.lock().as_ref().and_then(Stop::reached)
    }

    /// What was denied since the query was armed.
    pub fn denied(&self) -> Option<String> {
        self.denied.lock().clone()
    }

    /// Whether the prepared statement creates something.
    pub fn changes_schema(&self) -> bool {
        self.changes_schema.load(Relaxed)
    }

    pub fn authorize(&self, context: &AuthContext<'_>) -> Authorization {
        if self.host.load(Relaxed) {
            return Authorization::Allow;
        }
        match self.objection(&context.action) {
            None => Authorization::Allow,
            Some(what) => {
                *self.denied.lock() = Some(what);
                Authorization::Deny
            }
        }
    }

    fn objection(&self, action: &AuthAction<'_>) -> Option<String> {
        use AuthAction::*;
        match *action {
            Select | Recursive | DropView { .. } | Reindex { .. } => None,
            Read { table_name, .. } => {
                is_one_of(table_name, &MADE_UP_TABLES).then(|| format!("reading `{table_name}`"))
            }
            Insert { table_name } | Update { table_name, .. } | Delete { table_name } => {
                (!is_writable(table_name)).then(|| format!("writing `{table_name}`"))
            }
            CreateTable { table_name } | CreateView { view_name: table_name } => {
                self.changes_schema.store(true, Relaxed);
                is_reserved(table_name).then(|| format!("creating `{table_name}`"))
            }
            CreateIndex { table_name, .. } => {
                self.changes_schema.store(true, Relaxed);
                is_the_hosts(table_name).then(|| format!("an index on `{table_name}`"))
            }
            DropIndex { table_name, .. } | DropTable { table_name } => {
                is_the_hosts(table_name).then(|| format!("dropping from `{table_name}`"))
            }
            Function { function_name } if !functions::is_allowed(function_name) => {
                Some(format!("the function `{function_name}`"))
            }
            Function { .. } => (self.calls.fetch_add(1, Relaxed) >= MAX_CALLS)
                .then(|| format!("calling more than {MAX_CALLS} functions in one statement")),
            Pragma {
                pragma_name,
                pragma_value,
            } => (!is_harmless(pragma_name, pragma_value)).then(|| format!("PRAGMA {pragma_name}")),
            Attach { .. } => Some("ATTACH".into()),
            Detach { .. } => Some("DETACH".into()),
            Analyze { .. } => Some("ANALYZE".into()),
            AlterTable { .. } => Some("ALTER TABLE".into()),
            Transaction { .. } => Some("BEGIN, COMMIT or ROLLBACK".into()),
            Savepoint { .. } => Some("SAVEPOINT".into()),
            CreateVtable { .. } | DropVtable { .. } => Some("a virtual table".into()),
            CreateTrigger { .. } | CreateTempTrigger { .. } | DropTrigger { .. } => Some("a trigger".into()),
            CreateTempTable { .. } | CreateTempIndex { .. } | CreateTempView { .. } => {
                Some("a temporary table, index or view".into())
            }
            _ => Some("this statement".into()),
        }
    }
}

/// Names that SQLite or Litestream keep for themselves.
fn is_reserved(table: &str) -> bool {
    let table = table.to_ascii_lowercase();
    (table.starts_with("sqlite_") && table != "sqlite_sequence") || table.starts_with("_litestream_")
}

fn is_the_hosts(table: &str) -> bool {
    table.eq_ignore_ascii_case("vfs") || is_reserved(table)
}

/// The schema tables are on the list because creating a table writes them; SQLite itself refuses a direct write.
fn is_writable(table: &str) -> bool {
    is_one_of(table, &["sqlite_master", "sqlite_temp_master"]) || !is_reserved(table)
}

fn is_harmless(pragma: &str, value: Option<&str>) -> bool {
    is_one_of(pragma, &PRAGMAS) || (value.is_none() && is_one_of(pragma, &BARE_PRAGMAS))
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}
