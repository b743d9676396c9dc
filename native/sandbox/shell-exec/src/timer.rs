//! Time that passes while a script waits. A run belongs to no runtime, so a thread keeps the time.

use parking_lot::Mutex;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

#[derive(Default)]
struct State {
    over: bool,
    waiting: Option<Waker>,
}

/// Runs a future for that long, or to its end.
pub(crate) async fn within<T>(time: Duration, work: impl Future<Output = T>) -> Option<T> {
    let state = Arc::new(Mutex::new(State::default()));
    let shared = state.clone();
    let started = std::thread::Builder::new().spawn(move || {
        std::thread::park_timeout(time);
        let waker = {
            let mut state = shared.lock();
            state.over = true;
            state.waiting.take()
        };
        waker.into_iter().for_each(Waker::wake);
    });
    let Ok(timer) = started else { return None };
    let mut work = std::pin::pin!(work);
    let done = std::future::poll_fn(|cx| {
        if let Poll::Ready(done) = work.as_mut().poll(cx) {
            return Poll::Ready(Some(done));
        }
        let mut state = state.lock();
        if state.over {
            return Poll::Ready(None);
        }
        state.waiting = Some(cx.waker().clone());
        Poll::Pending
    })
    .await;
    // The thread has nothing left to do.
    timer.thread().unpark();
    done
}
