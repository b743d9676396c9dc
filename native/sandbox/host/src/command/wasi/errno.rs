//! The error numbers of WASI that are used here.

use rustix::io::Errno;
use std::io;

pub(super) const OK: i32 = 0;
pub(super) const ACCES: i32 = 2;
pub(super) const BADF: i32 = 8;
pub(super) const FBIG: i32 = 22;
pub(super) const INVAL: i32 = 28;
pub(super) const IO: i32 = 29;
pub(super) const NOENT: i32 = 44;
pub(super) const NOSPC: i32 = 51;
pub(super) const SPIPE: i32 = 70;
/// A path leads out of the directory.
const NOTCAPABLE: i32 = 76;

/// The machine's numbers and WASI's, for what can be done to names.
const NUMBERS: [(Errno, i32); 18] = [
    (Errno::ACCESS, ACCES),
    (Errno::BUSY, 10),
    (Errno::DQUOT, 19),
    (Errno::EXIST, 20),
    (Errno::INVAL, INVAL),
    (Errno::ISDIR, 31),
    (Errno::LOOP, 32),
    (Errno::MLINK, 34),
    (Errno::NAMETOOLONG, 37),
    (Errno::NOENT, NOENT),
    (Errno::NOSPC, NOSPC),
    (Errno::NOTDIR, 54),
    (Errno::NOTEMPTY, 55),
    (Errno::PERM, 63),
    (Errno::ROFS, 69),
    (Errno::TXTBSY, 74),
    (Errno::XDEV, 75),
    (Errno::NOTSUP, 58),
];

/// The number of what came of something.
pub(super) fn of(result: io::Result<()>) -> i32 {
    let Err(error) = result else { return OK };
    match error.raw_os_error() {
        Some(raw) => NUMBERS
            .iter()
            .find(|(errno, _)| errno.raw_os_error() == raw)
            .map_or(IO, |(_, number)| *number),
        None if error.kind() == io::ErrorKind::PermissionDenied => NOTCAPABLE,
        None => IO,
    }
}
