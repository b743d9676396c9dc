//! What a script prints, kept while it may print more.

use parking_lot::Mutex;
use pipe::Stream;
use std::io;
use std::sync::Arc;

/// Which of the two a script wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs)]
pub enum Channel {
    Stdout,
    Stderr,
}

/// Hears what a script prints, while it runs.
pub type Hear = Arc<dyn Fn(Channel, &[u8]) + Send + Sync>;

/// Both outputs of one run. They draw on one budget.
#[derive(Clone)]
pub struct Capture(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    left: usize,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    overflowed: bool,
}

impl Capture {
    /// Keeps `limit` bytes.
    pub fn new(limit: usize) -> Capture {
        Capture(Arc::new(Mutex::new(Kept {
            left: limit,
            ..Kept::default()
        })))
    }

    /// The stream that one of the outputs goes to. `full` is called when there is no room left.
    pub fn stream(&self, channel: Channel, hear: Option<Hear>, full: impl Fn() + Send + Sync + 'static) -> Stream {
        let kept = self.0.clone();
        Stream::sink(move |bytes| {
            kept.lock().keep(channel, bytes).inspect_err(|_| full())?;
            if let Some(hear) = &hear {
                hear(channel, bytes);
            }
            Ok(())
        })
    }

    /// Whether more was printed than may be kept.
    pub fn overflowed(&self) -> bool {
        self.0.lock().overflowed
    }

    /// What was printed: stdout and stderr.
    pub fn take(&self) -> (Vec<u8>, Vec<u8>) {
        let mut kept = self.0.lock();
        (std::mem::take(&mut kept.stdout), std::mem::take(&mut kept.stderr))
    }
}

impl Kept {
    fn keep(&mut self, channel: Channel, bytes: &[u8]) -> io::Result<()> {
        let Some(left) = self.left.checked_sub(bytes.len()) else {
            self.overflowed = true;
            return Err(io::ErrorKind::QuotaExceeded.into());
        };
        self.left = left;
        match channel {
            Channel::Stdout => self.stdout.extend_from_slice(bytes),
            Channel::Stderr => self.stderr.extend_from_slice(bytes),
        }
        Ok(())
    }
}
