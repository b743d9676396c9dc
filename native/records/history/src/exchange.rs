//! A new text for the plan, unless somebody changed it meanwhile.
//!
//! A rename would throw away an edit that came between the last look and the rename. So the new file and the old one
//! exchange their names in one step, and then the old one is looked at: if it is not what was expected, the two exchange
//! their names again, and the edit is where it was.

use crate::{Error, fault, place, writers};
use durable::{Point, Target, sync_directory};
use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

const POINTS: [Point; 3] = [
    fault::named("plan.written"),
    fault::named("plan.synced"),
    fault::named("plan.ready"),
];

/// What became of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exchanged {
    /// The plan has the new text, and it is on the disk.
    Swapped,
    /// The plan has another text than was expected: this one. It stays as it is.
    Changed(Vec<u8>),
}

/// Makes `new` the text of the plan, if `expected` is its text now. A link to the plan stays a link.
///
/// ```
/// use history::Exchanged::{Changed, Swapped};
/// # let dir = tempfile::tempdir().unwrap();
/// let plan = dir.path().join("plan.org");
/// std::fs::write(&plan, "* TODO Ship\n").unwrap();
/// assert_eq!(history::exchange(&plan, b"* TODO Ship\n", b"* DONE Ship\n")?, Swapped);
/// assert_eq!(history::exchange(&plan, b"* TODO Ship\n", b"* FAILED Ship\n")?, Changed(b"* DONE Ship\n".to_vec()));
/// # Ok::<(), history::Error>(())
/// ```
pub fn exchange(plan: &Path, expected: &[u8], new: &[u8]) -> Result<Exchanged, Error> {
    exchange_at(&place::of_plan(plan)?, expected, new)
}

/// The same at the one true path of a plan, such as [`Run::plan`](crate::Run::plan) gives it. It follows no link: a link
/// that stands there now was not there when the run began.
pub fn exchange_at(plan: &Path, expected: &[u8], new: &[u8]) -> Result<Exchanged, Error> {
    let (current, about) = read(plan)?;
    if current != expected {
        return Ok(Exchanged::Changed(current));
    }
    let failed = Error::io("write", plan);
    let aside = write_aside(plan, &about, expected, new).map_err(&failed)?;
    let exchanged = swap(plan, &aside, expected, new);
    if !matches!(exchanged, Err(Error::Conflict { .. })) {
        let _ = fs::remove_file(&aside);
    }
    fault::point("plan.removed");
    let exchanged = exchanged?;
    sync_directory(place::directory(plan)).map_err(&failed)?;
    fault::point("plan.kept");
    Ok(exchanged)
}

fn swap(plan: &Path, aside: &Path, expected: &[u8], new: &[u8]) -> Result<Exchanged, Error> {
    let failed = Error::io("write", plan);
    // Writing took a while. An edit seen here does not have to lose its name even for a moment.
    let (current, _) = read(plan)?;
    if current != expected {
        return Ok(Exchanged::Changed(current));
    }
    fault::point("plan.seen");
    if !exchange_names(aside, plan).map_err(&failed)? {
        // This file system cannot exchange names.
        fs::rename(aside, plan).map_err(&failed)?;
        return Ok(Exchanged::Swapped);
    }
    fault::point("plan.exchanged");
    let old = read_last(aside)?;
    fault::point("plan.compared");
    if old == expected {
        return Ok(Exchanged::Swapped);
    }
    exchange_names(aside, plan).map_err(&failed)?;
    if read_last(aside)? == new {
        return Ok(Exchanged::Changed(old));
    }
    // Somebody edited the new text in that moment. The newer edit gets the name, and the older is kept as well.
    exchange_names(aside, plan).map_err(&failed)?;
    let kept = plan.with_added_extension(format!("conflict-{:.8}", digest(&old)));
    fs::rename(aside, &kept).map_err(&failed)?;
    Err(Error::Conflict { kept })
}

/// What a leftover was for is in its name: the hashes of the text that was expected and of the new one. A file that is
/// neither is somebody's edit, taken from its place by a process that was killed before it could look.
pub(crate) fn settle(plan: &Path, leftover: &Path, name: &str) {
    let Some(rest) = name.strip_prefix(&prefix(plan)) else {
        return;
    };
    let edit = (|| {
        let (expected, new) = rest.split_once('-')?;
        let (found, _) = read(leftover).ok()?;
        let (current, _) = read(plan).ok()?;
        let edited = digest(&found) != expected && digest(&found) != new;
        (edited && digest(&current) == new).then_some(())
    })();
    if edit.is_some() {
        let _ = exchange_names(leftover, plan);
    }
    let _ = fs::remove_file(leftover);
}

/// Puts the new text, complete and on the disk, beside the plan.
fn write_aside(plan: &Path, about: &Metadata, expected: &[u8], new: &[u8]) -> io::Result<PathBuf> {
    let aside = plan.with_file_name(format!("{}{}-{}", prefix(plan), digest(expected), digest(new)));
    let target = Target::at(&aside)?.temporary_prefix(&prefix(plan)).points(POINTS);
    let staged = target.stage(|file| {
        file.write_all(new)?;
        file.set_permissions(about.permissions())?;
        // Only root may give a file away; others lose nothing, for they own what they may replace.
        let _ = fchown(file, Some(about.uid()), Some(about.gid()));
        Ok(())
    })?;
    staged.place()?;
    Ok(aside)
}

