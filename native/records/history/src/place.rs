//! A plan's one true path.

use crate::Error;
use std::io;
use std::path::{Path, PathBuf};

/// Resolves links and dots, so that every way to a plan is the same plan. The file has to be there.
pub(crate) fn of_plan(plan: &Path) -> Result<PathBuf, Error> {
    let missing = |e: io::Error| match e.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Error::NoPlan(plan.to_owned()),
        _ => Error::io("find", plan)(e),
    };
    let path = plan.canonicalize().map_err(missing)?;
    match path.is_file() {
        true => Ok(path),
        false => Err(Error::NoPlan(plan.to_owned())),
    }
}

/// The same for a plan that may be gone while its history is not.
pub(crate) fn of_past_plan(plan: &Path) -> PathBuf {
    let resolved = plan.canonicalize().or_else(|_| {
        let directory = match plan.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        Ok::<_, io::Error>(directory.canonicalize()?.join(plan.file_name().unwrap_or_default()))
    });
    resolved.unwrap_or_else(|_| plan.to_owned())
}

/// The directory of a true path.
pub(crate) fn directory(plan: &Path) -> &Path {
    plan.parent().unwrap_or(plan)
}
