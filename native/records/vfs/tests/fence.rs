//! What a guest's SQL may do, and what it may not.

mod scratch;

use scratch::Scratch;
use vfs::Volume;

/// Each statement is denied, names what it tried, and leaves the disk as it was.
macro_rules! denied {
    ($($name:ident: $sql:expr => $what:expr;)*) => {$(
        #[test]
        fn $name() {
            let scratch = Scratch::new();
            scratch.write(Volume::Workspace, "a", b"1", 1).unwrap();
            scratch.sql("CREATE TABLE mine(a)").unwrap();
            let before = scratch.sql("SELECT * FROM sqlite_schema, vfs").unwrap();
            let error = scratch.sql($sql).unwrap_err();
            assert_eq!((error.code(), error.to_string()), ("denied", format!("{} is not allowed here", $what)));
            assert_eq!(scratch.sql("SELECT * FROM sqlite_schema, vfs").unwrap(), before);
        }
    )*};
}

denied! {
    attaching_memory:               "ATTACH ':memory:' AS x" => "ATTACH";
    attaching_a_file:               "ATTACH '/etc/passwd' AS x" => "ATTACH";
    attaching_a_uri:                "ATTACH 'file:/etc/passwd?mode=ro' AS x" => "ATTACH";
    detaching:                      "DETACH main" => "DETACH";
    vacuuming:                      "VACUUM" => "VACUUM";
    vacuuming_into_a_file:          "VACUUM INTO 'stolen.sqlite'" => "VACUUM";
    loading_an_extension:           "SELECT load_extension('evil')" => "the function `load_extension`";
    loading_an_extension_shouting:  "SELECT LOAD_EXTENSION('evil', 'entry')" => "the function `load_extension`";
    an_fts3_tokenizer:              "SELECT fts3_tokenizer('simple')" => "the function `fts3_tokenizer`";
    writing_the_host_log:           "SELECT sqlite_log(1, 'x')" => "the function `sqlite_log`";
    a_quadratic_json_patch:         "SELECT json_patch('{}', '{}')" => "the function `json_patch`";
    writable_schema:                "PRAGMA writable_schema=ON" => "PRAGMA writable_schema";
    journal_mode:                   "PRAGMA journal_mode=DELETE" => "PRAGMA journal_mode";
    asking_the_journal_mode:        "PRAGMA main.journal_mode" => "PRAGMA journal_mode";
    a_checkpoint:                   "PRAGMA wal_checkpoint(TRUNCATE)" => "PRAGMA wal_checkpoint";
    mmap_size:                      "PRAGMA mmap_size=1000000000" => "PRAGMA mmap_size";
    the_heap_limit:                 "PRAGMA hard_heap_limit=1" => "PRAGMA hard_heap_limit";
    the_soft_heap_limit:            "PRAGMA soft_heap_limit=1" => "PRAGMA soft_heap_limit";
    the_temporary_directory:        "PRAGMA temp_store_directory='/'" => "PRAGMA temp_store_directory";
    the_data_directory:             "PRAGMA data_store_directory='/'" => "PRAGMA data_store_directory";
    the_temporary_store:            "PRAGMA temp_store=FILE" => "PRAGMA temp_store";
    raising_the_page_cap:           "PRAGMA max_page_count=1000000000" => "PRAGMA max_page_count";
    lowering_durability:            "PRAGMA synchronous=OFF" => "PRAGMA synchronous";
    the_host_path:                  "PRAGMA database_list" => "PRAGMA database_list";
    the_host_path_as_a_table:       "SELECT file FROM pragma_database_list" => "PRAGMA database_list";
    the_format_version:             "PRAGMA user_version=2" => "PRAGMA user_version";
    the_application_id:             "PRAGMA application_id=2" => "PRAGMA application_id";
    trusting_the_schema:            "PRAGMA trusted_schema=ON" => "PRAGMA trusted_schema";
    optimizing:                     "PRAGMA optimize" => "PRAGMA optimize";
    an_integrity_check:             "PRAGMA integrity_check" => "PRAGMA integrity_check";
    analyzing:                      "ANALYZE" => "ANALYZE";
    an_fts_table:                   "CREATE VIRTUAL TABLE f USING fts5(a)" => "a virtual table";
    an_rtree_table:                 "CREATE VIRTUAL TABLE r USING rtree(a, b, c)" => "a virtual table";
    reading_pages:                  "SELECT * FROM dbstat" => "reading `dbstat`";
    counting_pages:                 "SELECT count(*) FROM dbstat" => "reading `dbstat`";
    a_trigger:                      "CREATE TRIGGER t AFTER INSERT ON vfs BEGIN DELETE FROM vfs; END" => "a trigger";
    a_trigger_on_its_own_table:     "CREATE TRIGGER t AFTER INSERT ON mine BEGIN SELECT 1; END" => "a trigger";
    a_temporary_table:              "CREATE TEMP TABLE vfs(a)" => "a temporary table, index or view";
    a_temporary_view:               "CREATE TEMP VIEW vfs AS SELECT 1" => "a temporary table, index or view";
    a_temporary_trigger:            "CREATE TEMP TRIGGER t AFTER INSERT ON vfs BEGIN SELECT 1; END" => "a trigger";
    an_index_on_the_files:          "CREATE UNIQUE INDEX i ON vfs(volume)" => "an index on `vfs`";
    dropping_the_files:             "DROP TABLE vfs" => "dropping from `vfs`";
    dropping_the_files_shouting:    "DROP TABLE \"VFS\"" => "dropping from `vfs`";
    altering_the_files:             "ALTER TABLE vfs RENAME TO gone" => "ALTER TABLE";
    adding_to_the_files:            "ALTER TABLE vfs ADD COLUMN x" => "ALTER TABLE";
    beginning:                      "BEGIN" => "BEGIN, COMMIT or ROLLBACK";
    beginning_at_once:              "BEGIN EXCLUSIVE" => "BEGIN, COMMIT or ROLLBACK";
    committing:                     "COMMIT" => "BEGIN, COMMIT or ROLLBACK";
    a_savepoint:                    "SAVEPOINT s" => "SAVEPOINT";
    releasing_a_savepoint:          "RELEASE s" => "SAVEPOINT";
    litestreams_tables:             "CREATE TABLE _litestream_seq(id)" => "creating `_litestream_seq`";
    a_hundred_and_one_calls:        &format!("SELECT {}", ["abs(1)"; 101].join(",")) => "calling more than 100 functions in one statement";
}

