//! Streams as the standard streams of a component.

use pipe::Stream;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use wasmtime_wasi::WasiCtxBuilder;
use wasmtime_wasi::cli::{AsyncStdinStream, AsyncStdoutStream};

/// What a component may write before it has to wait.
const AHEAD: usize = 64 << 10;

pub(super) fn connect(wasi: &mut WasiCtxBuilder, [stdin, stdout, stderr]: &[Stream; 3]) {
    wasi.stdin(AsyncStdinStream::new(Adapter(stdin.clone())))
        .stdout(AsyncStdoutStream::new(AHEAD, Adapter(stdout.clone())))
        .stderr(AsyncStdoutStream::new(AHEAD, Adapter(stderr.clone())));
}

struct Adapter(Stream);

impl AsyncRead for Adapter {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let got = ready!(self.0.poll_read(cx, into.initialize_unfilled()))?;
        into.advance(got);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Adapter {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.0.poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
