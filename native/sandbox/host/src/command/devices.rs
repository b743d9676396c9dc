//! The descriptors that are not files of the directory: the three standard streams, and `/dev`.

use pipe::Stream;
use std::collections::HashMap;

/// Where descriptors of `/dev` begin; WASI counts its own up from 3.
const FIRST: i32 = 1 << 20;

/// The open streams by descriptor.
pub(super) struct Devices {
    open: HashMap<i32, Stream>,
    /// What `/dev/fd/N` leads to above the standard streams.
    further: Vec<(usize, Stream)>,
    next: i32,
}

impl Devices {
    pub fn new(streams: [Stream; 3], further: Vec<(usize, Stream)>) -> Devices {
        Devices {
            open: (0..).zip(streams).collect(),
            further,
            next: FIRST,
        }
    }

    pub fn get(&self, fd: i32) -> Option<Stream> {
        self.open.get(&fd).cloned()
    }

    /// Whether the descriptor is one of these, open or not.
    pub fn owns(&self, fd: i32) -> bool {
        (0..=2).contains(&fd) || fd >= FIRST
    }

    pub fn close(&mut self, fd: i32) -> bool {
        self.open.remove(&fd).is_some()
    }

    /// Opens a path of `/dev`, written without the leading slash.
    pub fn open(&mut self, path: &[u8]) -> Option<i32> {
        let stream = self.at(path)?;
        let fd = self.next;
        self.next += 1;
        self.open.insert(fd, stream);
        Some(fd)
    }

    /// What is at a path of `/dev`.
    pub fn at(&self, path: &[u8]) -> Option<Stream> {
        let fd = match path {
            b"dev/stdin" | b"dev/fd/0" => 0,
            b"dev/stdout" | b"dev/fd/1" => 1,
            b"dev/stderr" | b"dev/fd/2" => 2,
            path => {
                if let Some(number) = path.strip_prefix(b"dev/fd/") {
                    let number: usize = std::str::from_utf8(number).ok()?.parse().ok()?;
                    let found = self.further.iter().find(|(own, _)| *own == number);
                    return found.map(|(_, stream)| stream.clone());
                }
                return pipe::device(&[b"/", path].concat());
            }
        };
        self.get(fd)
    }
}
