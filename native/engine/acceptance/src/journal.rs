//! What a check did to the files of its directory, as the fence tells it.

use crate::verdict::ReadFile;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use shell::{Listener, Stamp};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The files that are remembered; a check that goes through more is no less a check.
const MOST_FILES: usize = 10_000;
/// The bytes of a file that are hashed.
const LARGEST: u64 = 256 << 20;

/// The files of one directory that were read and changed.
pub(crate) struct Journal {
    root: PathBuf,
    read: Mutex<BTreeMap<PathBuf, Option<String>>>,
    /// How each looked before.
    changed: Mutex<BTreeMap<PathBuf, Option<Stamp>>>,
}

impl Journal {
    pub fn of(workdir: &Path) -> io::Result<Journal> {
        Ok(Journal {
            root: workdir.canonicalize()?,
            read: Mutex::default(),
            changed: Mutex::default(),
        })
    }

    /// The files that look different now.
    pub fn changed(&self) -> Vec<String> {
        let changed = self.changed.lock();
        let differs = changed
            .iter()
            .filter(|(path, before)| Stamp::at(&self.root.join(path)) != **before);
        differs.map(|(path, _)| shown(path)).collect()
    }

    /// The files that were read.
    pub fn files_read(&self) -> Vec<ReadFile> {
        let read = self.read.lock();
        let files = read.iter().map(|(path, sha256)| ReadFile {
            path: shown(path),
            sha256: sha256.clone(),
        });
        files.collect()
    }

    fn within(&self, path: &Path) -> Option<PathBuf> {
        path.strip_prefix(&self.root).ok().map(Path::to_owned)
    }
}

impl Listener for Journal {
    fn read(&self, path: PathBuf, file: &File) {
        let Some(path) = self.within(&path) else { return };
        {
            let read = self.read.lock();
            if read.len() >= MOST_FILES || read.contains_key(&path) {
                return;
            }
        }
        let sha256 = hash(file).ok().flatten();
        self.read.lock().entry(path).or_insert(sha256);
    }

    fn change(&self, path: PathBuf, before: Option<Stamp>) {
        let Some(path) = self.within(&path) else { return };
        let mut changed = self.changed.lock();
        if changed.len() < MOST_FILES {
            changed.entry(path).or_insert(before);
        }
    }
}

/// The files of one directory that somebody who works there wrote.
pub struct Writes(Journal);

impl Writes {
    /// Nothing yet.
    pub fn of(workdir: &Path) -> io::Result<Writes> {
        Ok(Writes(Journal::of(workdir)?))
    }

    /// The files that are there and look different now.
    pub fn wrote(&self) -> Vec<String> {
        let wrote = self.0.changed().into_iter();
        wrote.filter(|path| self.0.root.join(path).is_file()).collect()
    }
}

impl Listener for Writes {
    // What a worker reads is nobody's business, and hashing it would cost.
    fn read(&self, _: PathBuf, _: &File) {}

    fn change(&self, path: PathBuf, before: Option<Stamp>) {
        self.0.change(path, before);
    }
}

/// The hash of a file, read beside the position that the guest reads at.
fn hash(file: &File) -> io::Result<Option<String>> {
    if file.metadata()?.len() > LARGEST {
        return Ok(None);
    }
    let mut digest = Sha256::new();
    let mut piece = vec![0; 64 << 10];
    let mut at = 0;
    loop {
        match file.read_at(&mut piece, at)? {
            0 => return Ok(Some(format!("{:x}", digest.finalize()))),
            n => {
                digest.update(&piece[..n]);
                at += n as u64;
            }
        }
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
