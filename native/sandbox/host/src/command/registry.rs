//! The commands of this machine, by name: the batteries, and what was registered beside them.
//!
//! The batteries came with the program: their names are reserved, and their machine code is mapped as it lies there.
//! A registered command is kept as `<sha256>.wasm` beside `registry.json`. Its bytes are compared with that hash when
//! they are first loaded and whenever the file has changed; registering a name again swaps it at once, while runs under
//! way finish on what they started with. The index is read again when it has changed, so that several processes share
//! one registry.

use super::batteries::Batteries;
use super::digest::{self, Digest, digest, hex};
use super::found::{ArgMode, Found};
use super::index::{self, VERSION, Versioned, replace};
use super::load::Command;
use super::refusal::RegistryError;
use crate::private;
use crate::stamp::Stamp;
use crate::{Error, Sandbox};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many commands can be registered.
pub(super) const MAX_ENTRIES: usize = 4_096;
/// The largest command, in bytes.
const MAX_COMMAND: u64 = 64 << 20;
/// The longest name.
const MAX_NAME: usize = 255;

/// The commands.
pub struct Registry {
    batteries: Batteries,
    dir: PathBuf,
    index: Mutex<Option<(Stamp, Arc<Index>)>>,
    loaded: Mutex<HashMap<Digest, (Option<Stamp>, Command)>>,
}

#[derive(Serialize, Deserialize)]
struct Index {
    version: u32,
    commands: BTreeMap<String, Entry>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    #[serde(with = "digest")]
    sha256: Digest,
    #[serde(default)]
    arg_mode: ArgMode,
}

impl Registry {
    /// The registry that keeps its entries in `dir`, with the batteries that lie in `batteries`.
    pub fn open(batteries: &Path, dir: &Path) -> Result<Registry, Error> {
        Ok(Registry {
            batteries: Batteries::open(batteries)?,
            dir: dir.to_owned(),
            index: Mutex::default(),
            loaded: Mutex::default(),
        })
    }

    /// Whether batteries lie in `dir`.
    pub fn has_batteries(dir: &Path) -> bool {
        Batteries::lie_in(dir)
    }

    /// Compiles the batteries in `dir` whose machine code is not there yet. How many that were.
    pub fn precompile(sandbox: &Sandbox, dir: &Path) -> Result<usize, RegistryError> {
        Batteries::precompile(sandbox, dir)
    }

    /// Every name, sorted.
    pub fn names(&self) -> Result<Vec<String>, Error> {
        let mut names: Vec<String> = self.batteries.names().cloned().collect();
        names.extend(self.index()?.commands.keys().cloned());
        names.sort();
        Ok(names)
    }

    /// The names that were registered beside the batteries.
    pub fn registered(&self) -> Result<BTreeSet<String>, Error> {
        Ok(self.index()?.commands.keys().cloned().collect())
    }

    /// Reads the module of every command, and gives the names of those that are gone or not what their hash says. Machine
    /// code that lies beside a module is not looked at.
    pub fn unsound(&self) -> Result<Vec<String>, Error> {
        let sound = |path: &Path, sha256: &Digest| fs::read(path).is_ok_and(|wasm| digest(&wasm) == *sha256);
        let mut unsound = self.batteries.unsound(sound);
        let index = self.index()?;
        let registered = index.commands.iter();
        unsound.extend(
            registered
                .filter(|(_, entry)| !sound(&self.artifact(&entry.sha256), &entry.sha256))
                .map(|(name, _)| name.clone()),
        );
        unsound.sort();
        Ok(unsound)
    }

    /// Whether there is a command of this name. An index that cannot be read has none.
    pub fn has(&self, name: &str) -> bool {
        self.batteries.sha256(name).is_some() || self.index().is_ok_and(|index| index.commands.contains_key(name))
    }

    /// The command, when it is loaded and its file is as it was. This is quick.
    pub fn at_hand(&self, name: &str) -> Option<Found> {
        let (entry, file) = self.entry(name).ok()??;
        let stamp = match &file {
            Some(file) => Some(Stamp::of(&fs::metadata(file).ok()?)),
            None => None,
        };
        let loaded = self.loaded.lock();
        let (known, command) = loaded.get(&entry.sha256)?;
        (*known == stamp).then(|| found(command, &entry))
    }

    /// The command, loaded if need be. That may compile, so it belongs on a thread that can wait.
    pub fn load(&self, sandbox: &Sandbox, name: &str) -> Result<Option<Found>, RegistryError> {
        if let Some(found) = self.at_hand(name) {
            return Ok(Some(found));
        }
        let Some((entry, file)) = self.entry(name)? else {
            return Ok(None);
        };
        let (stamp, command) = match file {
            None => (None, self.batteries.load(sandbox, name)?),
            Some(file) => {
                let tampered = || RegistryError::ArtifactIntegrity(name.to_owned());
                let stamp = fs::metadata(&file)
                    .map(|found| Stamp::of(&found))
                    .map_err(|_| tampered())?;
                let wasm = fs::read(&file).map_err(|_| tampered())?;
                if digest(&wasm) != entry.sha256 {
                    self.loaded.lock().remove(&entry.sha256);
                    return Err(tampered());
                }
                (Some(stamp), Command::load(sandbox, &wasm)?)
            }
        };
        self.loaded.lock().insert(entry.sha256, (stamp, command.clone()));
        Ok(Some(found(&command, &entry)))
    }

