//! What is in an archive.

use crate::extract::members;
use crate::options::Options;
use std::io::{self, Write};
use tar::{EntryType, Header};

pub fn list(options: &Options) -> Result<i32, String> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let status = members(options, |path, entry| {
        let header = entry.header();
        let mut name = path.display().to_string();
        if header.entry_type().is_dir() && !name.ends_with('/') {
            name.push('/');
        }
        let link = entry.link_name().ok().flatten();
        let arrow = match (header.entry_type(), link) {
            (EntryType::Symlink, Some(link)) => format!(" -> {}", link.display()),
            (EntryType::Link, Some(link)) => format!(" link to {}", link.display()),
            _ => String::new(),
        };
        let written = match options.verbose {
            0 => writeln!(out, "{name}"),
            _ => writeln!(out, "{} {name}{arrow}", details(header)),
        };
        written.map(|()| 0).map_err(|error| error.to_string())
    })?;
    out.flush().map_err(|error| error.to_string())?;
    Ok(status)
}

/// `-rw-r--r-- root/root  5 1970-01-01 00:00`.
fn details(header: &Header) -> String {
    let letter = match header.entry_type() {
        EntryType::Directory => 'd',
        EntryType::Symlink => 'l',
        EntryType::Link => 'h',
        _ => '-',
    };
    let mode = header.mode().unwrap_or(0);
    let bits = (0..9).rev().map(|bit| match mode >> bit & 1 {
        0 => '-',
        _ => ['x', 'w', 'r'][bit % 3],
    });
    let permissions: String = std::iter::once(letter).chain(bits).collect();
    let who = |name: Result<Option<&str>, _>, id: io::Result<u64>| match name {
        Ok(Some(name)) if !name.is_empty() => name.to_owned(),
        _ => id.unwrap_or(0).to_string(),
    };
    let owner = format!(
        "{}/{}",
        who(header.username(), header.uid()),
        who(header.groupname(), header.gid())
    );
    let size = header.size().unwrap_or(0).to_string();
    let width = 19_usize.saturating_sub(owner.len() + 1).max(size.len());
    format!(
        "{permissions} {owner} {size:>width$} {}",
        minute(header.mtime().unwrap_or(0))
    )
}

/// Date and minute in UTC.
fn minute(seconds: u64) -> String {
    let time = civil::Time::from_unix(i64::try_from(seconds).unwrap_or(i64::MAX)).to_string();
    time[..time.len() - ":00".len()].to_owned()
}
