//! When a query must end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::Error;

/// A deadline, and a flag that ends a query before it.
///
/// ```
/// use std::sync::atomic::Ordering;
/// use std::time::Duration;
/// use vfs::Stop;
///
/// let stop = Stop::after(Duration::from_secs(5));
/// stop.cancel.store(true, Ordering::Relaxed); // from any thread
/// ```
#[derive(Debug, Clone)]
pub struct Stop {
    /// When the time is up.
    pub deadline: Instant,
    /// Set it, and the query ends.
    pub cancel: Arc<AtomicBool>,
}

impl Stop {
    /// A stop that comes after `time`, with a flag of its own.
    pub fn after(time: Duration) -> Self {
        const FAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
        Stop {
            deadline: Instant::now() + time.min(FAR),
            cancel: Arc::default(),
        }
    }

    /// Why the query must end now, when it must.
    pub(crate) fn reached(&self) -> Option<Error> {
        if self.cancel.load(Ordering::Relaxed) {
            Some(Error::Cancelled)
        } else if Instant::now() >= self.deadline {
            Some(Error::Timeout)
        } else {
            None
        }
    }

    pub(crate) fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}
