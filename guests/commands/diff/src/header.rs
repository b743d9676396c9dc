//! The two lines that name the files of a unified or context diff.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Name, tab, time of change in UTC.
pub fn label(path: &Path, changed: SystemTime) -> String {
    format!("{}\t{}", path.display(), utc(changed))
}

fn utc(time: SystemTime) -> String {
    let (seconds, nanoseconds) = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => (since.as_secs() as i64, since.subsec_nanos()),
        Err(before) => (-(before.duration().as_secs() as i64), 0),
    };
    format!("{}.{nanoseconds:09} +0000", civil::Time::from_unix(seconds))
}
