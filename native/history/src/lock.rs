//! One run per plan at a time, in this process and in all others.

use crate::Error;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// Held until it is dropped. The system frees the lock of a process that died.
#[derive(Debug)]
pub(crate) struct Lock(File);

#[derive(Serialize, Deserialize)]
struct Holder {
    run_id: String,
    pid: u32,
}

impl Lock {
    pub fn take(path: &Path, run_id: &str) -> Result<Lock, Error> {
        let failed = Error::io("lock the plan with", path);
        let mut file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(&failed)?;
        match file.try_lock() {
            Ok(()) => {
                // Who it is matters only to whoever is refused, so a full disk does not keep a run from starting.
                let _ = sign(&mut file, run_id);
                Ok(Lock(file))
            }
            Err(TryLockError::WouldBlock) => Err(Error::AlreadyRunning { run_id: holder(path) }),
            Err(TryLockError::Error(e)) => Err(failed(e)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.0.set_len(0);
        let _ = self.0.unlock();
    }
}

fn sign(file: &mut File, run_id: &str) -> io::Result<()> {
    let holder = Holder {
        run_id: run_id.to_owned(),
        pid: std::process::id(),
    };
    file.set_len(0)?;
    file.write_all(&serde_json::to_vec(&holder)?)
}

/// Who holds the lock. A holder that has only just taken it may not have written its name yet.
fn holder(path: &Path) -> String {
    for _ in 0..20 {
        let holder = fs::read(path)
            .ok()
            .and_then(|text| serde_json::from_slice::<Holder>(&text).ok());
        if let Some(holder) = holder {
            return holder.run_id;
        }
        thread::sleep(Duration::from_millis(5));
    }
    "unknown".to_owned()
}
