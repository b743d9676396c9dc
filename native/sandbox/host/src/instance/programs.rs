//! Programs that were loaded before, found again by file or by content.

use super::program::{Code, Program};
use crate::packaged::unpackage;
use crate::stamp::Stamp;
use crate::{Error, Sandbox};
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::fs;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Programs kept in memory; the least recently used one goes first.
const KEPT: usize = 256;
/// The largest component that is read, in bytes.
const MAX_COMPONENT: u64 = conformance::MAX_BYTES as u64;
/// The most bytes that are hashed on a thread that guests share.
const MAX_QUICK: usize = 256 << 10;

type Digest = [u8; 32];

/// Where a component comes from.
#[derive(Debug, Clone)]
pub enum Source {
    /// A file. It is read again when it has changed.
    File(PathBuf),
    /// The bytes themselves.
    Bytes(Arc<[u8]>),
}

/// The programs of a process.
#[derive(Default)]
pub struct Programs {
    files: Mutex<Recent<PathBuf, (Stamp, Arc<Program>)>>,
    /// By what is left of a program without the arguments it was packaged with.
    contents: Mutex<Recent<Digest, Arc<Code>>>,
    /// Whoever asks for a program that is being compiled waits here instead of compiling it again.
    loading: Mutex<HashMap<Digest, Arc<Mutex<()>>>>,
}

impl Programs {
    /// The program, when it is at hand and its file is as it was. This is quick; bytes too many to hash in passing are
    /// never at hand.
    pub fn at_hand(&self, source: &Source) -> Option<Arc<Program>> {
        match source {
            Source::File(path) => {
                let stamp = Stamp::of(&fs::metadata(path).ok()?);
                let mut files = self.files.lock();
                let (known, program) = files.get(path)?;
                (*known == stamp).then(|| program.clone())
            }
            Source::Bytes(bytes) if bytes.len() > MAX_QUICK => None,
            Source::Bytes(bytes) => {
                let (wasm, argv) = unpackage(bytes).ok()?;
                let code = self.contents.lock().get(&digest(&wasm)).cloned()?;
                Some(Arc::new(Program::new(code, argv)))
            }
        }
    }

    /// Loads the program. This compiles and may take seconds, so it belongs on a thread that can wait.
    pub fn load(&self, sandbox: &Sandbox, source: &Source) -> Result<Arc<Program>, Error> {
        match source {
            Source::Bytes(bytes) => self.load_bytes(sandbox, bytes),
            Source::File(path) => {
                let (stamp, bytes) = read(path)?;
                let program = self.load_bytes(sandbox, &bytes)?;
                let mut files = self.files.lock();
                // Whoever was first has put it there.
                if let Some((known, program)) = files.get(path)
                    && *known == stamp
                {
                    return Ok(program.clone());
                }
                files.put(path.clone(), (stamp, program.clone()));
                Ok(program)
            }
        }
    }

    fn load_bytes(&self, sandbox: &Sandbox, bytes: &[u8]) -> Result<Arc<Program>, Error> {
        let (wasm, argv) = unpackage(bytes)?;
        let key = digest(&wasm);
        let turn = self.loading.lock().entry(key).or_default().clone();
        let _my_turn = turn.lock();
        if let Some(code) = self.contents.lock().get(&key) {
            return Ok(Arc::new(Program::new(code.clone(), argv)));
        }
        let loaded = Code::load(sandbox, &wasm).map(|(code, _)| Arc::new(code));
        if let Ok(code) = &loaded {
            self.contents.lock().put(key, code.clone());
        }
        self.loading.lock().remove(&key);
        Ok(Arc::new(Program::new(loaded?, argv)))
    }
}

/// Reads the file of a component, which may be 64 MiB long.
pub fn read_component(path: &Path) -> Result<Vec<u8>, Error> {
    read(path).map(|(_, bytes)| bytes)
}

fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

/// The file and its stamp. The stamp is taken before the bytes, so that a change in between is seen the next time.
fn read(path: &Path) -> Result<(Stamp, Vec<u8>), Error> {
    let failed = |e| Error::file(path, e);
    let found = fs::metadata(path).map_err(failed)?;
    if !found.is_file() {
        return Err(failed(std::io::Error::other("not a file")));
    }
    if found.len() > MAX_COMPONENT {
        let finding = format!("component has {} bytes, more than {MAX_COMPONENT}", found.len());
        return Err(Error::Nonconforming(vec![finding]));
    }
    Ok((Stamp::of(&found), fs::read(path).map_err(failed)?))
}

/// A map that forgets what was not asked for in a long time.
struct Recent<K, V> {
    entries: HashMap<K, (u64, V)>,
    clock: u64,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Recent {
            entries: HashMap::new(),
            clock: 0,
        }
    }
}

impl<K: Hash + Eq + Clone, V> Recent<K, V> {
    fn get<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&V>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.clock += 1;
        let (used, value) = self.entries.get_mut(key)?;
        *used = self.clock;
        Some(value)
    }

    fn put(&mut self, key: K, value: V) {
        self.clock += 1;
        if self.entries.len() >= KEPT && !self.entries.contains_key(&key) {
            let oldest = self
                .entries
                .iter()
                .min_by_key(|(_, (used, _))| *used)
                .map(|(k, _)| k.clone());
            oldest.and_then(|k| self.entries.remove(&k));
        }
        self.entries.insert(key, (self.clock, value));
    }
}
