//! The descriptors that are not files of the directory: the three standard streams, and `/dev`.

use pipe::Stream;
use std::collections::HashMap;

/// Where descriptors of `/dev` begin; WASI counts its own up from 3.
const FIRST: i32 = 1 << 20;

/// The open streams by descriptor.
pub(super) struct Devices {
    open: HashMap<i32, Stream>,
    next: i32,
}

impl Devices {
    pub fn new(streams: [Stream; 3]) -> Devices {
        Devices {
            open: (0..).zip(streams).collect(),
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
            path => return pipe::device(&[b"/", path].concat()),
        };
        self.get(fd)
    }
}
