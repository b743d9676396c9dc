//! How much may be written, shared by everything that writes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Bytes that may still be written to files.
#[derive(Debug)]
pub struct Budget {
    left: AtomicU64,
    exceeded: AtomicBool,
}

impl Budget {
    /// That many.
    ///
    /// ```
    /// let budget = pipe::Budget::new(10);
    /// assert!(budget.take(10) && !budget.exceeded());
    /// assert!(!budget.take(1) && budget.exceeded());
    /// ```
    pub fn new(bytes: u64) -> Budget {
        Budget {
            left: AtomicU64::new(bytes),
            exceeded: AtomicBool::new(false),
        }
    }

    /// Takes some of them, if there are so many.
    pub fn take(&self, bytes: usize) -> bool {
        let taken = self
            .left
            .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(bytes as u64));
        if taken.is_err() {
            self.exceeded.store(true, Relaxed);
        }
        taken.is_ok()
    }

    /// Whether more was asked for than there was.
    pub fn exceeded(&self) -> bool {
        self.exceeded.load(Relaxed)
    }
}