/// `.plan.org.wb-`
fn prefix(plan: &Path) -> String {
    let name = plan.file_name().unwrap_or_default().to_string_lossy();
    format!(".{name}.wb-")
}

/// Short: nobody attacks it, for it only tells three texts apart.
fn digest(text: &[u8]) -> String {
    let mut digest = format!("{:x}", Sha256::digest(text));
    digest.truncate(16);
    digest
}

/// Gives each of two files the name of the other. `false` when the file system cannot.
fn exchange_names(a: &Path, b: &Path) -> io::Result<bool> {
    match renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

/// Reads a file that is no link.
pub(crate) fn read(path: &Path) -> Result<(Vec<u8>, Metadata), Error> {
    let mut file = open(path)?;
    let failed = Error::io("read", path);
    let about = file.metadata().map_err(&failed)?;
    let mut text = Vec::new();
    file.read_to_end(&mut text).map_err(&failed)?;
    Ok((text, about))
}

/// Reads a file that nobody can find any more, when its last writer has finished.
fn read_last(path: &Path) -> Result<Vec<u8>, Error> {
    writers::wait_for_writers(&open(path)?);
    Ok(read(path)?.0)
}

fn open(path: &Path) -> Result<File, Error> {
    let missing = |e: io::Error| match e.kind() {
        io::ErrorKind::NotFound => Error::NoPlan(path.to_owned()),
        _ => Error::io("read", path)(e),
    };
    File::options()
        .read(true)
        .custom_flags(OFlags::NOFOLLOW.bits() as i32)
        .open(path)
        .map_err(missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Exchanged::{Changed, Swapped};
    use durable::fault::visit;

    const OLD: &[u8] = b"* TODO Ship\n";
    const NEW: &[u8] = b"* DONE Ship\n";

    /// Exchanges while an editor writes a text by name when the exchange comes by a point.
    fn exchanged(edits: &'static [(&'static str, &'static str)]) -> (Result<Exchanged, Error>, Vec<(String, String)>) {
        let dir = tempfile::tempdir().unwrap();
        let plan = dir.path().join("plan.org");
        fs::write(&plan, OLD).unwrap();
        let edited = plan.clone();
        let edit = move |point: &str| {
            for (_, text) in edits.iter().filter(|(at, _)| *at == point) {
                let aside = edited.with_extension("editor");
                fs::write(&aside, text).unwrap();
                fs::rename(aside, &edited).unwrap();
            }
        };
        let result = visit(edit, || exchange(&plan, OLD, NEW));
        let mut files: Vec<(String, String)> = fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| {
                let text = fs::read_to_string(entry.path()).unwrap();
                (entry.file_name().into_string().unwrap(), text)
            })
            .collect();
        files.sort();
        (result, files)
    }

    #[test]
    fn an_edit_before_the_names_are_exchanged_stays_in_its_place() {
        for point in ["plan.written", "plan.synced", "plan.ready", "plan.seen"] {
            let edits: &'static [(&str, &str)] = Vec::leak(vec![(point, "edit")]);
            let (result, files) = exchanged(edits);
            assert_eq!(result.unwrap(), Changed(b"edit".to_vec()), "{point}");
            assert_eq!(files, [("plan.org".into(), "edit".into())], "{point}");
        }
    }

    #[test]
    fn an_edit_after_the_names_are_exchanged_is_an_edit_of_the_new_text() {
        let (result, files) = exchanged(&[("plan.exchanged", "edit")]);
        assert_eq!(result.unwrap(), Swapped);
        assert_eq!(files, [("plan.org".into(), "edit".into())]);
    }

    #[test]
    fn of_two_edits_at_once_the_newer_has_the_name_and_the_older_is_kept() {
        let (result, files) = exchanged(&[("plan.seen", "older"), ("plan.compared", "newer")]);
        let Err(Error::Conflict { kept }) = result else {
            panic!("{result:?}")
        };
        let kept = kept.file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(files, [("plan.org".into(), "newer".into()), (kept, "older".into())]);
    }

    #[test]
    fn a_leftover_of_a_killed_exchange_is_an_edit_only_if_it_is_neither_text() {
        for (leftover, current, expected) in [
            // Killed before the exchange, after it, after it while an edit was caught, and after others went on.
            (NEW, OLD, OLD),
            (OLD, NEW, NEW),
            (b"edit".as_slice(), NEW, b"edit".as_slice()),
            (b"edit", b"went on", b"went on"),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let plan = dir.path().join("plan.org");
            let name = format!("{}{}-{}", prefix(&plan), digest(OLD), digest(NEW));
            fs::write(&plan, current).unwrap();
            fs::write(dir.path().join(&name), leftover).unwrap();
            settle(&plan, &dir.path().join(&name), &name);
            assert_eq!(fs::read(&plan).unwrap(), expected);
            assert!(!dir.path().join(&name).exists());
        }
    }
}
