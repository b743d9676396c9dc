//! What commands read from and write to: pipes with back pressure, files, bytes, functions.
//!
//! A [`Stream`] is an open file description: clones share it, and the last clone closes it. Reading and writing are
//! futures of no particular runtime.
//!
//! ```
//! # fn block_on<F: Future>(future: F) -> F::Output { pipe::block_on(future) }
//! let (reader, writer) = pipe::pipe();
//! block_on(async {
//!     writer.write_all(b"one\ntwo\n").await?;
//!     drop(writer);
//!     assert_eq!(reader.read_until(b'\n', 100).await?, b"one\n");
//!     assert_eq!(reader.read_to_end(100).await?, b"two\n");
//!     std::io::Result::Ok(())
//! })?;
//! # Ok::<(), std::io::Error>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod block_on;
mod budget;
mod device;
mod file;
mod pipe;

pub use block_on::block_on;
pub use budget::Budget;
pub use device::device;
pub use pipe::{CAPACITY, pipe};

use parking_lot::Mutex;
use std::fs::File;
use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Hears what is written. An error goes back to the writer.
pub type Sink = dyn Fn(&[u8]) -> io::Result<()> + Send + Sync;

/// Something open for reading, for writing, or both. Clones share one position, as duplicated descriptors do.
#[derive(Clone)]
pub struct Stream(Kind);

#[derive(Clone)]
enum Kind {
    Null,
    Bytes(Arc<Mutex<Remaining>>),
    File(Arc<File>, Option<Arc<Budget>>),
    Reader(Arc<pipe::ReadEnd>),
    Writer(Arc<pipe::WriteEnd>),
    Sink(Arc<Sink>),
    /// Without end, and open for writing as well.
    Source(fn(&mut [u8]) -> io::Result<()>),
    /// One after the other.
    Chain(Arc<Mutex<Remaining>>, Arc<Stream>),
}

/// Bytes, and how many of them were read.
struct Remaining {
    bytes: Vec<u8>,
    read: usize,
}

impl Stream {
    /// Reads as empty and swallows what is written.
    pub fn null() -> Stream {
        Stream(Kind::Null)
    }

