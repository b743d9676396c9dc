//! A switch that stops a guest from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// A switch that can be thrown once. Clones are the same switch.
///
/// ```
/// let cancel = host::Cancel::default();
/// let elsewhere = cancel.clone();
/// elsewhere.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Switch>);

#[derive(Debug, Default)]
struct Switch {
    thrown: Arc<AtomicBool>,
    tell: Notify,
}

impl Cancel {
    /// Asks the guest to stop. It does so at once when it waits, else at the next tick of the epoch clock.
    pub fn cancel(&self) {
        self.0.thrown.store(true, Ordering::SeqCst);
        self.0.tell.notify_waiters();
    }

    /// Whether [`Cancel::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.thrown.load(Ordering::SeqCst)
    }

    /// The switch as a plain flag, for those who look at it now and then.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.thrown.clone()
    }

    /// Waits until [`Cancel::cancel`] is called.
    pub async fn cancelled(&self) {
        // Listen first and look then: what is told in between is not missed.
        let mut told = std::pin::pin!(self.0.tell.notified());
        told.as_mut().enable();
        if !self.is_cancelled() {
            told.await;
        }
    }
}
