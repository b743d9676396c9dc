//! WASI preview 1 for a process.
//!
//! Files, clocks and random numbers are wasmtime's. What makes a guest a process of a shell stands in front of them:
//! its arguments and environment are bytes, its standard streams are [`Stream`]s, a broken pipe ends it, every exit
//! status counts, `/dev/null` is there, files have permission bits, and it can ask for another command to be started.
//!
//! A FIFO or a device that lies in the directory is not opened: waiting for its other side could hold a thread for ever.

mod errno;
pub(super) mod handles;
mod memory;
mod mode;
mod paths;
mod poll;
mod spawn;
mod state;
mod streams;

use self::errno::{ACCES, BADF, INVAL, OK};
use self::memory::{copy, put, sizes, slice, split};
use self::state::{descriptor_state, file_state};
use self::streams::{fd_pwrite, fd_read, fd_seek, fd_write, seek};
use super::module::{Exit, Process};
use std::io::SeekFrom;
use wasmtime::{AsContextMut, Caller, Engine, Linker, Result};
use wasmtime_wasi::p1::wasi_snapshot_preview1::{self as abi, WasiSnapshotPreview1};
use wasmtime_wasi::p1::{self, types};
use wiggle::{GuestMemory, GuestPtr};

const WASI: &str = "wasi_snapshot_preview1";

/// The descriptor of `/`, which is the first directory.
const ROOT: i32 = 3;

/// Calls wasmtime's own function of that name.
macro_rules! pass_on {
    ($caller:ident.$function:ident($($argument:expr),*) $($wait:tt)*) => {{
        let fuel = $caller.as_context_mut().hostcall_fuel();
        let (bytes, process) = split(&mut $caller)?;
        process.wasi.set_hostcall_fuel(fuel);
        abi::$function(&mut process.wasi, &mut GuestMemory::Unshared(bytes), $($argument),*) $($wait)*
    }};
}

use pass_on;

pub(super) fn linker(engine: &Engine) -> Result<Linker<Process>> {
    let mut linker = Linker::new(engine);
    p1::add_to_linker_async(&mut linker, |process: &mut Process| &mut process.wasi)?;
    linker.allow_shadowing(true);
    linker
        .func_wrap(WASI, "proc_exit", |status: i32| -> Result<()> {
            Err(Exit(status as u8).into())
        })?
        .func_wrap(
            WASI,
            "args_sizes_get",
            |mut caller: Caller<'_, Process>, count: i32, size: i32| {
                let (bytes, process) = split(&mut caller)?;
                sizes(bytes, &process.argv, count, size)
            },
        )?
        .func_wrap(
            WASI,
            "args_get",
            |mut caller: Caller<'_, Process>, list: i32, text: i32| {
                let (bytes, process) = split(&mut caller)?;
                copy(bytes, &process.argv, list, text)
            },
        )?
        .func_wrap(
            WASI,
            "environ_sizes_get",
            |mut caller: Caller<'_, Process>, count: i32, size: i32| {
                let (bytes, process) = split(&mut caller)?;
                sizes(bytes, &process.env, count, size)
            },
        )?
        .func_wrap(
            WASI,
            "environ_get",
            |mut caller: Caller<'_, Process>, list: i32, text: i32| {
                let (bytes, process) = split(&mut caller)?;
                copy(bytes, &process.env, list, text)
            },
        )?
        .func_wrap_async(WASI, "fd_read", |caller, (fd, pieces, count, read)| {
            Box::new(fd_read(caller, fd, pieces, count, read))
        })?
        .func_wrap_async(WASI, "fd_write", |caller, (fd, pieces, count, written)| {
            Box::new(fd_write(caller, fd, pieces, count, written))
        })?
        .func_wrap_async(WASI, "fd_pwrite", |caller, arguments| {
            Box::new(fd_pwrite(caller, arguments))
        })?
        .func_wrap_async(WASI, "fd_close", |mut caller: Caller<'_, Process>, (fd,): (i32,)| {
            Box::new(async move {
                let devices = &mut caller.data_mut().devices;
                match devices.owns(fd) {
                    true => Ok(if devices.close(fd) { OK } else { BADF }),
                    false => {
                        caller.data_mut().handles.close(fd);
                        pass_on!(caller.fd_close(fd).await)
                    }
                }
            })
        })?
        .func_wrap_async(WASI, "fd_seek", |caller, (fd, offset, whence, position)| {
            Box::new(fd_seek(caller, fd, offset, whence, position))
        })?
        .func_wrap(
            WASI,
            "fd_tell",
            |mut caller: Caller<'_, Process>, fd: i32, position: i32| match caller.data().devices.owns(fd) {
                true => seek(&mut caller, fd, SeekFrom::Current(0), position),
                false => pass_on!(caller.fd_tell(fd, position)),
            },
        )?
        .func_wrap_async(
            WASI,
            "fd_fdstat_get",
            |mut caller: Caller<'_, Process>, (fd, into): (i32, i32)| {
                Box::new(async move {
                    match caller.data().devices.owns(fd) {
                        true => descriptor_state(&mut caller, fd, into),
                        false => pass_on!(caller.fd_fdstat_get(fd, into).await),
                    }
                })
            },
        )?
        .func_wrap(
            WASI,
            "fd_fdstat_set_flags",
            |mut caller: Caller<'_, Process>, fd: i32, flags: i32| match caller.data().devices.owns(fd) {
                true => Ok(OK),
                false => pass_on!(caller.fd_fdstat_set_flags(fd, flags)),
            },
        )?
        .func_wrap_async(
            WASI,
            "fd_filestat_get",
            |mut caller: Caller<'_, Process>, (fd, into): (i32, i32)| {
                Box::new(async move {
                    if !caller.data().devices.owns(fd) {
                        return pass_on!(caller.fd_filestat_get(fd, into).await);
                    }
                    match caller.data().devices.get(fd) {
                        Some(stream) => file_state(&mut caller, &stream, into),
                        None => Ok(BADF),
                    }
                })
            },
        )?
        // A device has no size that could be set: `dd of=/dev/null` truncates it first.
        .func_wrap_async(
            WASI,
            "fd_filestat_set_size",
            |mut caller: Caller<'_, Process>, (fd, size): (i32, i64)| {
                Box::new(async move {
                    if !caller.data().devices.owns(fd) {
                        return pass_on!(caller.fd_filestat_set_size(fd, size).await);
                    }
                    match caller.data().devices.get(fd) {
                        Some(stream) if stream.is_device() => Ok(OK),
                        Some(stream) => Ok(match stream.file().map(|file| file.set_len(size as u64)) {
                            Some(Ok(())) => OK,
                            _ => INVAL,
                        }),
                        None => Ok(BADF),
                    }
                })
            },
        )?
        .func_wrap_async(WASI, "path_open", |caller, arguments| {
            Box::new(path_open(caller, arguments))
        })?
        .func_wrap_async(
            WASI,
            "path_filestat_get",
            |mut caller: Caller<'_, Process>, (dir, flags, path, length, into): (i32, i32, i32, i32, i32)| {
                Box::new(async move {
                    let (bytes, process) = split(&mut caller)?;
                    let path_bytes = slice(bytes, path, length)?;
                    match process.devices.at(path_bytes).filter(|_| dir == ROOT) {
                        Some(stream) => file_state(&mut caller, &stream, into),
                        None => pass_on!(caller.path_filestat_get(dir, flags, path, length, into).await),
                    }
                })
            },
        )?
        .func_wrap_async(WASI, "poll_oneoff", |caller, arguments| {
            Box::new(poll::poll_oneoff(caller, arguments))
        })?
        .func_wrap_async("workbooks", "spawn", |caller, arguments| {
            Box::new(spawn::spawn(caller, arguments))
        })?
        .func_wrap("workbooks", "mode", mode::mode)?;
    paths::link(&mut linker)?;
    Ok(linker)
}

