//! Background jobs: futures polled along with the script, and dropped with it.

use crate::Error;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, Stream as _};
use parking_lot::Mutex;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

#[derive(Default)]
pub(crate) struct Tasks(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    new: Vec<BoxFuture<'static, ()>>,
    /// What ended the run, if a job did.
    fatal: Option<Error>,
    waker: Option<Waker>,
}

impl Tasks {
    pub fn spawn(&self, task: BoxFuture<'static, ()>) {
        let waker = {
            let mut waiting = self.0.lock();
            waiting.new.push(task);
            waiting.waker.take()
        };
        wake(waker);
    }

    /// Ends the run.
    pub fn fail(&self, error: Error) {
        let waker = {
            let mut waiting = self.0.lock();
            waiting.fatal.get_or_insert(error);
            waiting.waker.take()
        };
        wake(waker);
    }

    /// Runs `main` to its end, and meanwhile everything that is spawned.
    pub async fn drive<T>(&self, main: impl Future<Output = T>) -> Result<T, Error> {
        let mut main = std::pin::pin!(main);
        let mut running = FuturesUnordered::new();
        std::future::poll_fn(|cx| self.poll(cx, main.as_mut(), &mut running)).await
    }

    fn poll<T>(
        &self,
        cx: &mut Context<'_>,
        main: Pin<&mut impl Future<Output = T>>,
        running: &mut FuturesUnordered<BoxFuture<'static, ()>>,
    ) -> Poll<Result<T, Error>> {
        let result = main.poll(cx);
        loop {
            while let Poll::Ready(Some(())) = Pin::new(&mut *running).poll_next(cx) {}
            let mut waiting = self.0.lock();
            if let Some(error) = waiting.fatal.take() {
                return Poll::Ready(Err(error));
            }
            if waiting.new.is_empty() {
                waiting.waker = Some(cx.waker().clone());
                return result.map(Ok);
            }
            running.extend(waiting.new.drain(..));
        }
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}
