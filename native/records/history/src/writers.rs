//! Is somebody still writing into a file that has lost its name?
//!
//! An editor that opened the plan before it was exchanged, and writes after, writes into the old file. A read lease tells:
//! Linux grants it only on a file that nobody has open for writing.

use std::fs::File;
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait for a writer to finish. Whoever keeps the file open for longer is not waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// Waits until nobody can write to the file any more.
pub(crate) fn wait_for_writers(file: &File) {
    let until = Instant::now() + PATIENCE;
    while has_writers(file) && Instant::now() < until {
        thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(target_os = "linux")]
fn has_writers(file: &File) -> bool {
    use std::os::fd::AsRawFd;
    // SAFETY: the descriptor is open for as long as `file` is borrowed, and these commands take and give integers.
    #[allow(unsafe_code)]
    let lease = |kind: libc::c_int| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, kind) };
    let held = lease(libc::F_RDLCK);
    if held == 0 {
        lease(libc::F_UNLCK);
        return false;
    }
    // A file system without leases, or a file of somebody else, has no answer.
    std::io::Error::last_os_error().kind() == std::io::ErrorKind::WouldBlock
}

#[cfg(not(target_os = "linux"))]
fn has_writers(_: &File) -> bool {
    false
}
