//! Commands that came with the program.

use super::digest::{self, Digest, digest, hex};
use super::index::{self, VERSION, Versioned, replace};
use super::load::Command;
use super::refusal::RegistryError;
use crate::{Error, Sandbox};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The batteries by name.
pub(super) struct Batteries {
    dir: PathBuf,
    names: HashMap<String, Battery>,
}

struct Battery {
    module: String,
    sha256: Digest,
}

#[derive(Deserialize)]
struct Manifest {
    version: u32,
    modules: BTreeMap<String, Module>,
}

#[derive(Deserialize)]
struct Module {
    #[serde(with = "digest")]
    sha256: Digest,
    names: Vec<String>,
}

const MANIFEST: &str = "commands.json";

impl Batteries {
    /// Whether there are any in `dir`.
    pub fn lie_in(dir: &Path) -> bool {
        dir.join(MANIFEST).is_file()
    }

    pub fn open(dir: &Path) -> Result<Batteries, Error> {
        let manifest: Manifest = match Batteries::lie_in(dir) {
            true => index::read(&dir.join(MANIFEST))?,
            false => Manifest {
                version: VERSION,
                modules: BTreeMap::new(),
            },
        };
        let mut names = HashMap::new();
        for (module, Module { sha256, names: of }) in manifest.modules {
            for name in of {
                let module = module.clone();
                names.insert(name, Battery { module, sha256 });
            }
        }
        Ok(Batteries {
            dir: dir.to_owned(),
            names,
        })
    }

    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.names.keys()
    }

    /// The hash of the module behind a name.
    pub fn sha256(&self, name: &str) -> Option<Digest> {
        self.names.get(name).map(|battery| battery.sha256)
    }

    /// The names whose modules are not sound. A module has several names, and is read once.
    pub fn unsound(&self, sound: impl Fn(&Path, &Digest) -> bool) -> Vec<String> {
        let mut modules: HashMap<&str, bool> = HashMap::new();
        let names = self.names.iter();
        names
            .filter(|(_, Battery { module, sha256 })| {
                !*modules
                    .entry(module)
                    .or_insert_with(|| sound(&self.dir.join(format!("{module}.wasm")), sha256))
            })
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Maps the machine code beside the module; where there is none that fits this machine, compiles the module.
    pub fn load(&self, sandbox: &Sandbox, name: &str) -> Result<Command, RegistryError> {
        let Battery { module, sha256 } = &self.names[name];
        let compiled = self.dir.join(compiled_name(module, sha256));
        if ours(&compiled) {
            // SAFETY: only this user and root can change the file, and they could change the program as well.
            if let Ok(command) = unsafe { Command::map(sandbox, &compiled, *sha256) } {
                return Ok(command);
            }
        }
        let path = self.dir.join(format!("{module}.wasm"));
        let wasm = fs::read(&path).map_err(|e| Error::file(&path, e))?;
        if digest(&wasm) != *sha256 {
            return Err(RegistryError::ArtifactIntegrity(name.to_owned()));
        }
        Ok(Command::load(sandbox, &wasm)?)
    }

    /// Compiles the batteries in `dir` whose machine code is not there yet. How many that were.
    pub fn precompile(sandbox: &Sandbox, dir: &Path) -> Result<usize, RegistryError> {
        let manifest: Manifest = index::read(&dir.join(MANIFEST))?;
        let mut made = 0;
        let mut wanted = HashSet::new();
        for (module, Module { sha256, .. }) in manifest.modules {
            let compiled = dir.join(compiled_name(&module, &sha256));
            wanted.insert(compiled.clone());
            // SAFETY: as above; and nothing of the file is run here.
            if ours(&compiled) && unsafe { Command::map(sandbox, &compiled, sha256) }.is_ok() {
                continue;
            }
            let path = dir.join(format!("{module}.wasm"));
            let wasm = fs::read(&path).map_err(|e| Error::file(&path, e))?;
            if digest(&wasm) != sha256 {
                return Err(RegistryError::ArtifactIntegrity(module));
            }
            let code = Command::precompile(sandbox, &wasm)?;
            replace(&compiled, &code).map_err(|e| Error::file(&compiled, e))?;
            // Whoever may use the program may map it.
            fs::set_permissions(&compiled, Permissions::from_mode(0o644)).map_err(|e| Error::file(&compiled, e))?;
            made += 1;
        }
        for entry in fs::read_dir(dir).map_err(|e| Error::file(dir, e))?.flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|end| end == "cwasm") && !wanted.contains(&path) {
                // What is left of a module that was replaced; whoever runs it has it mapped.
                let _ = fs::remove_file(path);
            }
        }
        Ok(made)
    }
}

impl Versioned for Manifest {
    fn version(&self) -> u32 {
        self.version
    }
}

fn compiled_name(module: &str, sha256: &Digest) -> String {
    format!("{module}-{}.cwasm", hex(sha256))
}

/// Whether nobody but this user and root can have written the file.
fn ours(path: &Path) -> bool {
    let owners = [0, rustix::process::geteuid().as_raw()];
    fs::symlink_metadata(path)
        .is_ok_and(|found| found.is_file() && owners.contains(&found.uid()) && found.permissions().mode() & 0o022 == 0)
}
