//! From serving to draining to the end.

use std::sync::Arc;
use tokio::sync::watch;

/// Where a server is on its way to the end. Clones are the same switch.
#[derive(Clone)]
pub struct Stop {
    phase: Arc<watch::Sender<Phase>>,
    /// Conversations that are open: connections that hyper has given away.
    open: Arc<watch::Sender<usize>>,
}

/// An open conversation, until it is dropped.
pub(crate) struct Open(Arc<watch::Sender<usize>>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.send_modify(|open| *open -= 1);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Serving,
    Draining,
    Over,
}

impl Default for Stop {
    fn default() -> Self {
        Stop {
            phase: Arc::new(watch::Sender::new(Phase::Serving)),
            open: Arc::default(),
        }
    }
}

impl Stop {
    /// Nothing new is taken. What is under way goes on; those who only listen are told goodbye.
    pub fn drain(&self) {
        self.phase.send_if_modified(|phase| {
            let before = *phase;
            *phase = before.max(Phase::Draining);
            *phase != before
        });
    }

    /// Everybody is told goodbye.
    pub fn end(&self) {
        self.phase.send_replace(Phase::Over);
    }

    /// Whether nothing new is taken.
    pub fn is_draining(&self) -> bool {
        *self.phase.borrow() >= Phase::Draining
    }

    /// Waits until [`Stop::drain`].
    pub async fn draining(&self) {
        self.reached(Phase::Draining).await;
    }

    /// Waits until [`Stop::end`].
    pub async fn over(&self) {
        self.reached(Phase::Over).await;
    }

    /// Counts a conversation.
    pub(crate) fn converse(&self) -> Open {
        self.open.send_modify(|open| *open += 1);
        Open(self.open.clone())
    }

    /// Waits until no conversation is open.
    pub(crate) async fn all_gone(&self) {
        let _ = self.open.subscribe().wait_for(|open| *open == 0).await;
    }

    async fn reached(&self, phase: Phase) {
        // The sender is this value's own, so it cannot be gone.
        let _ = self.phase.subscribe().wait_for(|now| *now >= phase).await;
    }
}
