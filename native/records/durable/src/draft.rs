//! Files that are being written.

use crate::target::{Target, Temporary};
use crate::{Point, Staged, temporary};
use cap_std::fs::{OpenOptions, OpenOptionsExt as _};
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A file that is being written, under a name that nobody looks for. Dropped, it leaves nothing.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// let draft = durable::Target::at(&dir.path().join("copy"))?.draft()?;
/// // SQLite, for one, writes by name.
/// std::fs::write(draft.path(), "all of it")?;
/// draft.finish()?.place_and_sync()?;
/// assert_eq!(std::fs::read(dir.path().join("copy"))?, b"all of it");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Draft {
    file: File,
    path: PathBuf,
    /// Its permissions, when they are to be exactly these.
    mode: Option<u32>,
    points: [Point; 2],
    staged: Staged,
}

impl Draft {
    pub(crate) fn new(target: Target) -> io::Result<Draft> {
        let [written, synced, placed] = target.points;
        let temporary = match &target.temporary {
            Temporary::Beginning(prefix) => temporary::name(prefix)?,
            Temporary::Called(name) => match target.dir.remove_file(name) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
                _ => name.clone(),
            },
        };
        let mut options = OpenOptions::new();
        options.write(true).read(true).create_new(true).mode(target.mode);
        Ok(Draft {
            file: target.dir.open_with(&temporary, &options)?.into_std(),
            path: target.parent.join(&temporary),
            mode: target.exact_mode.then_some(target.mode),
            points: [written, synced],
            staged: Staged::new(target.dir, temporary.into(), target.name, placed),
        })
    }

    /// The file. Written through this alone, it cannot be led elsewhere by whoever sees the temporary name.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Its path until it is placed; below a directory that is open, the path from there.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file is complete: makes sure that its bytes are on the disk.
    pub fn finish(self) -> io::Result<Staged> {
        if let Some(mode) = self.mode {
            self.file.set_permissions(Permissions::from_mode(mode))?;
        }
        let [written, synced] = self.points;
        written.pass();
        self.file.sync_all()?;
        synced.pass();
        Ok(self.staged)
    }
}
