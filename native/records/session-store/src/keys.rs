//! The key ring's file: private, made once, rotated on request.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use durable::Target;
use session::ports::Random;
use session::{Code, Error, Keyring};

use crate::io_error::io;
use crate::layout::Layout;
use crate::lock::Lock;

/// The key ring and what its file looked like when it was read.
#[derive(Debug, Clone)]
pub(crate) struct Ring {
    pub(crate) keyring: Keyring,
    stamp: Stamp,
}

/// Which file it is. A rotation makes a new one, so another process sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    changed: (i64, i64),
}

fn stamp(path: &Path) -> Result<Option<Stamp>, Error> {
    match fs::metadata(path) {
        Ok(meta) => Ok(Some(Stamp {
            inode: meta.ino(),
            changed: (meta.ctime(), meta.ctime_nsec()),
        })),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io("look at the key ring")(error)),
    }
}

/// The ring on disk, made when there is none. `known` is not read again while its file is the same.
pub(crate) fn load(layout: &Layout, random: &dyn Random, known: Option<&Ring>) -> Result<Ring, Error> {
    let path = layout.keyring();
    let found = stamp(&path)?;
    if let (Some(found), Some(known)) = (found, known)
        && found == known.stamp
    {
        return Ok(known.clone());
    }
    if found.is_none() {
        create(layout, &Keyring::new(random))?;
    }
    read(&path)
}

fn read(path: &Path) -> Result<Ring, Error> {
    let bad = |why: &str| {
        let suggestion = "restore keys/keyring.json, or delete it: sessions stay, and tokens have to be made again";
        Error::new(Code::StoreBadKeyring, why, suggestion)
    };
    let before = stamp(path)?.ok_or_else(|| bad("the key ring is missing"))?;
    let meta = fs::metadata(path).map_err(io("look at the key ring"))?;
    if meta.permissions().mode() & 0o077 != 0 {
        return Err(bad("others may read the key ring"));
    }
    let bytes = fs::read(path).map_err(io("read the key ring"))?;
    let keyring = Keyring::decode(&bytes).map_err(|why| bad(&why.to_string()))?;
    Ok(Ring { keyring, stamp: before })
}

/// Makes the first ring. Of two that try at once, one wins and both use its ring.
fn create(layout: &Layout, keyring: &Keyring) -> Result<(), Error> {
    durable::create_private(&layout.keys()).map_err(io("make the key directory"))?;
    let _lock = Lock::shared(&layout.keys().join(".lock"))?;
    Target::at(&layout.keyring())
        .and_then(|target| target.create(&keyring.encode()))
        .map_err(io("write the key ring"))?;
    Ok(())
}

/// Makes a fresh current key. Tokens of the old one hold until the next rotation.
pub(crate) fn rotate(layout: &Layout, random: &dyn Random) -> Result<(), Error> {
    durable::create_private(&layout.keys()).map_err(io("make the key directory"))?;
    load(layout, random, None)?;
    let _lock = Lock::exclusive(&layout.keys().join(".lock"))?;
    // Read under the lock: two rotations are two rotations.
    let current = read(&layout.keyring())?;
    let rotated = current.keyring.rotated(random);
    Target::at(&layout.keyring())
        .and_then(|target| target.temporary_name("rotated.tmp").replace(&rotated.encode()))
        .map_err(io("write the key ring"))
}
