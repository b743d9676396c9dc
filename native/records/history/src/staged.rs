//! Files of a run that are completed first and get their names later.

use crate::fault;
use std::fs::File;
use std::io;
use std::path::Path;

pub(crate) use durable::{Staged, sync_directory};

/// The names of the points on the way of a file: written, synced, placed.
pub(crate) type Points = [&'static str; 3];

/// Fills a new file for `target`. `mark` tells the leftovers of one plan from those of another.
pub(crate) fn stage(
    target: &Path,
    mark: &str,
    mode: u32,
    points: Points,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<Staged> {
    durable::Target::at(target)?
        .temporary_prefix(&prefix(target, mark))
        .mode(mode)
        .points(points.map(fault::named))
        .stage(fill)
}

/// How the temporary files for `target` begin.
pub(crate) fn prefix(target: &Path, mark: &str) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    format!(".{name}.wb-{mark}-")
}
