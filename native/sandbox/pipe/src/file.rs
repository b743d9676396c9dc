//! Files, by the position that every clone shares.

use crate::through;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

pub(crate) fn read(mut file: &File, into: &mut [u8]) -> io::Result<usize> {
    retry(|| file.read(into))
}

pub(crate) fn write(mut file: &File, bytes: &[u8]) -> io::Result<usize> {
    retry(|| file.write(bytes))
}

/// Reads a piece and steps back to behind the delimiter; what cannot step back is read byte by byte.
pub(crate) fn read_until(mut file: &File, delimiter: u8, room: usize) -> io::Result<Vec<u8>> {
    let seekable = file.stream_position().is_ok();
    let mut piece = vec![0; if seekable { room.min(4096) } else { 1 }];
    let got = read(file, &mut piece)?;
    let kept = through(&piece[..got], delimiter).unwrap_or(got);
    if kept < got {
        file.seek(SeekFrom::Current(kept as i64 - got as i64))?;
    }
    piece.truncate(kept);
    Ok(piece)
}

fn retry(mut io: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match io() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
