//! Names that nobody looks for.

use std::io;

/// A name that begins so and is nobody else's.
pub(crate) fn name(prefix: &str) -> io::Result<String> {
    let mut nonce = [0; 8];
    getrandom::fill(&mut nonce).map_err(io::Error::other)?;
    Ok(format!("{prefix}{:016x}", u64::from_le_bytes(nonce)))
}
