//! Pipes in memory. A full one makes its writer wait, so a pipeline of any length needs no more than its buffers.

use crate::{Kind, Stream, through};
use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Bytes that a pipe holds before its writer has to wait.
pub const CAPACITY: usize = 64 << 10;

/// A pipe: the end to read from, and the end to write to. When the last clone of one is dropped, the other hears of it:
/// the reader finds the end, the writer a broken pipe.
pub fn pipe() -> (Stream, Stream) {
    let shared = Arc::new(Mutex::new(Pipe::default()));
    (
        Stream(Kind::Reader(Arc::new(ReadEnd(shared.clone())))),
        Stream(Kind::Writer(Arc::new(WriteEnd(shared)))),
    )
}

#[derive(Default)]
struct Pipe {
    bytes: VecDeque<u8>,
    reader_gone: bool,
    writer_gone: bool,
    /// Those who wait: readers for bytes, writers for room. A pipe is never empty and full at once, so one list will do.
    waiting: Vec<Waker>,
}

pub(crate) struct ReadEnd(Arc<Mutex<Pipe>>);
pub(crate) struct WriteEnd(Arc<Mutex<Pipe>>);

impl ReadEnd {
    pub fn poll_read(&self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<usize> {
        self.poll_take(cx, |pipe| {
            let n = pipe.bytes.len().min(into.len());
            let (front, back) = pipe.bytes.as_slices();
            let from_front = n.min(front.len());
            into[..from_front].copy_from_slice(&front[..from_front]);
            into[from_front..n].copy_from_slice(&back[..n - from_front]);
            pipe.bytes.drain(..n);
            n
        })
    }

    pub fn poll_until(&self, cx: &mut Context<'_>, delimiter: u8, room: usize) -> Poll<Vec<u8>> {
        self.poll_take(cx, |pipe| {
            let (front, back) = pipe.bytes.as_slices();
            let found = through(front, delimiter).or_else(|| through(back, delimiter).map(|n| front.len() + n));
            let n = found.unwrap_or(pipe.bytes.len()).min(room);
            pipe.bytes.drain(..n).collect()
        })
    }

    fn poll_take<R>(&self, cx: &mut Context<'_>, take: impl FnOnce(&mut Pipe) -> R) -> Poll<R> {
        let mut pipe = self.0.lock();
        if pipe.bytes.is_empty() && !pipe.writer_gone {
            pipe.wait(cx);
            return Poll::Pending;
        }
        let taken = take(&mut pipe);
        wake(pipe);
        Poll::Ready(taken)
    }
}

impl WriteEnd {
    pub fn poll_write(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut pipe = self.0.lock();
        if pipe.reader_gone {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let room = CAPACITY - pipe.bytes.len();
        if room == 0 && !bytes.is_empty() {
            pipe.wait(cx);
            return Poll::Pending;
        }
        let n = bytes.len().min(room);
        pipe.bytes.extend(&bytes[..n]);
        wake(pipe);
        Poll::Ready(Ok(n))
    }
}

impl Pipe {
    fn wait(&mut self, cx: &Context<'_>) {
        if !self.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            self.waiting.push(cx.waker().clone());
        }
    }
}

/// Wakes those who wait, once the pipe is unlocked: they may run at once.
fn wake(mut pipe: MutexGuard<'_, Pipe>) {
    let waiting = std::mem::take(&mut pipe.waiting);
    drop(pipe);
    waiting.into_iter().for_each(Waker::wake);
}

impl Drop for ReadEnd {
    fn drop(&mut self) {
        let mut pipe = self.0.lock();
        pipe.reader_gone = true;
        pipe.bytes = VecDeque::new();
        wake(pipe);
    }
}

impl Drop for WriteEnd {
    fn drop(&mut self) {
        let mut pipe = self.0.lock();
        pipe.writer_gone = true;
        wake(pipe);
    }
}
