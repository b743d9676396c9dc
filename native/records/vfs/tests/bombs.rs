//! Statements that try to take all the time or all the room: each ends by its limit, and the disk works on.

mod scratch;

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use scratch::Scratch;
use vfs::{Stop, Volume};

const LIMIT: Duration = Duration::from_millis(300);

/// SQLite's memory cap holds for the whole process, so two bombs at once would stop each other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

fn assert_stopped(scratch: &Scratch, sql: &str, codes: &[&str]) {
    let _alone = alone();
    let error = scratch.disk.query(sql, &Stop::after(LIMIT)).expect_err(sql);
    assert!(codes.contains(&error.code()), "{}: {sql}", error.code());
    scratch.write(Volume::Workspace, "after", b"works", 1).unwrap();
}

macro_rules! bombs {
    ($($name:ident: $sql:expr => [$($code:expr),+];)*) => {$(
        #[test]
        fn $name() {
            assert_stopped(&Scratch::new(), &$sql.replace("MiB", "* 1024 * 1024"), &[$($code),+]);
        }
    )*};
}

bombs! {
    counting_forever:       "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n" => ["timeout"];
    joining_forever:        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 9999) SELECT count(*) FROM n a, n b, n c" => ["timeout"];
    inserting_forever:      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) INSERT INTO vfs SELECT 'tmp', i, x'', 0 FROM n" => ["timeout"];
    creating_forever:       "CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n" => ["timeout"];
    a_text_that_doubles:    "WITH RECURSIVE n(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM n) SELECT length(s) FROM n" => ["value_too_large", "timeout"];
    views_that_double:      (0..40).fold("WITH v0 AS (SELECT 1)".to_owned(), |sql, i| format!("{sql}, v{} AS (SELECT a.* FROM v{i} a, v{i} b)", i + 1)) + " SELECT count(*) FROM v40" => ["timeout", "sql", "memory"];
    a_gigabyte_of_zeros:    "SELECT zeroblob(1073741824)" => ["value_too_large"];
    a_terabyte_of_zeros:    "SELECT zeroblob(1099511627776)" => ["value_too_large"];
    a_gigabyte_of_noise:    "SELECT randomblob(1073741824)" => ["value_too_large"];
    a_gigabyte_of_padding:  "SELECT printf('%1000000000d', 1)" => ["value_too_large"];
    a_gigabyte_replaced:    "SELECT replace(printf('%.*c', 1 MiB, 'x'), 'x', printf('%.*c', 1024, 'y'))" => ["value_too_large"];
    a_gigabyte_of_hex:      "SELECT hex(hex(hex(zeroblob(2 MiB))))" => ["value_too_large"];
    a_gigabyte_gathered:    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 1024) SELECT group_concat(printf('%.*c', 1 MiB, 'x')) FROM n" => ["value_too_large", "timeout"];
    a_gigabyte_as_json:     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 1024) SELECT json_group_array(printf('%.*c', 1 MiB, 'x')) FROM n" => ["value_too_large", "timeout", "memory"];
    a_gigabyte_inserted:    "INSERT INTO vfs VALUES ('tmp', 'big', zeroblob(1073741824), 0)" => ["value_too_large"];
    a_like_that_backtracks: "SELECT printf('%.*c', 8 MiB, 'a') LIKE '%' || printf('%.*c', 40000, 'a') || 'b'" => ["timeout"];
    a_glob_that_backtracks: "SELECT printf('%.*c', 8 MiB, 'a') GLOB '*' || printf('%.*c', 40000, 'a') || '[b]'" => ["timeout"];
    an_endless_like:        "SELECT 'a' LIKE printf('%.*c', 8 MiB, '%')" => ["sql"];
}

/// Work that SQLite's own functions do in hours takes a moment.
#[test]
fn functions_that_are_quadratic_in_sqlite_are_not_here() {
    let _alone = alone();
    let scratch = Scratch::new();
    let (big, half) = ("printf('%.*c', 8000000, 'a')", "printf('%.*c', 4000000, 'a')");
    for (sql, answer) in [
        (format!("SELECT instr({big}, {half} || 'b')"), "[[0]]"),
        (
            format!("SELECT length(replace({big}, {half} || 'b', ''))"),
            "[[8000000]]",
        ),
        (
            format!(
                "SELECT length(trim({big}, replace(hex(zeroblob({})), '0', 'bc') || 'a'))",
                1_000_000
            ),
            "[[0]]",
        ),
    ] {
        assert_eq!(scratch.sql(&sql).as_deref(), Ok(answer), "{sql}");
    }
}

/// SQLite looks at the clock only where a program jumps back; the fence keeps the straight line short.
#[test]
fn a_straight_line_of_slow_calls_is_too_long_to_run() {
    let line = ["length(randomblob(8000000))"; 51].join(",");
    assert_stopped(&Scratch::new(), &format!("SELECT {line}"), &["denied"]);
}

#[test]
fn an_interrupted_write_is_rolled_back() {
    let scratch = Scratch::new();
    let sql =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) INSERT INTO vfs SELECT 'tmp', i, x'', 0 FROM n";
    assert_stopped(&scratch, sql, &["timeout"]);
    assert_eq!(scratch.list(Volume::Tmp).unwrap(), []);
    assert_eq!(
        scratch
            .raw()
            .query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))
            .unwrap(),
        "ok"
    );
}

#[test]
fn a_cancelled_query_ends() {
    let _alone = alone();
    let scratch = Scratch::new();
    let stop = Stop::after(Duration::from_secs(3_600));
    let cancel = stop.cancel.clone();
    thread::scope(|threads| {
        threads.spawn(|| {
            thread::sleep(Duration::from_millis(50));
            cancel.store(true, Ordering::Relaxed);
        });
        let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n";
        assert_eq!(scratch.disk.query(sql, &stop).unwrap_err().code(), "cancelled");
    });
}

#[test]
fn a_stop_that_has_come_stops_before_the_start() {
    let _alone = alone();
    let scratch = Scratch::new();
    assert_eq!(
        scratch
            .disk
            .query("SELECT 1", &Stop::after(Duration::ZERO))
            .unwrap_err()
            .code(),
        "timeout"
    );
}

#[test]
fn a_writing_query_does_not_wait_for_the_writer_past_its_deadline() {
    let _alone = alone();
    let scratch = Scratch::new();
    let forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) INSERT INTO vfs SELECT 'tmp', 'x' || i, x'', 0 FROM n";
    let long = Stop::after(Duration::from_secs(3_600));
    thread::scope(|threads| {
        threads.spawn(|| scratch.disk.query(forever, &long));
        thread::sleep(Duration::from_millis(100));
        let error = scratch.disk.query("DELETE FROM vfs", &Stop::after(LIMIT)).unwrap_err();
        assert_eq!(error.code(), "timeout");
        // Readers do not wait at all.
        assert_eq!(scratch.sql("SELECT count(*) FROM vfs").unwrap(), "[[0]]");
        assert_eq!(scratch.list(Volume::Tmp).unwrap(), []);
        long.cancel.store(true, Ordering::Relaxed);
    });
}
