//! A directory as a volume.

use std::collections::HashSet;
use std::io::Read as _;
use std::path::Path;

use cap_fs_ext::{DirExt as _, FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};
use rusqlite::Transaction;

use crate::error::shorten;
use crate::files::check_size;
use crate::path::check;
use crate::{Disk, Error, Volume};

impl Disk {
    /// Makes a volume hold exactly the files below `dir`, and says how many.
    ///
    /// It happens in one transaction: all of it, or none. A file that did not change keeps its time; the others get
    /// `mtime`. Empty directories are not kept. A link, a pipe, a device or a name that is not UTF-8 is an error.
    ///
    /// ```
    /// # use vfs::{Disk, Options, Volume};
    /// # let home = tempfile::tempdir().unwrap();
    /// # let disk = Disk::open(home.path().join("d"), Options::default()).unwrap();
    /// # let dir = home.path().join("in");
    /// # std::fs::create_dir(&dir).unwrap();
    /// std::fs::write(dir.join("a.txt"), "hello").unwrap();
    /// assert_eq!(disk.import(Volume::Workspace, &dir, 1_700_000_000)?, 1);
    /// assert_eq!(disk.read(Volume::Workspace, "a.txt")?, b"hello");
    /// # Ok::<(), vfs::Error>(())
    /// ```
    pub fn import(&self, volume: Volume, dir: impl AsRef<Path>, mtime: i64) -> Result<usize, Error> {
        let own = self.own_files();
        let root = Dir::open_ambient_dir(dir, ambient_authority()).map_err(failed)?;
        self.writing(|transaction| {
            let mut import = Import {
                transaction,
                volume,
                mtime,
                own: &own,
                kept: HashSet::new(),
            };
            // A list, not recursion: nobody's nesting can exhaust the stack.
            let mut waiting = vec![(root, String::new())];
            while let Some((dir, path)) = waiting.pop() {
                import.directory(&dir, &path, &mut waiting)?;
            }
            import.delete_the_rest()?;
            Ok(import.kept.len())
        })
    }

    /// What identifies the disk's own files. Opening and closing one of them would drop SQLite's locks on it.
    fn own_files(&self) -> Vec<(u64, u64)> {
        ["", "-wal", "-shm"]
            .iter()
            .filter_map(|suffix| {
                let mut path = self.path().as_os_str().to_owned();
                path.push(suffix);
                let metadata = std::fs::metadata(path).ok()?;
                Some((metadata.dev(), metadata.ino()))
            })
            .collect()
    }
}

struct Import<'a> {
    transaction: &'a Transaction<'a>,
    volume: Volume,
    mtime: i64,
    own: &'a [(u64, u64)],
    kept: HashSet<Vec<u8>>,
}

impl Import<'_> {
    fn directory(&mut self, dir: &Dir, path: &str, waiting: &mut Vec<(Dir, String)>) -> Result<(), Error> {
        for entry in dir.entries().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let Some(utf8) = name.to_str() else {
                return Err(Error::InvalidPath {
                    path: shorten(&format!("{path}{}", name.to_string_lossy())),
                    why: "it is not UTF-8",
                });
            };
            let path = format!("{path}{utf8}");
            check(&path)?;
            let metadata = dir.symlink_metadata(&name).map_err(failed)?;
            if metadata.is_dir() {
                let below = dir.open_dir_nofollow(&name).map_err(failed)?;
                waiting.push((below, path + "/"));
            } else if !metadata.is_file() {
                return Err(Error::NotAFile { path });
            } else if self.own.contains(&(metadata.dev(), metadata.ino())) {
                return Err(Error::OwnFile { path });
            } else {
                // What was a file a moment ago may be a link or a pipe by now.
                let mut options = OpenOptions::new();
                options.read(true).follow(FollowSymlinks::No).nonblock(true);
                self.file(dir.open_with(&name, &options).map_err(failed)?, path)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, file: File, path: String) -> Result<(), Error> {
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(Error::NotAFile { path });
        }
        check_size(&path, metadata.len())?;
        let mut content = Vec::new();
        // One byte more than a file may have shows that it grew.
        file.take(crate::MAX_FILE as u64 + 1)
            .read_to_end(&mut content)
            .map_err(failed)?;
        check_size(&path, content.len() as u64)?;
        self.transaction
            .prepare_cached(
                "INSERT INTO vfs(volume, path, content, mtime) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET content = excluded.content, mtime = excluded.mtime
                 WHERE content IS NOT excluded.content",
            )?
            .execute((self.volume.name(), &path, content, self.mtime))?;
        self.kept.insert(path.into_bytes());
        Ok(())
    }

    fn delete_the_rest(&self) -> Result<(), Error> {
        let mut rows = self
            .transaction
            .prepare("SELECT rowid, CAST(path AS BLOB) FROM vfs WHERE volume = ?1")?;
        let gone: Vec<i64> = rows
            .query_map([self.volume.name()], |row| Ok((row.get(0)?, row.get(1)?)))?
            .filter(|row| !matches!(row, Ok((_, path)) if self.kept.contains::<Vec<u8>>(path)))
            .map(|row| row.map(|(rowid, _)| rowid))
            .collect::<Result<_, _>>()?;
        let mut delete = self.transaction.prepare("DELETE FROM vfs WHERE rowid = ?1")?;
        for rowid in gone {
            delete.execute([rowid])?;
        }
        Ok(())
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::io("import the directory")(error)
}
