//! Reading, writing and seeking in the standard streams and in `/dev`.

use super::errno::{BADF, FBIG, INVAL, IO, NOSPC, SPIPE};
use super::memory::{piece, put, slice, slice_mut, split};
use super::pass_on;
use crate::command::module::{BROKEN_PIPE, Exit, Process};
use std::io::{self, Seek, SeekFrom};
use wasmtime::{AsContextMut, Caller, Result};
use wasmtime_wasi::p1::wasi_snapshot_preview1::{self as abi, WasiSnapshotPreview1};
use wiggle::GuestMemory;

pub(super) async fn fd_read(
    mut caller: Caller<'_, Process>,
    fd: i32,
    pieces: i32,
    count: i32,
    read: i32,
) -> Result<i32> {
    if !caller.data().devices.owns(fd) {
        return pass_on!(caller.fd_read(fd, pieces, count, read).await);
    }
    let (bytes, process) = split(&mut caller)?;
    let Some(stream) = process.devices.get(fd) else {
        return Ok(BADF);
    };
    let mut got = 0;
    for n in 0..count {
        let (at, length) = piece(bytes, pieces, n)?;
        if length > 0 {
            match stream.read(slice_mut(bytes, at, length)?).await {
                Ok(n) => got = n as i32,
                Err(error) => return Ok(number(&error)),
            }
            break;
        }
    }
    put(bytes, read, &got.to_le_bytes())
}

pub(super) async fn fd_write(
    mut caller: Caller<'_, Process>,
    fd: i32,
    pieces: i32,
    count: i32,
    written: i32,
) -> Result<i32> {
    if !caller.data().devices.owns(fd) {
        return match may_write(&mut caller, pieces, count)? {
            true => pass_on!(caller.fd_write(fd, pieces, count, written).await),
            false => Ok(NOSPC),
        };
    }
    let (bytes, process) = split(&mut caller)?;
    let Some(stream) = process.devices.get(fd) else {
        return Ok(BADF);
    };
    let mut total = 0;
    for n in 0..count {
        let (at, length) = piece(bytes, pieces, n)?;
        match stream.write_all(slice(bytes, at, length)?).await {
            Ok(()) => total += length,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Err(Exit(BROKEN_PIPE).into()),
            Err(error) => return Ok(number(&error)),
        }
    }
    put(bytes, written, &total.to_le_bytes())
}

pub(super) async fn fd_pwrite(
    mut caller: Caller<'_, Process>,
    (fd, pieces, count, offset, written): (i32, i32, i32, i64, i32),
) -> Result<i32> {
    match may_write(&mut caller, pieces, count)? {
        true => pass_on!(caller.fd_pwrite(fd, pieces, count, offset, written).await),
        false => Ok(NOSPC),
    }
}

/// Whether so much may still be written to files. It is taken from the run's budget.
fn may_write(caller: &mut Caller<'_, Process>, pieces: i32, count: i32) -> Result<bool> {
    let (bytes, process) = split(caller)?;
    let Some(budget) = process.written.clone() else {
        return Ok(true);
    };
    let mut total = 0usize;
    for n in 0..count {
        total = total.saturating_add(piece(bytes, pieces, n)?.1 as u32 as usize);
    }
    Ok(budget.take(total))
}

pub(super) async fn fd_seek(
    mut caller: Caller<'_, Process>,
    fd: i32,
    offset: i64,
    whence: i32,
    position: i32,
) -> Result<i32> {
    if !caller.data().devices.owns(fd) {
        return pass_on!(caller.fd_seek(fd, offset, whence, position).await);
    }
    let to = match whence {
        0 => SeekFrom::Start(offset as u64),
        1 => SeekFrom::Current(offset),
        2 => SeekFrom::End(offset),
        _ => return Ok(INVAL),
    };
    seek(&mut caller, fd, to, position)
}

/// Seeks in a stream that is a file; no other can.
pub(super) fn seek(caller: &mut Caller<'_, Process>, fd: i32, to: SeekFrom, position: i32) -> Result<i32> {
    let (bytes, process) = split(caller)?;
    let Some(stream) = process.devices.get(fd) else {
        return Ok(BADF);
    };
    match stream.file().map(|mut file| file.seek(to)) {
        Some(Ok(at)) => put(bytes, position, &at.to_le_bytes()),
        _ => Ok(SPIPE),
    }
}

fn number(error: &io::Error) -> i32 {
    match error.kind() {
        io::ErrorKind::PermissionDenied => BADF,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => NOSPC,
        io::ErrorKind::FileTooLarge => FBIG,
        _ => IO,
    }
}
