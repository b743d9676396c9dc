//! Permission bits, which WASI has no word for.

use super::ROOT;
use super::errno::{self, ACCES, NOENT};
use super::memory::{slice, split};
use crate::command::module::Process;
use cap_std::fs::{Dir, Permissions, PermissionsExt};
use std::io;
use std::path::Path;
use wasmtime::{Caller, Result};

/// The descriptor of `/tmp`, if it is a directory of its own.
const TMP: i32 = 4;

/// Read, write and execute, for everybody. A guest makes no set-user-id programs.
const BITS: u32 = 0o777;

/// `mode(path, length, bits) -> before`: the permission bits of what lies at a path from `/`, and `bits` in their place
/// unless they are negative. A negative answer is an error number.
pub(super) fn mode(mut caller: Caller<'_, Process>, path: i32, length: i32, bits: i32) -> Result<i32> {
    let (bytes, process) = split(&mut caller)?;
    let path = String::from_utf8_lossy(slice(bytes, path, length)?);
    let below = path.trim_start_matches('/');
    let (dir, path) = match (below.strip_prefix("tmp"), &process.tmp) {
        (Some(within), Some(tmp)) if within.is_empty() || within.starts_with('/') => {
            (Some(tmp), within.trim_start_matches('/'))
        }
        _ => (process.root.as_ref(), below),
    };
    let path = if path.is_empty() { "." } else { path };
    let Some(dir) = dir else {
        return Ok(-ACCES);
    };
    let bits = u32::try_from(bits).ok();
    if let (Some(fence), Some(bits)) = (&process.fence, bits)
        && let refused @ 1.. = errno::of(fence.attributes(dir, Path::new(path), true, Some(bits)))
    {
        return Ok(-refused);
    }
    Ok(match exchange(dir, path, bits) {
        Ok(before) => before as i32,
        Err(error) if error.kind() == io::ErrorKind::NotFound => -NOENT,
        Err(_) => -ACCES,
    })
}

/// The mask of the machine's own processes. Files that are made here have it already.
const USUAL_MASK: u32 = 0o022;

/// What a file and a directory have before the mask.
pub(super) const FILE: u32 = 0o666;
pub(super) const DIRECTORY: u32 = 0o777;

/// Gives what was just made the bits that the mask leaves it. It is named by a directory that the process has from the start;
/// other directories are not used for making files by what is compiled to WASI.
pub(super) fn mask(process: &Process, dir: i32, path: &[u8], bits: u32) {
    if process.umask == USUAL_MASK {
        return;
    }
    let dir = match dir {
        ROOT => &process.root,
        TMP => &process.tmp,
        _ => return,
    };
    let path = String::from_utf8_lossy(path);
    if let Some(dir) = dir {
        // It is there, and the process made it. Somebody who takes it away meanwhile has no claim to its bits.
        let _ = exchange(dir, &path, Some(bits & !process.umask));
    }
}

fn exchange(root: &Dir, path: &str, bits: Option<u32>) -> io::Result<u32> {
    let before = root.metadata(path)?.permissions().mode();
    if let Some(bits) = bits {
        root.set_permissions(path, Permissions::from_mode(before & !BITS | bits & BITS))?;
    }
    Ok(before & BITS)
}
