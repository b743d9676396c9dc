//! A guest's SQL: one statement in, JSON out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use parking_lot::MutexGuard;

use crate::connection::Access;
use crate::disk::Writer;
use crate::guest::Guest;
use crate::{Disk, Error, Stop};

/// The most rows that an answer has.
pub const MAX_ROWS: usize = 10_000;
/// The longest answer, in bytes.
pub const MAX_OUTPUT: usize = 8 * 1024 * 1024;

impl Disk {
    /// Runs one statement of a guest's SQL, and answers with a JSON array of row arrays.
    ///
    /// A statement is its own transaction: it does all of its work and answers in full, or it does nothing. A BLOB is
    /// `{"base64": ".."}`, and so is TEXT that is not UTF-8. Statements that only read do not wait for anybody.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use vfs::{Disk, Options, Stop};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let disk = Disk::open(dir.path().join("d"), Options::default()).unwrap();
    /// let stop = Stop::after(Duration::from_secs(5));
    /// assert_eq!(disk.query("SELECT 1, 'two', x'03', NULL", &stop)?, r#"[[1,"two",{"base64":"Aw=="},null]]"#);
    /// assert_eq!(disk.query("CREATE TABLE mine(a)", &stop)?, "[]");
    /// assert_eq!(disk.query("ATTACH 'x' AS y", &stop).unwrap_err().to_string(), "ATTACH is not allowed here");
    /// # Ok::<(), vfs::Error>(())
    /// ```
    pub fn query(&self, sql: &str, stop: &Stop) -> Result<String, Error> {
        // rusqlite panics when memory runs out while it fetches a value; the connection is then dropped.
        catch_unwind(AssertUnwindSafe(|| self.run(sql, stop))).unwrap_or(Err(Error::Memory))
    }

    fn run(&self, sql: &str, stop: &Stop) -> Result<String, Error> {
        let read = self
            .guests
            .with(|| Guest::open(self.path(), Access::Read), |guest| guest.read(sql, stop))?;
        if let Some(json) = read {
            return Ok(json);
        }
        let mut writer = self.lock_until(stop)?;
        let guest = match writer.guest.take() {
            Some(guest) => guest,
            None => Guest::open(self.path(), Access::Write(self.max_pages()))?,
        };
        let result = guest.write(sql, stop);
        writer.guest = Some(guest);
        result
    }

    fn lock_until(&self, stop: &Stop) -> Result<MutexGuard<'_, Writer>, Error> {
        loop {
            // Short waits, so that a cancelled query does not stay in the queue.
            if let Some(writer) = self.writer.try_lock_for(Duration::from_millis(5)) {
                return Ok(writer);
            }
            if let Some(reason) = stop.reached() {
                return Err(reason);
            }
        }
    }
}
