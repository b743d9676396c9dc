//! From a source on the disk to a toolkit on the disk.

use crate::slug::is_slug;
use crate::{Error, Kind, Skipped, disk, scaffold, target};
use serde::Serialize;
use std::path::{Path, PathBuf};
use toolkit_audit::{Lanes, Report};

/// What to import, and where to.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// A directory or a file.
    pub source: &'a Path,
    /// What it is; detected when it is not said.
    pub kind: Option<Kind>,
    /// The directory to make; else it is named for the toolkit and made in `here`.
    pub target: Option<&'a Path>,
    /// Where a directory without a name of its own goes.
    pub here: &'a Path,
    /// The lanes of this build.
    pub lanes: &'a Lanes,
}

/// What an import made.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Imported {
    /// The toolkit's id.
    pub id: String,
    /// What the source was.
    pub kind: Kind,
    /// The new directory.
    pub dir: PathBuf,
    /// The names of its skills.
    pub skills: Vec<String>,
    /// The paths of its scripts, below `scripts/`.
    pub scripts: Vec<String>,
    /// What was left behind, and why.
    pub skipped: Vec<Skipped>,
    /// The audit.
    #[serde(flatten)]
    pub audited: Audited,
}

/// How the audit at the end of an import went. The import stands either way.
#[derive(Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Audited {
    /// It is in the manifest.
    Audit(Report),
    /// It could not be made; the bait is still in the manifest.
    AuditSkipped(String),
}

/// Imports a tool, and audits what it made.
pub fn import(order: &Order<'_>) -> Result<Imported, Error> {
    import_then(order, |dir| crate::audit(dir, false, order.lanes))
}

fn import_then(order: &Order<'_>, audit: impl FnOnce(&Path) -> Result<Report, Error>) -> Result<Imported, Error> {
    let source = disk::open(order.source)?;
    let detected = || Kind::detect(&source).ok_or_else(|| Error::Undetected(source.name().to_owned()));
    let kind = order.kind.map_or_else(detected, Ok)?;
    let id = order.target.map(id).transpose()?;
    let toolkit = scaffold(kind, &source, id.as_deref())?;
    let dir = order
        .target
        .map_or_else(|| order.here.join(&toolkit.id), Path::to_owned);
    target::create(&dir, &toolkit.files())?;
    let audited = match audit(&dir) {
        Ok(report) => Audited::Audit(report),
        Err(why) => Audited::AuditSkipped(why.to_string()),
    };
    let mut skills = vec!["overview".to_owned()];
    skills.extend(toolkit.skills.into_iter().map(|skill| skill.slug));
    Ok(Imported {
        id: toolkit.id,
        kind,
        dir,
        skills,
        scripts: toolkit.scripts.into_keys().collect(),
        skipped: toolkit.skipped,
        audited,
    })
}

/// The name of a directory is the id of the toolkit in it.
fn id(target: &Path) -> Result<String, Error> {
    let name = target
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    if is_slug(&name) {
        Ok(name)
    } else {
        Err(Error::BadId(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_stands_when_its_audit_does_not() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("notes.md"), "# Notes\n\nRead me.\n").unwrap();
        let lanes = Lanes::none();
        let order = Order {
            source: &dir.path().join("notes.md"),
            kind: None,
            target: None,
            here: dir.path(),
            lanes: &lanes,
        };
        let imported = import_then(&order, |_| Err(Error::Conflict)).unwrap();
        assert_eq!(imported.audited, Audited::AuditSkipped(Error::Conflict.to_string()));
        let manifest = std::fs::read_to_string(dir.path().join("notes/manifest.org")).unwrap();
        assert!(manifest.ends_with(toolkit_audit::section::BAIT));
    }
}
