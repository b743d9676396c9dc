//! Calls that open, make, remove and rename, for a guest behind a fence. Without one they are wasmtime's own.

use super::errno::{self, ACCES, BADF, INVAL, NOENT, OK};
use super::handles::{self, Handle};
use super::memory::{slice, split};
use super::mode;
use super::{OpenArguments, pass_on};
use crate::command::fenced;
use crate::command::module::Process;
use fence::Fence;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use wasmtime::{AsContextMut, Caller, Linker, Result};
use wasmtime_wasi::OpenMode;
use wasmtime_wasi::p1::wasi_snapshot_preview1::{self as abi, WasiSnapshotPreview1};
use wiggle::GuestMemory;

// The flags of `path_open`.
const CREATE: i32 = 1;
const EXCLUSIVE: i32 = 4;
const TRUNCATE: i32 = 8;

/// The flag of paths that says to follow a link at the end.
const FOLLOW: i32 = 1;

pub(super) fn link(linker: &mut Linker<Process>) -> Result<()> {
    linker
        .func_wrap_async(
            super::WASI,
            "fd_renumber",
            |mut caller: Caller<'_, Process>, (from, to): (i32, i32)| {
                Box::new(async move {
                    let renumbered: Result<i32> = pass_on!(caller.fd_renumber(from, to).await);
                    if let Ok(OK) = renumbered {
                        caller.data_mut().handles.renumber(from, to);
                    }
                    renumbered
                })
            },
        )?
        .func_wrap_async(
            super::WASI,
            "path_create_directory",
            |mut caller: Caller<'_, Process>, (dir, path, length): (i32, i32, i32)| {
                Box::new(async move {
                    match may_make(&mut caller, dir, path, length)? {
                        OK => {
                            let made: Result<i32> = pass_on!(caller.path_create_directory(dir, path, length).await);
                            if let Ok(OK) = made {
                                let (bytes, process) = split(&mut caller)?;
                                mode::mask(process, dir, slice(bytes, path, length)?, mode::DIRECTORY);
                            }
                            made
                        }
                        refused => Ok(refused),
                    }
                })
            },
        )?
        .func_wrap_async(
            super::WASI,
            "path_symlink",
            |mut caller: Caller<'_, Process>, (to, to_length, dir, path, length): (i32, i32, i32, i32, i32)| {
                Box::new(async move {
                    match may_make(&mut caller, dir, path, length)? {
                        OK => pass_on!(caller.path_symlink(to, to_length, dir, path, length).await),
                        refused => Ok(refused),
                    }
                })
            },
        )?
        .func_wrap_async(
            super::WASI,
            "path_unlink_file",
            |mut caller: Caller<'_, Process>, (dir, path, length): (i32, i32, i32)| {
                Box::new(async move {
                    match place(&mut caller, dir, path, length)? {
                        Place::Open => pass_on!(caller.path_unlink_file(dir, path, length).await),
                        Place::Unknown => Ok(BADF),
                        Place::Fenced(fence, handle, path) => {
                            Ok(errno::of(fenced::remove_file(&fence, (&handle.file, &path))))
                        }
                    }
                })
            },
        )?
        .func_wrap_async(
            super::WASI,
            "path_remove_directory",
            |mut caller: Caller<'_, Process>, (dir, path, length): (i32, i32, i32)| {
                Box::new(async move {
                    let length = without_slashes(&mut caller, path, length)?;
                    match place(&mut caller, dir, path, length)? {
                        Place::Open => pass_on!(caller.path_remove_directory(dir, path, length).await),
                        Place::Unknown => Ok(BADF),
                        Place::Fenced(fence, handle, path) => {
                            Ok(errno::of(fenced::remove_directory(&fence, (&handle.file, &path))))
                        }
                    }
                })
            },
        )?
        .func_wrap_async(super::WASI, "path_rename", |caller, arguments| {
            Box::new(path_rename(caller, arguments))
        })?
        .func_wrap_async(super::WASI, "path_link", |caller, arguments| {
            Box::new(path_link(caller, arguments))
        })?
        .func_wrap_async(super::WASI, "path_filestat_set_times", |caller, arguments| {
            Box::new(path_filestat_set_times(caller, arguments))
        })?;
    Ok(())
}

/// How long a path is without slashes at its end: what names a directory may have them, and they change nothing.
fn without_slashes(caller: &mut Caller<'_, Process>, path: i32, length: i32) -> Result<i32> {
    let (bytes, _) = split(caller)?;
    let slashes = slice(bytes, path, length)?
        .iter()
        .rev()
        .take_while(|byte| **byte == b'/')
        .count();
    Ok((length - slashes as i32).max(1.min(length)))
}

/// Where a path leads from.
enum Place {
    /// There is no fence, or nothing there can be changed anyway.
    Open,
    /// There is no such descriptor.
    Unknown,
    Fenced(Arc<Fence>, Handle, Vec<u8>),
}

fn place(caller: &mut Caller<'_, Process>, dir: i32, path: i32, length: i32) -> Result<Place> {
    let (bytes, process) = split(caller)?;
    let Some(fence) = process.fence.clone() else {
        return Ok(Place::Open);
    };
    let path = slice(bytes, path, length)?.to_vec();
    handles::learn(process);
    Ok(match process.handles.get(dir) {
        None => Place::Unknown,
        Some(handle) if !handle.writable => Place::Open,
        Some(handle) => Place::Fenced(fence, handle.clone(), path),
    })
}

