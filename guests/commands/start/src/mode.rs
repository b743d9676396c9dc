//! Permission bits, by the host: WASI has no word for them.

use std::io;
use std::os::wasi::ffi::OsStrExt;
use std::path::Path;

mod host {
    #[link(wasm_import_module = "workbooks")]
    unsafe extern "C" {
        pub fn mode(path: *const u8, length: i32, bits: i32) -> i32;
    }
}

/// The permission bits of a file: read, write and execute.
pub fn mode(path: &Path) -> io::Result<u32> {
    exchange(path, -1)
}

/// Changes them, and answers what they were.
pub fn set_mode(path: &Path, bits: u32) -> io::Result<u32> {
    exchange(path, bits as i32)
}

fn exchange(path: &Path, bits: i32) -> io::Result<u32> {
    let whole = std::env::current_dir()?.join(path);
    let bytes = whole.as_os_str().as_bytes();
    // SAFETY: the pointer is valid for its length, and the host only reads.
    let answer = unsafe { host::mode(bytes.as_ptr(), bytes.len() as i32, bits) };
    u32::try_from(answer).map_err(|_| io::Error::from_raw_os_error(-answer))
}