    /// Registers a command; a name that is there already is swapped.
    pub fn register(&self, sandbox: &Sandbox, name: &str, wasm: &[u8], arg_mode: ArgMode) -> Result<(), RegistryError> {
        self.permit(name)?;
        Command::load(sandbox, wasm).map_err(|error| match error {
            Error::Unfit(_) | Error::NotAComponent | Error::Nonconforming(_) => {
                RegistryError::NotACommand(error.to_string())
            }
            error => error.into(),
        })?;
        let sha256 = digest(wasm);
        self.change(|commands| {
            if commands.len() >= MAX_ENTRIES && !commands.contains_key(name) {
                return Err(RegistryError::Full);
            }
            replace(&self.artifact(&sha256), wasm).map_err(|e| Error::file(&self.dir, e))?;
            commands.insert(name.to_owned(), Entry { sha256, arg_mode });
            Ok(())
        })
    }

    /// Registers the command in a file below `root`.
    pub fn register_file(
        &self,
        sandbox: &Sandbox,
        name: &str,
        root: &Path,
        path: &Path,
        arg_mode: ArgMode,
    ) -> Result<(), RegistryError> {
        self.permit(name)?;
        let wasm = confined(root, path)?;
        self.register(sandbox, name, &wasm, arg_mode)
    }

    /// Forgets a command. Whether there was one.
    pub fn unregister(&self, name: &str) -> Result<bool, RegistryError> {
        self.permit(name)?;
        let mut gone = false;
        self.change(|commands| {
            gone = commands.remove(name).is_some();
            Ok(())
        })?;
        Ok(gone)
    }

    fn permit(&self, name: &str) -> Result<(), RegistryError> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(fits) {
            return Err(RegistryError::InvalidName(name.to_owned()));
        }
        if self.batteries.sha256(name).is_some() {
            return Err(RegistryError::ReservedName(name.to_owned()));
        }
        Ok(())
    }

    /// What a name stands for, and the file of its bytes; a battery needs none.
    fn entry(&self, name: &str) -> Result<Option<(Entry, Option<PathBuf>)>, Error> {
        if let Some(sha256) = self.batteries.sha256(name) {
            let arg_mode = ArgMode::Argv;
            return Ok(Some((Entry { sha256, arg_mode }, None)));
        }
        let index = self.index()?;
        Ok(index
            .commands
            .get(name)
            .map(|entry| (entry.clone(), Some(self.artifact(&entry.sha256)))))
    }

    fn artifact(&self, sha256: &Digest) -> PathBuf {
        self.dir.join(format!("{}.wasm", hex(sha256)))
    }

    /// The index as it is now.
    fn index(&self) -> Result<Arc<Index>, Error> {
        let path = self.dir.join("registry.json");
        let stamp = match fs::metadata(&path) {
            Ok(found) => Stamp::of(&found),
            Err(_) => return Ok(Arc::new(Index::empty())),
        };
        if let Some((known, index)) = &*self.index.lock()
            && *known == stamp
        {
            return Ok(index.clone());
        }
        let index: Arc<Index> = Arc::new(index::read(&path)?);
        *self.index.lock() = Some((stamp, index.clone()));
        Ok(index)
    }

    /// Changes the index, one process at a time.
    fn change(
        &self,
        change: impl FnOnce(&mut BTreeMap<String, Entry>) -> Result<(), RegistryError>,
    ) -> Result<(), RegistryError> {
        let failed = |e| Error::file(&self.dir, e);
        private::directory(&self.dir)?;
        let lock = File::create(self.dir.join("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let before = self.index()?;
        let mut commands = before.commands.clone();
        change(&mut commands)?;
        let text = serde_json::to_vec(&Index {
            version: VERSION,
            commands: commands.clone(),
        });
        replace(&self.dir.join("registry.json"), &text.expect("an index is JSON")).map_err(failed)?;
        for old in before.commands.values() {
            if !commands.values().any(|entry| entry.sha256 == old.sha256) {
                // Whoever runs it has it in memory.
                let _ = fs::remove_file(self.artifact(&old.sha256));
            }
        }
        Ok(())
    }
}

impl Index {
    fn empty() -> Index {
        Index {
            version: VERSION,
            commands: BTreeMap::new(),
        }
    }
}

fn found(command: &Command, entry: &Entry) -> Found {
    Found {
        command: command.clone(),
        arg_mode: entry.arg_mode,
    }
}

impl Versioned for Index {
    fn version(&self) -> u32 {
        self.version
    }
}

/// Reads a file below `root` by capability: neither `..` nor a link leads out.
fn confined(root: &Path, path: &Path) -> Result<Vec<u8>, RegistryError> {
    let refused = || RegistryError::PathNotConfined(path.display().to_string());
    let relative = match path.is_absolute() {
        true => path.strip_prefix(root).map_err(|_| refused())?,
        false => path,
    };
    let dir =
        cap_std::fs::Dir::open_ambient_dir(root, cap_std::ambient_authority()).map_err(|e| Error::file(root, e))?;
    let file = dir.open(relative).map_err(|e| match e.kind() {
        // What cap-std says of a path that leads out.
        io::ErrorKind::PermissionDenied => refused(),
        _ => Error::file(path, e).into(),
    })?;
    let mut wasm = Vec::new();
    file.take(MAX_COMMAND + 1)
        .read_to_end(&mut wasm)
        .map_err(|e| Error::file(path, e))?;
    if wasm.len() as u64 > MAX_COMMAND {
        return Err(RegistryError::NotACommand(format!(
            "it has more than {MAX_COMMAND} bytes"
        )));
    }
    Ok(wasm)
}
