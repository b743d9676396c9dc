//! The memory limit, in a process of its own: SQLite has one limit for all of them.

mod scratch;

use scratch::Scratch;
use vfs::Volume;

#[test]
fn a_query_that_gathers_too_much_ends_and_the_disk_works_on() {
    let scratch = Scratch::new();
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 1000)";
    let side_by_side = ["zeroblob(8400000) || ''"; 64].join(", ");
    for sql in [
        format!("{rows} SELECT length(b) FROM (SELECT zeroblob(2000000) || i AS b FROM n ORDER BY b)"),
        format!("{rows}, m AS MATERIALIZED (SELECT zeroblob(2000000) || i AS b FROM n) SELECT count(*) FROM m a, m b"),
        format!("SELECT length(max({side_by_side}))"),
    ] {
        assert_eq!(scratch.refusal(&sql), "memory", "{sql}");
        scratch.write(Volume::Workspace, "after", b"works", 1).unwrap();
        assert_eq!(scratch.sql("SELECT 1").unwrap(), "[[1]]");
    }
}
