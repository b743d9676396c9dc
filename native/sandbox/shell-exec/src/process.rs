//! What stands in for processes: numbers that `$$`, `$!`, `kill` and `wait` know.

use crate::signal::Signal;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// The processes of a run that a script can name.
#[derive(Default)]
pub(crate) struct Processes(Mutex<HashMap<u32, Arc<Process>>>);

impl Processes {
    pub fn start(&self, pid: u32) -> Arc<Process> {
        let process = Arc::new(Process {
            pid,
            state: Mutex::default(),
        });
        self.0.lock().insert(pid, process.clone());
        process
    }

    pub fn forget(&self, pid: u32) {
        self.0.lock().remove(&pid);
    }

    pub fn get(&self, pid: u32) -> Option<Arc<Process>> {
        self.0.lock().get(&pid).cloned()
    }
}

pub(crate) struct Process {
    pub pid: u32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    ended: Option<u8>,
    /// A signal that ends it, not yet noticed.
    killed: Option<Signal>,
    /// Signals for its traps, in the order they came.
    pending: Vec<Signal>,
    trapped: Vec<Signal>,
    ignored: Vec<Signal>,
    waiting: Vec<Waker>,
}

impl Process {
    /// How it ended, if it has.
    pub fn ended(&self) -> Option<u8> {
        self.state.lock().ended
    }

    pub fn end(&self, status: u8) {
        let mut state = self.state.lock();
        state.ended.get_or_insert(status);
        wake(&mut state);
    }

    /// What it does about signals from now on.
    pub fn handles(&self, trapped: Vec<Signal>, ignored: Vec<Signal>) {
        let mut state = self.state.lock();
        state.trapped = trapped;
        state.ignored = ignored;
    }

    pub fn signal(&self, signal: Signal) {
        let mut state = self.state.lock();
        let caught = signal.can_be_caught();
        if caught && state.trapped.contains(&signal) {
            // One that already waits for its trap is the same one.
            if !state.pending.contains(&signal) {
                state.pending.push(signal);
            }
        } else if !caught || !(state.ignored.contains(&signal) || signal.is_harmless()) {
            state.killed.get_or_insert(signal);
        }
        wake(&mut state);
    }

    /// A signal has ended it, though its work may not know yet.
    pub fn is_killed(&self) -> bool {
        self.state.lock().killed.is_some()
    }

    /// The next signal that a trap waits for.
    pub fn take_pending(&self) -> Option<Signal> {
        let mut state = self.state.lock();
        match state.pending.is_empty() {
            true => None,
            false => Some(state.pending.remove(0)),
        }
    }

    /// Ready when it has ended.
    pub fn poll_ended(&self, cx: &mut Context<'_>) -> Poll<u8> {
        self.poll(cx, |state| state.ended)
    }

    /// Ready when a signal waits for its trap.
    pub fn poll_pending(&self, cx: &mut Context<'_>) -> Poll<Signal> {
        self.poll(cx, |state| state.pending.first().copied())
    }

    fn poll<T>(&self, cx: &mut Context<'_>, ready: impl FnOnce(&State) -> Option<T>) -> Poll<T> {
        let mut state = self.state.lock();
        match ready(&state) {
            Some(value) => Poll::Ready(value),
            None => {
                if !state.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
                    state.waiting.push(cx.waker().clone());
                }
                Poll::Pending
            }
        }
    }

    /// Runs the process's work until it is done, or a signal ends it.
    pub async fn live<T>(&self, work: impl Future<Output = T>, killed: impl FnOnce(u8) -> T) -> T {
        let mut work = std::pin::pin!(work);
        let result = std::future::poll_fn(|cx| {
            // Before and after: the work may be what sends the signal.
            if let Poll::Ready(signal) = self.poll(cx, |state| state.killed) {
                return Poll::Ready(Err(signal));
            }
            if let Poll::Ready(done) = Pin::new(&mut work).poll(cx) {
                return Poll::Ready(Ok(done));
            }
            self.poll(cx, |state| state.killed).map(Err)
        })
        .await;
        result.unwrap_or_else(|signal| killed(signal.status()))
    }
}

fn wake(state: &mut State) {
    std::mem::take(&mut state.waiting).into_iter().for_each(Waker::wake);
}
