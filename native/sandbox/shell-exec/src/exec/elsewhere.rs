//! Going on beside the script: a deep part of a walk becomes a task of its own, with a stack that begins anew.

use crate::ast::List;
use crate::shell::{Exec, Shell};
use parking_lot::Mutex;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

impl Shell {
    /// Runs a list as a task, and waits for it.
    pub(super) async fn elsewhere(&mut self, list: &List) -> Exec {
        // What is left behind keeps no pipe open.
        let mut left = self.clone();
        left.descriptors.clear();
        let mut moved = std::mem::replace(self, left);
        moved.stack = 0;
        let handover = moved.hand_over(list.clone());
        let (back, flow) = poll_fn(|cx| handover.0.poll_result(cx)).await;
        let stack = self.stack;
        *self = back;
        self.stack = stack;
        flow
    }

    fn hand_over(mut self, list: List) -> Waiting {
        let handover = Arc::new(Handover::default());
        let (world, task) = (self.world.clone(), handover.clone());
        world.tasks.spawn(Box::pin(async move {
            let work = async {
                let flow = self.list(&list).await;
                (self, flow)
            };
            let mut work = pin!(work);
            let done = poll_fn(|cx| match task.poll_abandoned(cx) {
                Poll::Ready(()) => Poll::Ready(None),
                Poll::Pending => work.as_mut().poll(cx).map(Some),
            });
            if let Some(result) = done.await {
                task.give(result);
            }
        }));
        Waiting(handover)
    }
}

/// Where a task leaves its result.
#[derive(Default)]
struct Handover(Mutex<State>);

#[derive(Default)]
struct State {
    result: Option<(Shell, Exec)>,
    /// Nobody waits any more.
    abandoned: bool,
    waiting: Option<Waker>,
    working: Option<Waker>,
}

/// The one who waits. When it goes, the task ends.
struct Waiting(Arc<Handover>);

impl Drop for Waiting {
    fn drop(&mut self) {
        let working = {
            let mut state = self.0.0.lock();
            state.abandoned = true;
            state.working.take()
        };
        working.into_iter().for_each(Waker::wake);
    }
}

impl Handover {
    fn give(&self, result: (Shell, Exec)) {
        let waiting = {
            let mut state = self.0.lock();
            state.result = Some(result);
            state.waiting.take()
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    fn poll_result(&self, cx: &mut Context<'_>) -> Poll<(Shell, Exec)> {
        let mut state = self.0.lock();
        match state.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                state.waiting = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    fn poll_abandoned(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.lock();
        match state.abandoned {
            true => Poll::Ready(()),
            false => {
                state.working = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}
