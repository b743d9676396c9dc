//! What a guest prints: counted, and handed to whoever listens.

use bytes::Bytes;
use parking_lot::Mutex;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamError, StreamResult};

/// Which of the two a guest wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs)]
pub enum Channel {
    Stdout,
    Stderr,
}

/// Hears what a guest prints, while it runs.
pub type Sink = Arc<dyn Fn(Channel, &[u8]) + Send + Sync>;

/// Bytes offered for one write; what a guest cannot write at once it writes in turns.
const WINDOW: usize = 64 << 10;

/// What is kept of a guest's last words.
const MAX_SAID: usize = 4 << 10;

/// One of a guest's two outputs. Both draw on one budget.
#[derive(Clone)]
pub(super) struct Output {
    channel: Channel,
    left: Arc<Mutex<usize>>,
    sink: Option<Sink>,
    said: Said,
}

/// What was written last.
#[derive(Clone, Default)]
pub(super) struct Said(Arc<Mutex<Vec<u8>>>);

impl Said {
    pub fn last(&self) -> Option<String> {
        let said = self.0.lock();
        let text = String::from_utf8_lossy(said.trim_ascii_end());
        (!text.is_empty()).then(|| text.into_owned())
    }
}

impl Output {
    /// Both outputs of a guest that may print `limit` bytes.
    pub fn pair(limit: usize, sink: Option<Sink>) -> (Output, Output) {
        let left = Arc::new(Mutex::new(limit));
        let output = |channel| Output {
            channel,
            left: left.clone(),
            sink: sink.clone(),
            said: Said::default(),
        };
        (output(Channel::Stdout), output(Channel::Stderr))
    }

    /// What a guest writes last, which the guest's end makes worth reading.
    pub fn said(&self) -> Said {
        self.said.clone()
    }

    fn take(&self, bytes: &[u8]) -> Result<(), &'static str> {
        let mut left = self.left.lock();
        *left = left
            .checked_sub(bytes.len())
            .ok_or("the guest printed more than it may")?;
        drop(left);
        if self.channel == Channel::Stderr {
            let mut said = self.said.0.lock();
            said.clear();
            said.extend_from_slice(&bytes[..bytes.len().min(MAX_SAID)]);
        }
        if let Some(sink) = &self.sink {
            sink(self.channel, bytes);
        }
        Ok(())
    }
}

impl IsTerminal for Output {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Output {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

impl OutputStream for Output {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.take(&bytes)
            .map_err(|why| StreamError::Trap(wasmtime::Error::msg(why)))
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WINDOW)
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Output {
    async fn ready(&mut self) {}
}

impl AsyncWrite for Output {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        Poll::Ready(self.take(bytes).map(|()| bytes.len()).map_err(std::io::Error::other))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
