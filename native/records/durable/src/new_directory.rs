//! Directories that appear with everything in them.

use crate::directory::{self, open_parent};
use crate::{Point, temporary};
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt as _, OpenOptions, OpenOptionsExt as _};
use rustix::fs::{RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A directory that comes together under a name that nobody looks for. Dropped before it is placed, it is removed.
///
/// ```
/// # let home = tempfile::tempdir()?;
/// let target = home.path().join("toolkit");
/// let new = durable::NewDirectory::at(&target, ".toolkit-")?;
/// new.write("skills/make.org", b"* Make")?;
/// assert!(!target.exists());
/// new.place_new()?;
/// assert_eq!(std::fs::read(target.join("skills/make.org"))?, b"* Make");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct NewDirectory {
    parent: Dir,
    inside: Dir,
    path: PathBuf,
    temporary: PathBuf,
    name: PathBuf,
    private: bool,
    points: [Point; 2],
    ours: bool,
}

impl NewDirectory {
    /// For `target`, whose parent must exist. Until it is placed its name begins with `prefix`.
    ///
    /// It has the permissions of any new directory.
    pub fn at(target: &Path, prefix: &str) -> io::Result<NewDirectory> {
        NewDirectory::build(target, &temporary::name(prefix)?, false)
    }

    /// The same for its owner alone, under exactly this name, for a writer that holds a lock: what a killed one left
    /// under it is removed.
    pub fn private(target: &Path, name: &str) -> io::Result<NewDirectory> {
        match directory::open_parent(target)?.0.remove_dir_all(name) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
            _ => NewDirectory::build(target, name, true),
        }
    }

    fn build(target: &Path, temporary: &str, private: bool) -> io::Result<NewDirectory> {
        let (parent, name) = open_parent(target)?;
        parent.create_dir_with(temporary, &builder(private))?;
        let inside = parent.open_dir(temporary)?;
        Ok(NewDirectory {
            parent,
            inside,
            path: directory::parent(target).join(temporary),
            temporary: temporary.into(),
            name,
            private,
            points: [Point::UNNAMED; 2],
            ours: true,
        })
    }

    /// Where a test may end the process: everything is synced, the directory has its name.
    pub fn points(mut self, points: [Point; 2]) -> NewDirectory {
        self.points = points;
        self
    }

    /// The directory. What is put into it is synced when it is placed.
    pub fn dir(&self) -> &Dir {
        &self.inside
    }

    /// Its path, for those who can only write by one.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts a new file into it, with the directories on the way.
    pub fn write(&self, name: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
        self.create(name)?.write_all(bytes)
    }

    /// The same, for those who have not all the bytes at once.
    pub fn create(&self, name: impl AsRef<Path>) -> io::Result<File> {
        let name = name.as_ref();
        let mut above: Vec<&Path> = name
            .ancestors()
            .skip(1)
            .filter(|above| *above != Path::new(""))
            .collect();
        above.reverse();
        for directory in above {
            match self.inside.create_dir_with(directory, &builder(self.private)) {
                Err(there) if there.kind() == io::ErrorKind::AlreadyExists => {}
                made => made?,
            }
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        options.mode(if self.private { 0o600 } else { 0o666 });
        Ok(self.inside.open_with(name, &options)?.into_std())
    }

    /// Gives it its name. An empty directory of that name is replaced; anything else there is an error.
    pub fn place(mut self) -> io::Result<()> {
        self.rename(|new| new.parent.rename(&new.temporary, &new.parent, &new.name))
    }

    /// Gives it its name; anything there is an error.
    pub fn place_new(mut self) -> io::Result<()> {
        self.rename(|new| {
            match renameat_with(
                &new.parent,
                &new.temporary,
                &new.parent,
                &new.name,
                RenameFlags::NOREPLACE,
            ) {
                // Not every file system can; a rename replaces an empty directory at most.
                Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                    new.parent.rename(&new.temporary, &new.parent, &new.name)
                }
                done => Ok(done?),
            }
        })
    }

    /// Gives it its name, in the place of a directory that has it: in one step, and the old one is removed after.
    ///
    /// ```
    /// # let home = tempfile::tempdir()?;
    /// let target = home.path().join("toolkit");
    /// for text in ["one", "two"] {
    ///     let new = durable::NewDirectory::at(&target, ".toolkit-")?;
    ///     new.write("manifest.org", text.as_bytes())?;
    ///     new.replace()?;
    ///     assert_eq!(std::fs::read_to_string(target.join("manifest.org"))?, text);
    /// }
    /// assert_eq!(std::fs::read_dir(home.path())?.count(), 1);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn replace(mut self) -> io::Result<()> {
        self.rename(|new| {
            match renameat_with(
                &new.parent,
                &new.temporary,
                &new.parent,
                &new.name,
                RenameFlags::EXCHANGE,
            ) {
                Err(Errno::NOENT) => new.parent.rename(&new.temporary, &new.parent, &new.name),
                // Not every file system can; then there is a moment without either.
                Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                    new.parent.remove_dir_all(&new.name)?;
                    new.parent.rename(&new.temporary, &new.parent, &new.name)
                }
                done => Ok(done?),
            }
        })?;
        // What was there before, if anything was, has the other name now.
        match self.parent.remove_dir_all(&self.temporary) {
            Err(gone) if gone.kind() != io::ErrorKind::NotFound => Err(gone),
            _ => Ok(()),
        }
    }

    fn rename(&mut self, rename: impl FnOnce(&Self) -> io::Result<()>) -> io::Result<()> {
        sync_below(&self.inside)?;
        let [synced, placed] = self.points;
        synced.pass();
        rename(self)?;
        self.ours = false;
        placed.pass();
        directory::sync_open_directory(&self.parent)
    }
}

impl Drop for NewDirectory {
    fn drop(&mut self) {
        if self.ours {
            let _ = self.parent.remove_dir_all(&self.temporary);
        }
    }
}

fn builder(private: bool) -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(if private { 0o700 } else { 0o777 });
    builder
}

/// Syncs everything below a directory, and then its own names.
fn sync_below(dir: &Dir) -> io::Result<()> {
    for entry in dir.entries()? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            sync_below(&entry.open_dir()?)?;
        } else if kind.is_file() {
            entry.open()?.sync_all()?;
        }
    }
    directory::sync_open_directory(dir)
}
