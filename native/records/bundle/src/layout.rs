//! Where the entries of the zip lie, and that nothing else lies anywhere.
//!
//! Readers of zip files are lenient, each in its own way. They look for the list backwards over a comment, keep the first
//! or the last of two entries with one name, believe the name in the list or the one before the data, and skip what stands
//! before, between and behind. A bundle has none of that: its entries stand one after the other from the first byte to the
//! list, in the order of the list, and each says the same of itself in both places. So every reader sees the same files,
//! and there is no room in which anything could be hidden.

use crate::Error;
use crate::limits::check_count;
use crate::name;
use std::collections::BTreeSet;

/// The record at the very end.
const END: usize = 22;
/// An entry of the list, without its name.
const LISTED: usize = 46;
/// What stands before an entry's data, without its name.
const LOCAL: usize = 30;

/// From where on both headers of an entry say the same, up to the lengths of the name and of the extra field.
const LISTED_SHARED: std::ops::Range<usize> = 6..32;
const LOCAL_SHARED: std::ops::Range<usize> = 4..30;

/// The only flag that a file may carry: its name is UTF-8. Encryption and sizes that follow the data are refused by it.
const UTF8: u16 = 1 << 11;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// A file in the zip, still packed.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    pub name: &'a str,
    pub packed: &'a [u8],
    pub is_deflated: bool,
    /// The length that it claims to have once unpacked.
    pub size: u64,
    pub crc: u32,
}

/// Reads the whole layout. Every name is safe and there once, and every byte belongs to something.
pub(crate) fn read(bytes: &[u8], check: name::Check) -> Result<Vec<Entry<'_>>, Error> {
    let (count, start) = end(bytes)?;
    let mut list = &bytes[start..bytes.len() - END];
    let mut rest = &bytes[..start];
    let mut entries: Vec<Entry<'_>> = Vec::with_capacity(count);
    let mut names = BTreeSet::new();
    for _ in 0..count {
        let (header, name) = listed(&mut list, check)?;
        if !names.insert(name) {
            return Err(unsafe_entry(name, "it is there twice"));
        }
        if u32_at(header, 42) as usize != start - rest.len() {
            return Err(broken(&format!(
                "before `{name}` stands something that is no entry, or two entries share their bytes"
            )));
        }
        entries.push(local(&mut rest, header, name)?);
    }
    if !list.is_empty() {
        return Err(broken("its list of entries is longer than it says"));
    }
    if !rest.is_empty() {
        return Err(broken(
            "between its entries and their list stands something that is no entry",
        ));
    }
    no_file_is_a_directory(&names)?;
    Ok(entries)
}

/// The record at the end: how many entries there are, and where their list begins.
fn end(bytes: &[u8]) -> Result<(usize, usize), Error> {
    let end = bytes.len().checked_sub(END).map(|at| &bytes[at..]);
    let end = end.filter(|end| end.starts_with(b"PK\x05\x06"));
    let end = end.ok_or_else(|| broken("it is no zip file, or something stands after its end"))?;
    let (disks, count, all) = (u32_at(end, 4), u16_at(end, 8), u16_at(end, 10));
    let (size, start) = (u32_at(end, 12) as usize, u32_at(end, 16) as usize);
    if disks != 0 || count != all || u16_at(end, 20) != 0 {
        return Err(broken("it is in several parts, or has a comment"));
    }
    if start.checked_add(size) != Some(bytes.len() - END) {
        return Err(broken("its list of entries is not where it should be"));
    }
    check_count(count.into())?;
    Ok((count.into(), start))
}

/// The next entry of the list: its header and its name.
fn listed<'a>(list: &mut &'a [u8], check: name::Check) -> Result<(&'a [u8], &'a str), Error> {
    let damaged = || broken("its list of entries is damaged");
    let header = list.get(..LISTED).filter(|header| header.starts_with(b"PK\x01\x02"));
    let header = header.ok_or_else(damaged)?;
    let length = usize::from(u16_at(header, 28));
    let name = list.get(LISTED..LISTED + length).ok_or_else(damaged)?;
    let name = check(name)?;
    let (extra, comment, disk) = (u16_at(header, 30), u16_at(header, 32), u16_at(header, 34));
    if extra != 0 || comment != 0 || disk != 0 || u16_at(header, 8) & !UTF8 != 0 {
        return Err(unsafe_entry(name, "it carries more than a file"));
    }
    // The upper half is the mode of a Unix file; in the lower one, DOS marks a directory.
    let attributes = u32_at(header, 38);
    let kind = attributes >> 16 & 0o170_000;
    if (kind != 0 && kind != 0o100_000) || attributes & 0x10 != 0 {
        return Err(unsafe_entry(name, "it is a link, a directory or a device"));
    }
    *list = &list[LISTED + length..];
    Ok((header, name))
}

/// The next entry itself, which must say what the list says of it.
fn local<'a>(rest: &mut &'a [u8], listed: &[u8], name: &'a str) -> Result<Entry<'a>, Error> {
    let data = LOCAL + name.len();
    let packed = u32_at(listed, 20) as usize;
    let found = rest.get(..LOCAL).filter(|header| header.starts_with(b"PK\x03\x04"));
    let same = found.is_some_and(|header| header[LOCAL_SHARED] == listed[LISTED_SHARED])
        && rest.get(LOCAL..data) == Some(name.as_bytes());
    if !same {
        return Err(unsafe_entry(name, "its header and the list of entries differ"));
    }
    let end = data.checked_add(packed).filter(|end| *end <= rest.len());
    let end = end.ok_or_else(|| broken(&format!("`{name}` is cut off")))?;
    let is_deflated = match u16_at(listed, 10) {
        STORED => false,
        DEFLATED => true,
        _ => return Err(unsafe_entry(name, "it is packed in a way that bundles do not know")),
    };
    let entry = Entry {
        name,
        packed: &rest[data..end],
        is_deflated,
        size: u32_at(listed, 24).into(),
        crc: u32_at(listed, 16),
    };
    *rest = &rest[end..];
    Ok(entry)
}

/// `artifacts/a` and `artifacts/a/b` cannot both be written.
fn no_file_is_a_directory(names: &BTreeSet<&str>) -> Result<(), Error> {
    let is_directory = |name: &&&str| {
        let mut above = name.match_indices('/').map(|(at, _)| &name[..at]);
        above.any(|directory| names.contains(directory))
    };
    match names.iter().find(is_directory) {
        Some(name) => Err(unsafe_entry(name, "a file stands where its directory should be")),
        None => Ok(()),
    }
}

fn broken(why: &str) -> Error {
    Error::NotABundle(why.to_owned())
}

fn unsafe_entry(name: &str, why: &'static str) -> Error {
    let name = name.to_owned();
    Error::UnsafeEntry { name, why }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}
