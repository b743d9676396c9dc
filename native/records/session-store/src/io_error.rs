//! What an I/O error becomes.

use std::io;

use session::{Code, Error};

/// Turns an I/O error into ours. The kind, not the text: it names no path.
pub(crate) fn io(doing: &'static str) -> impl Fn(io::Error) -> Error {
    move |error| {
        let suggestion = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room on the disk",
            _ => "check the data directory, its permissions and the room left",
        };
        Error::new(Code::StoreIo, format!("cannot {doing}: {}", error.kind()), suggestion)
    }
}
