//! One run per plan at a time, in this process and in all others.

use crate::Error;
use durable::lock::{self, Refused};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// Held until it is dropped. The system frees the lock of a process that died.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "it is held, not asked")] lock::Lock);

#[derive(Serialize, Deserialize)]
struct Holder {
    run_id: String,
    pid: u32,
}

impl Lock {
    pub fn take(path: &Path, run_id: &str) -> Result<Lock, Error> {
        let holder = Holder {
            run_id: run_id.to_owned(),
            pid: std::process::id(),
        };
        let note = serde_json::to_vec(&holder).unwrap_or_default();
        match lock::Lock::take(path, &note) {
            Ok(lock) => Ok(Lock(lock)),
            Err(Refused::Held(note)) => Err(Error::AlreadyRunning {
                run_id: holder_of(path, note),
            }),
            Err(Refused::Io(cause)) => Err(Error::io("lock the plan with", path)(cause)),
        }
    }
}

/// The run that holds a plan at this moment, if one does.
pub(crate) fn holder(path: &Path) -> Option<String> {
    let note = lock::Lock::holder(path).ok()??;
    Some(holder_of(path, note))
}

/// Who holds the lock. A holder that has only just taken it may not have written its name yet.
fn holder_of(path: &Path, mut note: Vec<u8>) -> String {
    for _ in 0..20 {
        if let Ok(holder) = serde_json::from_slice::<Holder>(&note) {
            return holder.run_id;
        }
        thread::sleep(Duration::from_millis(5));
        note = fs::read(path).unwrap_or_default();
    }
    "unknown".to_owned()
}
