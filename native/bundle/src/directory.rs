//! The zip's own list of its entries, read strictly.
//!
//! Readers of zip files are lenient, each in its own way: they look for the list backwards over a comment, keep the last
//! of two entries with one name, and take what stands before the archive for a program. A bundle has none of that, so
//! what any of them would see is what is checked here.

use crate::Error;
use crate::limits::check_count;
use crate::name;
use std::collections::BTreeSet;

const END: usize = 22;
const HEADER: usize = 46;

/// Checks the list, and gives how many entries it has. Every name is safe and there once.
pub(crate) fn check(bytes: &[u8]) -> Result<usize, Error> {
    let broken = |why: &str| Error::NotABundle(why.to_owned());
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

    let mut rest = &bytes[start..start + size];
    let mut names = BTreeSet::new();
    for _ in 0..count {
        let header = rest.get(..HEADER).filter(|header| header.starts_with(b"PK\x01\x02"));
        let header = header.ok_or_else(|| broken("its list of entries is damaged"))?;
        let [length, extra, comment] = [28, 30, 32].map(|at| usize::from(u16_at(header, at)));
        let name = rest.get(HEADER..HEADER + length);
        let name = name::check(name.ok_or_else(|| broken("its list of entries is damaged"))?)?;
        if !names.insert(name) {
            return Err(Error::UnsafeEntry {
                name: name.to_owned(),
                why: "it is there twice",
            });
        }
        if extra != 0 || comment != 0 {
            return Err(Error::UnsafeEntry {
                name: name.to_owned(),
                why: "it carries more than a file",
            });
        }
        rest = &rest[HEADER + length..];
    }
    match rest.is_empty() {
        true => Ok(count.into()),
        false => Err(broken("its list of entries is longer than it says")),
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}
