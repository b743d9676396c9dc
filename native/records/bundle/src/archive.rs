//! Opening a bundle: everything is checked before anything is handed out.

use crate::layout::{self, Entry};
use crate::limits::{check_entry, check_total, is_plausible};
use crate::manifest::{MANIFEST, hash};
use crate::name::{self, DISK, PAGE, PLAN};
use crate::sign::SIGNATURE;
use crate::{Error, MAX_ARCHIVE, MAX_RATIO, Manifest, Signature, page};
use flate2::{Crc, Decompress, FlushDecompress, Status};
use std::collections::BTreeMap;

/// A bundle whose names, sizes, hashes and page were checked.
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
    let mut files = entries(bytes, name::check)?;
    let missing = |name: &str| Error::NotABundle(format!("it has no {name}"));
    let manifest_json = files.remove(MANIFEST).ok_or_else(|| missing(MANIFEST))?;
    let signature = files.remove(SIGNATURE);
    let manifest = Manifest::read(&manifest_json)?;
    for name in [PLAN, PAGE] {
        files.get(name).ok_or_else(|| missing(name))?;
    }
    check_files(&manifest, &files)?;
    check_page(&manifest, &files[PLAN], &files[PAGE])?;
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

/// The page shows the plan: somebody who reads it in a browser and somebody who deploys the plan see the same.
fn check_page(manifest: &Manifest, plan: &[u8], found: &[u8]) -> Result<(), Error> {
    let org = std::str::from_utf8(plan).map_err(|_| Error::NotABundle(format!("`{PLAN}` is not UTF-8")))?;
    match page::page(&manifest.id, &manifest.created, org)?.as_bytes() == found {
        true => Ok(()),
        false => Err(Error::Changed(format!("`{PAGE}` is not the rendering of `{PLAN}`"))),
    }
}

/// The files of any zip that somebody sent, by the rules that a bundle is read by: every name is safe and there once, no
/// link, nothing hidden between the entries, nothing that grows without end.
///
/// ```
/// let zip = bundle::pack([("skills/overview.org", &b"* Overview"[..])])?;
/// assert_eq!(bundle::files(&zip)?["skills/overview.org"], b"* Overview");
/// assert!(bundle::files(&bundle::pack([("../evil", &b""[..])])?).is_err());
/// # Ok::<(), bundle::Error>(())
/// ```
pub fn files(bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    entries(bytes, name::safe)
}

/// Unpacks every entry, within the limits.
fn entries(bytes: &[u8], check: name::Check) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let mut files = BTreeMap::new();
    let mut total = 0;
    for entry in layout::read(bytes, check)? {
        let name = entry.name;
        check_entry(name, entry.size)?;
        total += entry.size;
        check_total(total)?;
        if !is_plausible(entry.size, entry.packed.len() as u64) {
            return Err(Error::too_large(format!(
                "`{name}` grows to more than {MAX_RATIO} times its size"
            )));
        }
        let content = match entry.is_deflated {
            true => inflate(&entry)?,
            false => entry.packed.to_vec(),
        };
        if content.len() as u64 != entry.size {
            return Err(Error::too_large(format!("`{name}` is not as long as it says")));
        }
        let mut crc = Crc::new();
        crc.update(&content);
        if crc.sum() != entry.crc {
            return Err(Error::NotABundle(format!(
                "`{name}` is damaged: its checksum is another"
            )));
        }
        files.insert(name.to_owned(), content);
    }
    Ok(files)
}

/// Unpacks an entry. The stream must end where the entry ends: what follows it would belong to no file.
fn inflate(entry: &Entry<'_>) -> Result<Vec<u8>, Error> {
    let damaged = |why: &str| Error::NotABundle(format!("`{}` is damaged: {why}", entry.name));
    // The size is what the entry says of itself, and within the limits: room for one byte more shows that it lies.
    let mut content = Vec::with_capacity(entry.size as usize + 1);
    let mut stream = Decompress::new(false);
    let status = stream.decompress_vec(entry.packed, &mut content, FlushDecompress::Finish);
    match status.map_err(|e| damaged(&e.to_string()))? {
        _ if content.len() as u64 > entry.size => Ok(content),
        Status::StreamEnd if stream.total_in() == entry.packed.len() as u64 => Ok(content),
        Status::StreamEnd => Err(damaged("something stands behind its data")),
        _ => Err(damaged("its data is cut off")),
    }
}
