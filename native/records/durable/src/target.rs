//! Where a file is to appear, and how.

use crate::directory::{self, open_parent, open_parent_within};
use crate::{Draft, Point, Staged};
use cap_std::fs::{Dir, MetadataExt as _};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that is to appear whole or not at all. The directory must exist.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// let path = dir.path().join("index.json");
/// durable::Target::at(&path)?.replace(b"{}")?;
/// durable::Target::at(&path)?.mode(0o644).replace(b"[]")?;
/// assert_eq!(std::fs::read(&path)?, b"[]");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Target {
    pub(crate) dir: Dir,
    /// The path of `dir`, as the caller gave it.
    pub(crate) parent: PathBuf,
    /// One name in `dir`.
    pub(crate) name: PathBuf,
    pub(crate) mode: u32,
    pub(crate) exact_mode: bool,
    pub(crate) temporary: Temporary,
    pub(crate) points: [Point; 3],
}

/// What the file is called until it is complete.
#[derive(Debug)]
pub(crate) enum Temporary {
    /// This, and something that makes it unique.
    Beginning(String),
    /// Exactly this.
    Called(String),
}

impl Target {
    /// By its path.
    pub fn at(path: &Path) -> io::Result<Target> {
        Ok(Target::new(path, open_parent(path)?))
    }

    /// By its path below a directory that is open. It cannot lie outside, whatever links there are on the way.
    pub fn within(dir: &Dir, path: impl AsRef<Path>) -> io::Result<Target> {
        let path = path.as_ref();
        Ok(Target::new(path, open_parent_within(dir, path)?))
    }

    fn new(path: &Path, (dir, name): (Dir, PathBuf)) -> Target {
        let temporary = Temporary::Beginning(format!(".{}.wb-", name.to_string_lossy()));
        Target {
            dir,
            parent: directory::parent(path).to_owned(),
            name,
            mode: 0o600,
            exact_mode: false,
            temporary,
            points: [Point::UNNAMED; 3],
        }
    }

    /// Its permissions, less those that the process takes from every new file. Without this it is its owner's alone.
    pub fn mode(mut self, mode: u32) -> Target {
        self.mode = mode;
        self
    }

    /// The permissions of the file that is there now. Where there is none, those of [`mode`](Target::mode).
    pub fn keep_mode(mut self) -> Target {
        if let Ok(old) = self.dir.metadata(&self.name) {
            self.mode = old.mode() & 0o7777;
            self.exact_mode = true;
        }
        self
    }

    /// How its name begins until it is complete: whoever sweeps up after a kill knows whose it was.
    pub fn temporary_prefix(mut self, prefix: &str) -> Target {
        self.temporary = Temporary::Beginning(prefix.to_owned());
        self
    }

    /// Its name until it is complete, for a writer that holds a lock: what a killed one left under it is replaced.
    pub fn temporary_name(mut self, name: &str) -> Target {
        self.temporary = Temporary::Called(name.to_owned());
        self
    }

    /// Where a test may end the process: the bytes are written, they are synced, the file has its name.
    pub fn points(mut self, points: [Point; 3]) -> Target {
        self.points = points;
        self
    }

    /// Puts these bytes there, in place of the file that is there: a reader sees the old one or the new one.
    ///
    /// A link of that name is replaced, not followed.
    pub fn replace(self, bytes: &[u8]) -> io::Result<()> {
        self.stage(|file| file.write_all(bytes))?.place_and_sync()
    }

    /// Puts these bytes there unless there is a file. Whether there was none: of two that try at once,
    /// exactly one gets `true`.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// let key = dir.path().join("key");
    /// assert!(durable::Target::at(&key)?.create(b"first")?);
    /// assert!(!durable::Target::at(&key)?.create(b"second")?);
    /// assert_eq!(std::fs::read(&key)?, b"first");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn create(self, bytes: &[u8]) -> io::Result<bool> {
        self.stage(|file| file.write_all(bytes))?.place_new_and_sync()
    }

    /// Completes the file, to be placed later. Dropped instead, it leaves nothing.
    pub fn stage(self, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<Staged> {
        let mut draft = self.draft()?;
        fill(draft.file())?;
        draft.finish()
    }

    /// Begins the file under its temporary name, for those who cannot fill it in one go.
    pub fn draft(self) -> io::Result<Draft> {
        Draft::new(self)
    }
}
