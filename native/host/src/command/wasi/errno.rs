//! The error numbers of WASI that are used here.

pub(super) const OK: i32 = 0;
pub(super) const ACCES: i32 = 2;
pub(super) const BADF: i32 = 8;
pub(super) const FBIG: i32 = 22;
pub(super) const INVAL: i32 = 28;
pub(super) const IO: i32 = 29;
pub(super) const NOENT: i32 = 44;
pub(super) const NOSPC: i32 = 51;
pub(super) const SPIPE: i32 = 70;
