//! How large a bundle may be. The writer keeps to what the reader accepts.

use crate::Error;

/// The largest bundle, in bytes.
pub const MAX_ARCHIVE: usize = 512 * 1024 * 1024;
/// The most files in a bundle.
pub const MAX_ENTRIES: usize = 10_000;
/// The largest file in a bundle, in bytes.
pub const MAX_ENTRY: u64 = 256 * 1024 * 1024;
/// The most bytes that a bundle may hold once unpacked.
pub const MAX_TOTAL: u64 = 1024 * 1024 * 1024;
/// How many times its packed size a file may have, if it has more than [`SMALL`] bytes.
pub const MAX_RATIO: u64 = 100;
/// Up to here nobody minds how well a file packs.
pub(crate) const SMALL: u64 = 1024 * 1024;

/// Whether a file of `size` bytes may be packed into `packed`.
pub(crate) fn is_plausible(size: u64, packed: u64) -> bool {
    size <= SMALL || size <= packed.saturating_mul(MAX_RATIO)
}

pub(crate) fn check_entry(name: &str, size: u64) -> Result<(), Error> {
    match size > MAX_ENTRY {
        true => Err(Error::too_large(format!("`{name}` has more than {MAX_ENTRY} bytes"))),
        false => Ok(()),
    }
}

pub(crate) fn check_total(total: u64) -> Result<(), Error> {
    match total > MAX_TOTAL {
        true => Err(Error::too_large(format!(
            "its files have more than {MAX_TOTAL} bytes together"
        ))),
        false => Ok(()),
    }
}

pub(crate) fn check_count(count: usize) -> Result<(), Error> {
    match count > MAX_ENTRIES {
        true => Err(Error::too_large(format!("it has more than {MAX_ENTRIES} files"))),
        false => Ok(()),
    }
}
