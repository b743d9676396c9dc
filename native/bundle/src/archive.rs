//! Opening a bundle: everything is checked before anything is handed out.

use crate::limits::{check_entry, check_total, is_plausible};
use crate::manifest::{MANIFEST, hash};
use crate::name::{DISK, PAGE, PLAN};
use crate::sign::SIGNATURE;
use crate::{Error, MAX_ARCHIVE, MAX_RATIO, Manifest, Signature, directory};
use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};
use zip::read::{ArchiveOffset, Config, ZipArchive};

/// A bundle whose names, sizes and hashes were checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// What is in it.
    pub manifest: Manifest,
    /// The manifest to the last byte, which is what is signed.
    pub(crate) manifest_json: Vec<u8>,
    /// Who stands for it, if anybody says so. Whether that is true is for [`verify`](crate::verify) to say.
    pub signature: Option<Signature>,
    /// The files, by name.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Opens a bundle. Whatever is not as a bundle should be is an error.
pub fn open(bytes: &[u8]) -> Result<Bundle, Error> {
    if bytes.len() > MAX_ARCHIVE {
        return Err(Error::too_large(format!("it has more than {MAX_ARCHIVE} bytes")));
    }
    let count = directory::check(bytes)?;
    let mut files = entries(bytes, count)?;
    let missing = |name: &str| Error::NotABundle(format!("it has no {name}"));
    let manifest_json = files.remove(MANIFEST).ok_or_else(|| missing(MANIFEST))?;
    let signature = files.remove(SIGNATURE);
    let manifest = Manifest::read(&manifest_json)?;
    for name in [PLAN, PAGE] {
        files.get(name).ok_or_else(|| missing(name))?;
    }
    check_files(&manifest, &files)?;
    Ok(Bundle {
        manifest,
        manifest_json,
        signature: signature.map(|json| Signature::read(&json)).transpose()?,
        files,
    })
}

/// The manifest and the files say the same.
fn check_files(manifest: &Manifest, files: &BTreeMap<String, Vec<u8>>) -> Result<(), Error> {
    if let Some(name) = manifest.files.keys().find(|name| !files.contains_key(*name)) {
        let name: String = name.escape_debug().take(120).collect();
        return Err(Error::Changed(format!("`{name}` is missing")));
    }
    for (name, bytes) in files {
        match manifest.files.get(name) {
            None => return Err(Error::Changed(format!("`{name}` is not in the manifest"))),
            Some(expected) if *expected != hash(bytes) => {
                return Err(Error::Changed(format!(
                    "`{name}` is not the file that the manifest names"
                )));
            }
            Some(_) => {}
        }
    }
    if files.contains_key(DISK) == manifest.volumes.is_empty() {
        return Err(Error::Changed(
            "the manifest and the disk do not belong together".into(),
        ));
    }
    Ok(())
}

fn entries(bytes: &[u8], count: usize) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let broken = |e: zip::result::ZipError| Error::NotABundle(e.to_string());
    let config = Config {
        archive_offset: ArchiveOffset::Known(0),
    };
    let mut zip = ZipArchive::with_config(config, Cursor::new(bytes)).map_err(broken)?;
    if zip.len() != count {
        return Err(Error::NotABundle("its list of entries can be read in two ways".into()));
    }
    // Several entries over the same bytes: the better kind of bomb.
    if zip.has_overlapping_files().map_err(broken)? {
        return Err(Error::NotABundle("its entries overlap".into()));
    }
    let mut files = BTreeMap::new();
    let mut total = 0;
    for index in 0..count {
        let mut entry = zip.by_index(index).map_err(broken)?;
        let name = entry.name().to_owned();
        let kind = entry.unix_mode().map_or(0, |mode| mode & 0o170_000);
        if kind != 0 && kind != 0o100_000 {
            return Err(Error::UnsafeEntry {
                name,
                why: "it is a link, a directory or a device",
            });
        }
        let size = entry.size();
        check_entry(&name, size)?;
        total += size;
        check_total(total)?;
        if !is_plausible(size, entry.compressed_size()) {
            return Err(Error::too_large(format!(
                "`{name}` grows to more than {MAX_RATIO} times its size"
            )));
        }
        let mut content = Vec::new();
        // The size is what the entry says of itself: one byte more shows that it lies.
        let read = (&mut entry).take(size + 1).read_to_end(&mut content);
        match read {
            Ok(_) if content.len() as u64 == size => files.insert(name, content),
            Ok(_) => return Err(Error::too_large(format!("`{name}` is not as long as it says"))),
            Err(e) => return Err(Error::NotABundle(format!("`{name}` is damaged: {e}"))),
        };
    }
    Ok(files)
}
