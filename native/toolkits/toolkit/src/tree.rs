//! The files of a toolkit, read by capability. The directory is a stranger's: nothing in it is believed.

use crate::Error;
use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

/// The longest text that is read, in bytes.
pub const MAX_TEXT: u64 = 1 << 20;
/// The largest file of a toolkit.
pub const MAX_FILE: u64 = 64 << 20;
/// The most that all of them may hold together.
pub const MAX_TOTAL: u64 = 256 << 20;
/// The most files of a toolkit.
pub const MAX_FILES: usize = 4_096;
/// The deepest directory of a toolkit.
const MAX_DEPTH: usize = 16;

/// A directory that is open. Paths below it have `/` between their parts.
pub struct Tree {
    dir: Dir,
}

impl Tree {
    /// Opens a directory.
    pub fn open(path: &Path) -> io::Result<Tree> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        Ok(Tree { dir })
    }

    /// A directory below, which is no link.
    pub fn below(&self, name: &str) -> Result<Tree, Error> {
        let dir = self.dir.open_dir_nofollow(name).map_err(|e| refusal(name, &e))?;
        Ok(Tree { dir })
    }

    /// The names of the directories in it, sorted; links and names that are no UTF-8 are left out.
    pub fn directories(&self) -> Result<Vec<String>, Error> {
        let kept = |entry: &cap_std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        self.names(".", kept)
    }

    /// The names of the files in a directory below, sorted; an absent directory has none.
    pub fn files_in(&self, dir: &str) -> Result<Vec<String>, Error> {
        match self.dir.symlink_metadata(dir) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(refusal(dir, &e)),
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(Error::refused(dir, "it is not a directory")),
        }
        self.names(dir, |entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
    }

    fn names(&self, dir: &str, keep: impl Fn(&cap_std::fs::DirEntry) -> bool) -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        for entry in self.dir.read_dir(dir).map_err(|e| refusal(dir, &e))? {
            let entry = entry.map_err(|e| refusal(dir, &e))?;
            if names.len() > MAX_FILES {
                return Err(Error::refused(dir, format!("it holds more than {MAX_FILES} entries")));
            }
            if keep(&entry)
                && let Ok(name) = entry.file_name().into_string()
            {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Whether there is anything of that name, be it a link.
    pub fn exists(&self, path: &str) -> bool {
        let found = self.dir.symlink_metadata(path);
        !found.is_err_and(|e| e.kind() == io::ErrorKind::NotFound)
    }

    /// Whether there is a plain file of that name.
    pub fn has(&self, path: &str) -> bool {
        self.dir.symlink_metadata(path).is_ok_and(|found| found.is_file())
    }

    /// A text of bounded size.
    pub fn text(&self, path: &str) -> Result<String, Error> {
        let bytes = self.bytes(path, MAX_TEXT)?;
        String::from_utf8(bytes).map_err(|e| {
            let at = e.utf8_error().valid_up_to();
            Error::refused(path, format!("it is not UTF-8: byte {at}"))
        })
    }

    /// The bytes of a plain file that has at most `limit` of them.
    pub fn bytes(&self, path: &str, limit: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let read = self.plain(path)?.take(limit + 1).read_to_end(&mut bytes);
        read.map_err(|e| refusal(path, &e))?;
        match bytes.len() as u64 > limit {
            true => Err(too_large(path, limit)),
            false => Ok(bytes),
        }
    }

    /// Every file below, by its path, with its SHA-256. A link, a device, a name that is no UTF-8 or a file that is too
    /// large is refused by name: what cannot be hashed cannot be vouched for.
    pub fn hashes(&self) -> Result<BTreeMap<String, String>, Error> {
        let mut found = Walk::default();
        found.visit(self, "", 0)?;
        Ok(found.hashes)
    }

    /// The open directory itself, for whoever writes or copies.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Opens a plain file; a link anywhere on the way that leads out is refused, and the file itself is no link at all.
    fn plain(&self, path: &str) -> Result<cap_std::fs::File, Error> {
        let found = self.dir.symlink_metadata(path).map_err(|e| refusal(path, &e))?;
        if found.is_symlink() {
            return Err(Error::refused(path, "it is a link"));
        }
        // Opening a pipe would wait for its other end.
        if !found.is_file() {
            return Err(Error::refused(path, "it is not a plain file"));
        }
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        self.dir.open_with(path, &options).map_err(|e| refusal(path, &e))
    }
}

#[derive(Default)]
struct Walk {
    hashes: BTreeMap<String, String>,
    total: u64,
}

impl Walk {
    fn visit(&mut self, tree: &Tree, prefix: &str, depth: usize) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            return Err(Error::refused(prefix, format!("it is deeper than {MAX_DEPTH}")));
        }
        for entry in tree.dir.entries().map_err(|e| refusal(prefix, &e))? {
            let entry = entry.map_err(|e| refusal(prefix, &e))?;
            let name = entry.file_name().into_string().map_err(|name| {
                let path = format!("{prefix}{}", name.to_string_lossy());
                Error::refused(path, "its name is not UTF-8")
            })?;
            let path = format!("{prefix}{name}");
            let kind = entry.file_type().map_err(|e| refusal(&path, &e))?;
            if kind.is_dir() {
                self.visit(&tree.below(&name)?, &format!("{path}/"), depth + 1)?;
                continue;
            }
            if self.hashes.len() == MAX_FILES {
                return Err(Error::refused(path, format!("there are more than {MAX_FILES} files")));
            }
            let hash = self.hash(tree, &name, &path)?;
            self.hashes.insert(path, hash);
        }
        Ok(())
    }

    fn hash(&mut self, tree: &Tree, name: &str, path: &str) -> Result<String, Error> {
        let mut file = tree.plain(name).map_err(|e| match e {
            Error::Refused { why, .. } => Error::refused(path, why),
            other => other,
        })?;
        let mut hash = Sha256::new();
        let (mut size, mut chunk) = (0u64, vec![0; 64 << 10]);
        loop {
            let n = file.read(&mut chunk).map_err(|e| refusal(path, &e))?;
            if n == 0 {
                return Ok(format!("{:x}", hash.finalize()));
            }
            size += n as u64;
            self.total += n as u64;
            if size > MAX_FILE {
                return Err(too_large(path, MAX_FILE));
            }
            if self.total > MAX_TOTAL {
                return Err(Error::refused(
                    path,
                    format!("all files together have more than {MAX_TOTAL} bytes"),
                ));
            }
            hash.update(&chunk[..n]);
        }
    }
}

fn too_large(path: &str, limit: u64) -> Error {
    Error::refused(path, format!("it has more than {limit} bytes"))
}

fn refusal(path: &str, error: &io::Error) -> Error {
    let path = if path.is_empty() { "." } else { path };
    match error.kind() {
        io::ErrorKind::NotFound => Error::refused(path, "it is not there"),
        // What cap-std says of a path that leads out.
        io::ErrorKind::PermissionDenied => Error::refused(path, "it leads out of the toolkit, or may not be read"),
        _ => Error::refused(path, error.to_string()),
    }
}