fn may_make(caller: &mut Caller<'_, Process>, dir: i32, path: i32, length: i32) -> Result<i32> {
    Ok(match place(caller, dir, path, length)? {
        Place::Open => OK,
        Place::Unknown => BADF,
        Place::Fenced(fence, handle, path) => errno::of(fenced::may_make(&fence, (&handle.file, &path))),
    })
}

type RenameArguments = (i32, i32, i32, i32, i32, i32);

async fn path_rename(mut caller: Caller<'_, Process>, arguments: RenameArguments) -> Result<i32> {
    let (dir, path, length, to_dir, to, to_length) = arguments;
    let from = place(&mut caller, dir, path, length)?;
    match (from, place(&mut caller, to_dir, to, to_length)?) {
        (Place::Unknown, _) | (_, Place::Unknown) => Ok(BADF),
        (Place::Fenced(fence, from, path), Place::Fenced(_, onto, to)) => Ok(errno::of(fenced::rename(
            &fence,
            (&from.file, &path),
            (&onto.file, &to),
        ))),
        _ => pass_on!(caller.path_rename(dir, path, length, to_dir, to, to_length).await),
    }
}

type LinkArguments = (i32, i32, i32, i32, i32, i32, i32);

async fn path_link(mut caller: Caller<'_, Process>, arguments: LinkArguments) -> Result<i32> {
    let (dir, flags, path, length, to_dir, to, to_length) = arguments;
    let from = place(&mut caller, dir, path, length)?;
    match (from, place(&mut caller, to_dir, to, to_length)?) {
        (Place::Unknown, _) | (_, Place::Unknown) => Ok(BADF),
        (Place::Fenced(..), Place::Fenced(..)) if flags & FOLLOW != 0 => Ok(INVAL),
        (Place::Fenced(fence, from, path), Place::Fenced(_, onto, to)) => {
            Ok(errno::of(fenced::link(&fence, (&from.file, &path), (&onto.file, &to))))
        }
        _ => pass_on!(caller.path_link(dir, flags, path, length, to_dir, to, to_length).await),
    }
}

type TimesArguments = (i32, i32, i32, i32, i64, i64, i32);

async fn path_filestat_set_times(mut caller: Caller<'_, Process>, arguments: TimesArguments) -> Result<i32> {
    let (dir, flags, path, length, accessed, modified, which) = arguments;
    if let Place::Fenced(fence, handle, path) = place(&mut caller, dir, path, length)? {
        let path = Path::new(OsStr::from_bytes(&path));
        if let refused @ 1.. = errno::of(fence.attributes(&handle.file, path, flags & FOLLOW != 0, None)) {
            return Ok(refused);
        }
    }
    pass_on!(
        caller
            .path_filestat_set_times(dir, flags, path, length, accessed, modified, which)
            .await
    )
}

/// Opens a file behind a fence. Nothing is truncated before the fence has seen what was opened, and a file is made only
/// if opening it did not find one, so that it is known which of the two happened.
pub(super) async fn open(mut caller: Caller<'_, Process>, arguments: OpenArguments, fence: Arc<Fence>) -> Result<i32> {
    let (dir, lookup, path, length, flags, base, inheriting, kind, opened) = arguments;
    handles::learn(split(&mut caller)?.1);
    let careful = flags & !TRUNCATE;
    let mut creates = careful & (CREATE | EXCLUSIVE) == CREATE | EXCLUSIVE;
    let first = if creates { careful } else { careful & !CREATE };
    let mut status: i32 = pass_on!(
        caller
            .path_open(dir, lookup, path, length, first, base, inheriting, kind, opened)
            .await
    )?;
    if status == NOENT && first != careful {
        creates = true;
        status = pass_on!(
            caller
                .path_open(dir, lookup, path, length, careful, base, inheriting, kind, opened)
                .await
        )?;
    }
    if status != OK {
        return Ok(status);
    }
    let (bytes, process) = split(&mut caller)?;
    let fd = i32::from_le_bytes(slice(bytes, opened, 4)?.try_into().unwrap_or_default());
    let refused = match handles::opened(process, fd) {
        None => ACCES,
        Some(handle) => look(&fence, &handle, creates, flags & TRUNCATE != 0),
    };
    if refused != OK {
        process.handles.close(fd);
        let _: Result<i32> = pass_on!(caller.fd_close(fd).await);
    } else if creates {
        mode::mask(process, dir, slice(bytes, path, length)?, mode::FILE);
    }
    Ok(refused)
}

/// What the fence says of a file that was opened.
fn look(fence: &Fence, handle: &Handle, created: bool, truncate: bool) -> i32 {
    if handle.is_directory || !handle.writable {
        return OK;
    }
    if handle.mode.contains(OpenMode::WRITE) || truncate {
        if let refused @ 1.. = errno::of(fence.writes(&handle.file, created)) {
            return refused;
        }
        if truncate && let refused @ 1.. = errno::of(handle.file.set_len(0)) {
            return refused;
        }
    }
    if handle.mode.contains(OpenMode::READ) && !created {
        fence.reads(&handle.file);
    }
    OK
}
