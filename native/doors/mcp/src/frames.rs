//! Lines of a pipe, each a message: read so that no line, however long, takes more memory than a message may have.

use std::io::{self, BufRead};

/// The longest message.
pub const MAX_FRAME: usize = 16 << 20;

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// A line that may be a message, without its end.
    Line(Vec<u8>),
    /// A line longer than any message; it was passed over.
    TooLong,
}

/// The lines of a reader. Empty ones are passed over; what follows the last line break is a line too.
///
/// ```
/// use mcp::{Frame, Frames};
///
/// let input = b"{}\n\n[1,2,3,4,5]\r\ntrunc".as_slice();
/// let frames: Vec<Frame> = Frames::new(input, 8).map(Result::unwrap).collect();
/// assert_eq!(frames, [Frame::Line(b"{}".into()), Frame::TooLong, Frame::Line(b"trunc".into())]);
/// ```
#[derive(Debug)]
pub struct Frames<R> {
    reader: R,
    most: usize,
}

impl<R: BufRead> Frames<R> {
    /// The lines of a reader, of at most so many bytes each.
    pub const fn new(reader: R, most: usize) -> Frames<R> {
        Frames { reader, most }
    }

    /// The next line, with its end; nothing at the end of the input.
    fn line(&mut self) -> io::Result<Option<Frame>> {
        let mut line = Vec::new();
        let (mut some, mut fits) = (false, true);
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                break;
            }
            some = true;
            let end = available.iter().position(|byte| *byte == b'\n');
            let piece = &available[..end.unwrap_or(available.len())];
            fits = fits && line.len() + piece.len() <= self.most;
            match fits {
                true => line.extend_from_slice(piece),
                false => line = Vec::new(),
            }
            let consumed = piece.len() + usize::from(end.is_some());
            self.reader.consume(consumed);
            if end.is_some() {
                break;
            }
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(some.then_some(if fits { Frame::Line(line) } else { Frame::TooLong }))
    }
}

impl<R: BufRead> Iterator for Frames<R> {
    type Item = io::Result<Frame>;

    fn next(&mut self) -> Option<io::Result<Frame>> {
        loop {
            match self.line() {
                Ok(Some(Frame::Line(line))) if line.iter().all(u8::is_ascii_whitespace) => {}
                line => return line.transpose(),
            }
        }
    }
}
