//! The zip, the same bytes for the same files: one order, one date, one compressor.

use crate::Error;
use crate::limits::is_plausible;
use crate::manifest::MANIFEST;
use crate::sign::SIGNATURE;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::{Cursor, Write as _};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Writes a bundle: the manifest, the signature, then the files in the order given.
pub(crate) fn write<'f>(
    manifest: &'f [u8],
    signature: Option<&'f [u8]>,
    files: impl Iterator<Item = (&'f str, &'f [u8])>,
) -> Result<Vec<u8>, Error> {
    let head = [(MANIFEST, Some(manifest)), (SIGNATURE, signature)];
    let head = head.into_iter().filter_map(|(name, bytes)| Some((name, bytes?)));
    pack(head.chain(files))
}

/// A zip of these files, in this order: the same bytes for the same files.
pub fn pack<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> Result<Vec<u8>, Error> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        add(&mut zip, name, bytes).map_err(|e| Error::NotABundle(format!("`{name}` cannot be packed: {e}")))?;
    }
    let done = zip
        .finish()
        .map_err(|e| Error::NotABundle(format!("it cannot be packed: {e}")))?;
    Ok(done.into_inner())
}

fn add(zip: &mut ZipWriter<Cursor<Vec<u8>>>, name: &str, bytes: &[u8]) -> zip::result::ZipResult<()> {
    // What packs so well that a reader would take it for a bomb is stored as it is.
    let method = match is_plausible(bytes.len() as u64, deflated(bytes)?) {
        true => CompressionMethod::Deflated,
        false => CompressionMethod::Stored,
    };
    let options = SimpleFileOptions::default()
        .compression_method(method)
        .last_modified_time(DateTime::DEFAULT)
        .unix_permissions(0o644);
    zip.start_file(name, options)?;
    zip.write_all(bytes)?;
    Ok(())
}

/// How long the bytes are once packed; of small files nobody minds.
fn deflated(bytes: &[u8]) -> std::io::Result<u64> {
    if is_plausible(bytes.len() as u64, 0) {
        return Ok(0);
    }
    let mut encoder = DeflateEncoder::new(Counter(0), Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.0)
}

struct Counter(u64);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
