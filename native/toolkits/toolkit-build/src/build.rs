//! From what a manifest declares to an artifact that is found by name.

use crate::artifact::{fits, hex};
use crate::{Error, Foundry, archive};
use host::{ArgMode, Cancel};
use serde::Serialize;
use std::fs;
use std::io::Read;
use std::path::Path;
use toolkit::{BuildSrc, MAX_FILE, Manifest, Shape, Toolkit};

/// What came of a build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Built {
    /// The toolkit.
    pub toolkit: String,
    /// What it is.
    pub shape: Shape,
    /// What it is registered as.
    pub name: String,
    /// The hash of the artifact.
    pub sha256: String,
    /// Who made it: a lane with its version, or `prebuilt`.
    pub lane: String,
}

impl Foundry {
    /// Builds and registers a toolkit's artifact. `which` names it, `from` is a file that was fetched for it already.
    ///
    /// # Errors
    ///
    /// See [`Error`]; nothing is registered then.
    pub fn build(&self, id: &str, which: Option<&str>, from: Option<&Path>, cancel: &Cancel) -> Result<Built, Error> {
        let toolkit = self.toolkit(id)?;
        Foundry::only(&toolkit, which)?;
        let manifest = toolkit.manifest();
        if !manifest.is_valid() {
            let problems = manifest.problems.iter().chain(&manifest.mirrors).cloned().collect();
            return Err(toolkit::Error::Invalid(problems).into());
        }
        self.grants().consent(&toolkit)?;
        let shape = manifest.exec.filter(|shape| shape.is_built());
        let shape = shape.ok_or_else(|| Error::NothingToBuild(id.to_owned()))?;
        let (wasm, lane) = self.make(&toolkit, shape, from, cancel)?;
        fits(self, manifest, shape, &wasm)?;
        let name = self.register(&toolkit, shape, &wasm)?;
        Ok(Built {
            toolkit: id.to_owned(),
            shape,
            name,
            sha256: hex(&wasm),
            lane,
        })
    }

    fn make(
        &self,
        toolkit: &Toolkit,
        shape: Shape,
        from: Option<&Path>,
        cancel: &Cancel,
    ) -> Result<(Vec<u8>, String), Error> {
        let manifest = toolkit.manifest();
        match &manifest.build_src {
            None => Err(Error::NothingToBuild(toolkit.id().to_owned())),
            Some(BuildSrc::Wasm(at)) => Ok((self.pinned(toolkit, at, from)?, "prebuilt".to_owned())),
            Some(BuildSrc::Archive(at)) => {
                if manifest.preopen.is_some() {
                    let why = "#+PREOPEN: is not supported: a command sees its working directory and nothing else";
                    return Err(Error::Archive(why.into()));
                }
                let bytes = self.pinned(toolkit, at, from)?;
                Ok((
                    archive::module(&bytes, manifest.wasm_path.as_deref())?,
                    "prebuilt".to_owned(),
                ))
            }
            Some(BuildSrc::Path(dir)) => {
                let lang = manifest.build_lang.as_deref().unwrap_or_default();
                let copy = copy(toolkit, dir)?;
                Ok((self.lanes)()?.build(lang, copy.path(), shape, &manifest.caps, cancel)?)
            }
            Some(other) => Err(Error::NoLaneTakes(other.text())),
        }
    }

    /// Bytes that are fetched, or lie in the toolkit, and are those that were pinned.
    fn pinned(&self, toolkit: &Toolkit, at: &str, from: Option<&Path>) -> Result<Vec<u8>, Error> {
        let bytes = match (from, url::Url::parse(at)) {
            (Some(file), _) => read(file)?,
            (None, Ok(url)) if url.scheme() == "file" => match url.to_file_path() {
                Ok(path) => read(&path)?,
                Err(()) => return Err(Error::BadOption(format!("`{at}` is not a file of this machine"))),
            },
            (None, Ok(_)) => return Err(Error::NotFetched { url: at.to_owned() }),
            (None, Err(_)) => toolkit.tree().bytes(at, MAX_FILE)?,
        };
        let (found, pinned) = (hex(&bytes), toolkit.manifest().sha256.clone().unwrap_or_default());
        match found == pinned {
            true => Ok(bytes),
            false => Err(Error::NotAsPinned {
                of: at.to_owned(),
                found,
                pinned,
            }),
        }
    }

    fn register(&self, toolkit: &Toolkit, shape: Shape, wasm: &[u8]) -> Result<String, Error> {
        let manifest: &Manifest = toolkit.manifest();
        let id = toolkit.id().to_owned();
        match shape {
            Shape::Kernel => self.kernels().put(&id, wasm)?,
            Shape::Component => self.components().put(&id, wasm)?,
            _ => {
                let name = manifest.cli_bin.clone().unwrap_or_default();
                let mode = match manifest.arg_mode {
                    toolkit::ArgMode::Argv => ArgMode::Argv,
                    toolkit::ArgMode::Stdin1 => ArgMode::Stdin1,
                };
                (self.registry)()?.register(&*(self.sandbox)()?, &name, wasm, mode)?;
                return Ok(name);
            }
        };
        Ok(id)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(Error::file(path))?;
    file.take(MAX_FILE + 1)
        .read_to_end(&mut bytes)
        .map_err(Error::file(path))?;
    match bytes.len() as u64 > MAX_FILE {
        true => Err(Error::BadOption(format!(
            "{} has more than {MAX_FILE} bytes",
            path.display()
        ))),
        false => Ok(bytes),
    }
}

/// The source, copied file by file: what a compiler sees is what was looked at, and no link among it.
fn copy(toolkit: &Toolkit, dir: &str) -> Result<tempfile::TempDir, Error> {
    let to = tempfile::tempdir().map_err(Error::file(Path::new(dir)))?;
    let mut from = None;
    for part in dir.split('/').filter(|part| *part != ".") {
        let tree = from.as_ref().unwrap_or_else(|| toolkit.tree()).below(part)?;
        from = Some(tree);
    }
    let from = from.as_ref().unwrap_or_else(|| toolkit.tree());
    for path in from.hashes()?.keys() {
        let target = to.path().join(path);
        fs::create_dir_all(target.parent().unwrap_or(to.path())).map_err(Error::file(&target))?;
        fs::write(&target, from.bytes(path, MAX_FILE)?).map_err(Error::file(&target))?;
    }
    Ok(to)
}