type OpenArguments = (i32, i32, i32, i32, i32, i64, i64, i32, i32);

async fn path_open(mut caller: Caller<'_, Process>, arguments: OpenArguments) -> Result<i32> {
    let (dir, lookup, path, length, open, base, inheriting, flags, opened) = arguments;
    let fuel = caller.as_context_mut().hostcall_fuel();
    let (bytes, process) = split(&mut caller)?;
    if dir == ROOT
        && let Some(fd) = process.devices.open(slice(bytes, path, length)?)
    {
        return put(bytes, opened, &fd.to_le_bytes());
    }
    process.wasi.set_hostcall_fuel(fuel);
    let name = GuestPtr::<str>::new((path as u32, length as u32));
    let Ok(follow) = types::Lookupflags::try_from(lookup as u32) else {
        return Ok(INVAL);
    };
    let found = process
        .wasi
        .path_filestat_get(&mut GuestMemory::Unshared(bytes), (dir as u32).into(), follow, name)
        .await;
    let waits = |found: types::Filestat| {
        !matches!(
            found.filetype,
            types::Filetype::RegularFile | types::Filetype::Directory | types::Filetype::SymbolicLink
        )
    };
    let makes = open & CREATE != 0 && found.is_err();
    if found.is_ok_and(waits) {
        return Ok(ACCES);
    }
    let done: Result<i32> = match process.fence.clone() {
        Some(fence) => return paths::open(caller, arguments, fence).await,
        None => pass_on!(
            caller
                .path_open(dir, lookup, path, length, open, base, inheriting, flags, opened)
                .await
        ),
    };
    masked(done, caller, makes, (dir, path, length))
}

/// The flag of `path_open` that makes a file.
const CREATE: i32 = 1;

/// A file that was made has the permission bits that the mask leaves it.
fn masked(
    done: Result<i32>,
    mut caller: Caller<'_, Process>,
    makes: bool,
    (dir, path, length): (i32, i32, i32),
) -> Result<i32> {
    if makes && matches!(done, Ok(OK)) {
        let (bytes, process) = split(&mut caller)?;
        mode::mask(process, dir, slice(bytes, path, length)?, mode::FILE);
    }
    done
}