    /// Reads as these bytes.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Stream {
        Stream(Kind::Bytes(Arc::new(Mutex::new(Remaining {
            bytes: bytes.into(),
            read: 0,
        }))))
    }

    /// A file, with the position and the access it was opened with.
    pub fn open(file: File) -> Stream {
        Stream(Kind::File(Arc::new(file), None))
    }

    /// The same, where what is written is taken from a budget: beyond it, writing is
    /// [`io::ErrorKind::QuotaExceeded`].
    pub fn open_within(file: File, budget: Arc<Budget>) -> Stream {
        Stream(Kind::File(Arc::new(file), Some(budget)))
    }

    /// Hands what is written to a function.
    pub fn sink(sink: impl Fn(&[u8]) -> io::Result<()> + Send + Sync + 'static) -> Stream {
        Stream(Kind::Sink(Arc::new(sink)))
    }

    /// Reads as these bytes first, and then as itself.
    pub fn after(self, bytes: impl Into<Vec<u8>>) -> Stream {
        let first = Remaining {
            bytes: bytes.into(),
            read: 0,
        };
        Stream(Kind::Chain(Arc::new(Mutex::new(first)), Arc::new(self)))
    }

    /// Whether it is a device: [`Stream::null`], or what [`device`] finds.
    pub fn is_device(&self) -> bool {
        matches!(self.0, Kind::Null | Kind::Source(_))
    }

    /// The file behind it, if there is one.
    pub fn file(&self) -> Option<&File> {
        match &self.0 {
            Kind::File(file, _) => Some(file),
            _ => None,
        }
    }

    /// Reads some bytes; none means the end.
    pub async fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        poll_fn(|cx| self.poll_read(cx, into)).await
    }

    /// [`Stream::read`] as a poll.
    pub fn poll_read(&self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(match &self.0 {
            Kind::Null => Ok(0),
            Kind::Bytes(bytes) => Ok(bytes.lock().take(into)),
            Kind::File(file, _) => file::read(file, into),
            Kind::Reader(end) => return end.poll_read(cx, into).map(Ok),
            Kind::Source(fill) => fill(into).map(|()| into.len()),
            Kind::Chain(first, rest) => match first.lock().take(into) {
                0 => return rest.poll_read(cx, into),
                n => Ok(n),
            },
            Kind::Writer(_) | Kind::Sink(_) => Err(not_open()),
        })
    }

    /// Writes some of the bytes, at least one if there are any. A pipe that nobody reads any more is
    /// [`io::ErrorKind::BrokenPipe`].
    pub async fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        poll_fn(|cx| self.poll_write(cx, bytes)).await
    }

    /// [`Stream::write`] as a poll.
    pub fn poll_write(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(match &self.0 {
            Kind::Null | Kind::Source(_) => Ok(bytes.len()),
            Kind::File(_, Some(budget)) if !budget.take(bytes.len()) => Err(io::ErrorKind::QuotaExceeded.into()),
            Kind::File(file, _) => file::write(file, bytes),
            Kind::Writer(end) => return end.poll_write(cx, bytes),
            Kind::Sink(sink) => sink(bytes).map(|()| bytes.len()),
            Kind::Bytes(_) | Kind::Reader(_) | Kind::Chain(..) => Err(not_open()),
        })
    }

    /// Writes all of the bytes.
    pub async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.write(bytes).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                n => bytes = &bytes[n..],
            }
        }
        Ok(())
    }

    /// Reads up to and with `delimiter`, and nothing behind it, so that whoever shares the stream finds the rest.
    /// Without the delimiter it is what there was up to the end; more than `limit` bytes are an error.
    pub async fn read_until(&self, delimiter: u8, limit: usize) -> io::Result<Vec<u8>> {
        let mut taken = Vec::new();
        while taken.last() != Some(&delimiter) {
            let room = limit.saturating_sub(taken.len());
            if room == 0 {
                return Err(too_long());
            }
            let more = poll_fn(|cx| self.poll_until(cx, delimiter, room)).await?;
            if more.is_empty() {
                break;
            }
            taken.extend_from_slice(&more);
        }
        Ok(taken)
    }

    /// Reads to the end; more than `limit` bytes are an error.
    pub async fn read_to_end(&self, limit: usize) -> io::Result<Vec<u8>> {
        let mut taken = Vec::new();
        let mut chunk = vec![0; 16 << 10];
        loop {
            match self.read(&mut chunk).await? {
                0 => return Ok(taken),
                n if taken.len() + n > limit => return Err(too_long()),
                n => taken.extend_from_slice(&chunk[..n]),
            }
        }
    }

    fn poll_until(&self, cx: &mut Context<'_>, delimiter: u8, room: usize) -> Poll<io::Result<Vec<u8>>> {
        Poll::Ready(match &self.0 {
            Kind::Null => Ok(Vec::new()),
            Kind::Bytes(bytes) => Ok(bytes.lock().take_until(delimiter, room)),
            Kind::File(file, _) => file::read_until(file, delimiter, room),
            Kind::Reader(end) => return end.poll_until(cx, delimiter, room).map(Ok),
            Kind::Source(fill) => {
                let mut byte = [0];
                fill(&mut byte).map(|()| byte.to_vec())
            }
            Kind::Chain(first, rest) => {
                let taken = first.lock().take_until(delimiter, room);
                match taken.is_empty() {
                    true => return rest.poll_until(cx, delimiter, room),
                    false => Ok(taken),
                }
            }
            Kind::Writer(_) | Kind::Sink(_) => Err(not_open()),
        })
    }
}

impl Remaining {
    fn take(&mut self, into: &mut [u8]) -> usize {
        let left = &self.bytes[self.read..];
        let n = left.len().min(into.len());
        into[..n].copy_from_slice(&left[..n]);
        self.read += n;
        n
    }

    fn take_until(&mut self, delimiter: u8, room: usize) -> Vec<u8> {
        let left = &self.bytes[self.read..];
        let n = through(left, delimiter).unwrap_or(left.len()).min(room);
        self.read += n;
        self.bytes[self.read - n..self.read].to_vec()
    }
}

/// How many bytes there are up to and with the delimiter.
fn through(bytes: &[u8], delimiter: u8) -> Option<usize> {
    bytes.iter().position(|byte| *byte == delimiter).map(|at| at + 1)
}

/// What `EBADF` says: the stream is not open for that.
fn not_open() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, "Bad file descriptor")
}

fn too_long() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "too much to read")
}
