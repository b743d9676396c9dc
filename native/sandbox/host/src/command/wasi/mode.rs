//! Permission bits, which WASI has no word for.

use super::errno::{self, ACCES, NOENT};
use super::memory::{slice, split};
use crate::command::module::Process;
use cap_std::fs::{Dir, Permissions, PermissionsExt};
use std::io;
use std::path::Path;
use wasmtime::{Caller, Result};

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

fn exchange(root: &Dir, path: &str, bits: Option<u32>) -> io::Result<u32> {
    let before = root.metadata(path)?.permissions().mode();
    if let Some(bits) = bits {
        root.set_permissions(path, Permissions::from_mode(before & !BITS | bits & BITS))?;
    }
    Ok(before & BITS)
}
