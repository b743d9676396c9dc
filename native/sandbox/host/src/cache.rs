//! Compiled code on disk.
//!
//! Loading compiled code is as powerful as loading a shared library, so a file is believed only when its MAC is right.
//! The key never leaves the directory, which is private to the user. The MAC also covers the file's name, hence the
//! component and the engine it was made for: a valid file under another name is as foreign as a forged one.

use crate::{Error, private};
use durable::Target;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use wasmtime::component::Component;
use wasmtime::{Engine, Module};

const KEY_LEN: usize = 32;
const MAC_LEN: usize = 32;
/// Also the version of the file's layout: MAC, then code.
const DOMAIN: &[u8] = b"workbooks compiled code 1";

/// A directory of compiled components.
pub struct Cache {
    dir: PathBuf,
    key: [u8; KEY_LEN],
}

/// Where a component's compiled code came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// From the cache.
    Cached,
    /// Compiled now, and kept for the next time.
    Compiled,
    /// Compiled now; the cache could not keep it, for this reason.
    Unsaved(String),
}

impl Cache {
    /// Opens a cache directory, creating it and its key when absent. Refuses one that others can write to.
    pub fn open(dir: &Path) -> Result<Cache, Error> {
        private::directory(dir)?;
        Ok(Cache {
            key: key(dir)?,
            dir: dir.to_owned(),
        })
    }

    /// The compiled component or module: from the cache when there is a true copy, else compiled and kept.
    pub(crate) fn compiled<C: Code>(&self, engine: &Engine, wasm: &[u8]) -> Result<(C, Origin), Error> {
        let name = file_name(engine, wasm);
        // SAFETY: the MAC of the file was right, so `precompile` wrote it for a compatible engine.
        let cached = self
            .read(&name)
            .and_then(|code| unsafe { C::deserialize(engine, &code) }.ok());
        if let Some(component) = cached {
            return Ok((component, Origin::Cached));
        }
        let unfit = |e: wasmtime::Error| Error::Unfit(format!("{e:#}"));
        let code = C::precompile(engine, wasm).map_err(unfit)?;
        let origin = match self.write(&name, &code) {
            Ok(()) => Origin::Compiled,
            Err(e) => Origin::Unsaved(Error::file(&self.dir, e).to_string()),
        };
        // SAFETY: `precompile` of this engine gave the code just now.
        Ok((unsafe { C::deserialize(engine, &code) }.map_err(unfit)?, origin))
    }

    /// The code in a file, when the file is whole and ours.
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut code = fs::read(self.dir.join(name)).ok()?;
        let mac = code.get(..MAC_LEN)?.to_vec();
        code.drain(..MAC_LEN);
        self.mac(name, &code).verify_slice(&mac).ok()?;
        Some(code)
    }

    fn write(&self, name: &str, code: &[u8]) -> io::Result<()> {
        let mac = self.mac(name, code).finalize().into_bytes();
        let staged = Target::at(&self.dir.join(name))?.stage(|file| {
            file.write_all(&mac)?;
            file.write_all(code)
        })?;
        staged.place_and_sync()
    }

    fn mac(&self, name: &str, code: &[u8]) -> Hmac<Sha256> {
        Hmac::<Sha256>::new_from_slice(&self.key)
            .expect("HMAC takes a key of any length")
            .chain_update(DOMAIN)
            .chain_update((name.len() as u64).to_le_bytes())
            .chain_update(name)
            .chain_update(code)
    }
}

/// What can be compiled ahead and kept.
pub(crate) trait Code: Sized {
    fn precompile(engine: &Engine, wasm: &[u8]) -> wasmtime::Result<Vec<u8>>;

    /// # Safety
    ///
    /// `code` must be what `precompile` of a compatible engine gave. It is in memory of our own, so that nobody can
    /// change it after that was checked.
    unsafe fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Self>;
}

impl Code for Component {
    fn precompile(engine: &Engine, wasm: &[u8]) -> wasmtime::Result<Vec<u8>> {
        engine.precompile_component(wasm)
    }

    unsafe fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Self> {
        // SAFETY: the caller vouches for it.
        unsafe { Component::deserialize(engine, code) }
    }
}

impl Code for Module {
    fn precompile(engine: &Engine, wasm: &[u8]) -> wasmtime::Result<Vec<u8>> {
        engine.precompile_module(wasm)
    }

    unsafe fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Self> {
        // SAFETY: the caller vouches for it.
        unsafe { Module::deserialize(engine, code) }
    }
}

/// `<sha256 of the component>-<what the engine compiles to>.cwasm`
fn file_name(engine: &Engine, wasm: &[u8]) -> String {
    let mut compatibility = Digester(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut compatibility);
    format!(
        "{:x}-{:.16}.cwasm",
        Sha256::digest(wasm),
        format!("{:x}", compatibility.0.finalize())
    )
}

/// `std`'s hasher may change with the compiler; SHA-256 does not.
struct Digester(Sha256);

impl Hasher for Digester {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        unreachable!("the digest is read instead")
    }
}

/// The directory's key, made on first use. Two processes that start together end up with the same one.
fn key(dir: &Path) -> Result<[u8; KEY_LEN], Error> {
    let path = dir.join("key");
    if !path.exists() {
        create_key(&path).map_err(|e| Error::file(&path, e))?;
    }
    private::require(&path, 0o600)?;
    let bytes = fs::read(&path).map_err(|e| Error::file(&path, e))?;
    bytes
        .try_into()
        .map_err(|_| Error::NotPrivate(path.display().to_string()))
}

fn create_key(path: &Path) -> io::Result<()> {
    let mut key = [0; KEY_LEN];
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    Target::at(path)?.create(&key).map(drop)
}