/// Refused by SQLite itself, by a limit or by a rule of the disk.
#[test]
fn other_statements_are_refused_with_a_code() {
    let scratch = Scratch::new();
    let deep = format!("SELECT {}1{}", "(1+".repeat(200), ")".repeat(200));
    let many_terms = vec!["SELECT 1"; 51].join(" UNION ALL ");
    let many_columns = format!("SELECT {}1", "1,".repeat(256));
    let long = format!("SELECT 1 -- {}", "x".repeat(1024 * 1024));
    let long_program = format!("VALUES {}(1)", "(1),".repeat(30_000));
    for (sql, code) in [
        ("SELECT 1; SELECT 2", "many_statements"),
        ("SELECT 1; ATTACH 'x' AS y", "denied"),
        ("INSERT INTO sqlite_schema VALUES ('table','x','x',0,'')", "sql"),
        ("UPDATE sqlite_schema SET sql = ''", "sql"),
        ("SELECT readfile('/etc/passwd')", "sql"),
        ("SELECT writefile('x', 'y')", "sql"),
        ("SELECT edit('x')", "sql"),
        ("SELECT * FROM sqlite_dbpage", "sql"),
        ("SELECT ?", "sql"),
        ("SELECT ?1", "sql"),
        ("SELECT :name", "sql"),
        ("SELEC", "sql"),
        ("", "sql"),
        ("-- nothing", "sql"),
        ("SELECT * FROM nowhere", "sql"),
        ("INSERT INTO vfs VALUES ('workspace', 'a', x'', NULL)", "sql"),
        (&deep, "sql"),
        (&many_terms, "sql"),
        (&many_columns, "sql"),
        (&long, "value_too_large"),
        (&long_program, "memory"),
    ] {
        assert_eq!(scratch.refusal(sql), code, "{}", &sql[..sql.len().min(60)]);
    }
}

#[test]
fn every_module_of_sqlite_is_out_of_reach() {
    let scratch = Scratch::new();
    let raw = scratch.raw();
    let mut modules = raw
        .prepare("SELECT name FROM pragma_module_list WHERE name NOT LIKE 'pragma%'")
        .unwrap();
    let names: Vec<String> = modules
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(names.contains(&"dbstat".to_owned()), "{names:?}");
    for name in names {
        // Some are tables that the fence hides; the others cannot be read before they are created.
        let code = scratch.refusal(&format!("SELECT * FROM {name}"));
        assert!(["denied", "sql"].contains(&code), "{name}: {code}");
        let code = scratch.refusal(&format!("CREATE VIRTUAL TABLE t USING {name}"));
        assert_eq!(code, "denied", "{name}");
    }
}

/// What a guest is meant to do works.
#[test]
fn ordinary_statements_run() {
    let scratch = Scratch::new();
    for (sql, answer) in [
        ("INSERT INTO vfs VALUES ('workspace', 'a', 'text', 7)", "[]"),
        ("SELECT path, content, mtime FROM vfs", r#"[["a","text",7]]"#),
        (
            "UPDATE vfs SET content = x'00' WHERE path = 'a' RETURNING mtime",
            "[[7]]",
        ),
        ("DELETE FROM vfs RETURNING path", r#"[["a"]]"#),
        (
            "CREATE TABLE mine(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE CHECK(name LIKE '%a%'))",
            "[]",
        ),
        ("CREATE INDEX by_name ON mine(upper(name))", "[]"),
        ("CREATE VIEW names AS SELECT name FROM mine", "[]"),
        (
            "INSERT INTO mine(name) VALUES ('Ada'), ('Grace') ON CONFLICT DO NOTHING",
            "[]",
        ),
        ("SELECT * FROM names ORDER BY name DESC", r#"[["Grace"],["Ada"]]"#),
        ("SELECT name FROM pragma_table_info('mine')", r#"[["id"],["name"]]"#),
        ("SELECT value FROM json_each('[1,2]')", "[[1],[2]]"),
        (
            "SELECT json_extract('{\"a\":[5]}', '$.a[0]'), '{\"b\":6}' ->> 'b'",
            "[[5,6]]",
        ),
        (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n",
            "[[1],[2],[3]]",
        ),
        (
            "SELECT count(*) OVER (), group_concat(name) OVER (ORDER BY id) FROM mine",
            r#"[[2,"Ada"],[2,"Ada,Grace"]]"#,
        ),
        ("PRAGMA user_version", "[[1]]"),
        ("DROP VIEW names", "[]"),
        ("DROP INDEX by_name", "[]"),
        ("REINDEX", "[]"),
        ("DROP TABLE mine", "[]"),
        (
            "SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite%'",
            "[[1]]",
        ),
    ] {
        assert_eq!(scratch.sql(sql).as_deref(), Ok(answer), "{sql}");
    }
    assert!(
        scratch
            .sql("EXPLAIN QUERY PLAN SELECT * FROM vfs")
            .unwrap()
            .contains("SCAN vfs")
    );
    assert!(scratch.sql("EXPLAIN DELETE FROM vfs").is_ok());
}

#[test]
fn a_failed_statement_leaves_nothing_behind() {
    let scratch = Scratch::new();
    scratch.sql("CREATE TABLE mine(a UNIQUE)").unwrap();
    let sql = "INSERT INTO mine SELECT value FROM json_each('[1,2,1]')";
    assert_eq!(scratch.refusal(sql), "sql");
    assert_eq!(scratch.sql("SELECT count(*) FROM mine").unwrap(), "[[0]]");
}

#[test]
fn an_answer_that_does_not_fit_undoes_the_write() {
    let scratch = Scratch::new();
    scratch.sql("CREATE TABLE mine(a)").unwrap();
    let count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)";
    let sql = format!("{count} INSERT INTO mine SELECT i FROM n RETURNING a");
    assert_eq!(scratch.refusal(&sql), "too_many_rows");
    assert_eq!(scratch.sql("SELECT count(*) FROM mine").unwrap(), "[[0]]");
}

#[test]
fn a_deferred_constraint_that_fails_at_commit_undoes_the_write() {
    let scratch = Scratch::new();
    scratch.sql("CREATE TABLE parent(a PRIMARY KEY)").unwrap();
    scratch
        .sql("CREATE TABLE child(a REFERENCES parent DEFERRABLE INITIALLY DEFERRED)")
        .unwrap();
    assert_eq!(scratch.refusal("INSERT INTO child VALUES (1)"), "sql");
    assert_eq!(scratch.sql("SELECT count(*) FROM child").unwrap(), "[[0]]");
    scratch.write(Volume::Workspace, "still", b"works", 1).unwrap();
}

#[test]
fn a_guests_foreign_key_does_not_veto_the_host() {
    let scratch = Scratch::new();
    scratch.write(Volume::Workspace, "a", b"1", 1).unwrap();
    scratch
        .sql("CREATE TABLE mine(v, p, FOREIGN KEY(v, p) REFERENCES vfs(volume, path))")
        .unwrap();
    scratch.sql("INSERT INTO mine VALUES ('workspace', 'a')").unwrap();
    assert_eq!(scratch.refusal("DELETE FROM vfs"), "sql");
    assert_eq!(scratch.delete(Volume::Workspace, "a"), Ok(true));
}

#[test]
fn the_schema_cannot_be_bloated() {
    let scratch = Scratch::new();
    let wide = |name: &str| format!("CREATE TABLE {name}(a /* {} */)", "x".repeat(600 * 1024));
    scratch.sql(&wide("one")).unwrap();
    assert_eq!(scratch.refusal(&wide("two")), "schema_too_large");
    assert_eq!(scratch.refusal("SELECT * FROM two"), "sql");
}

#[test]
fn no_error_names_the_host_path() {
    let scratch = Scratch::new();
    let host = scratch.dir.path().to_str().unwrap().to_owned();
    for sql in [
        "ATTACH 'x' AS y",
        "SELECT * FROM nowhere",
        "VACUUM INTO 'x'",
        "PRAGMA database_list",
        "SELEC",
    ] {
        let error = scratch.sql(sql).unwrap_err();
        assert!(
            !format!("{error} {error:?} {}", error.hint()).contains(&host),
            "{error:?}"
        );
    }
}
