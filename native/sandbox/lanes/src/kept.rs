//! Artifacts that were built before.
//!
//! An artifact is a file by its content, `<sha256>.wasm`; beside it a small file by what it was built from says which.
//! Both appear whole or not at all, and an artifact is believed only when its bytes have its name. So a build that was
//! killed, a full disk or somebody else's hand cost a new build and nothing more.

use crate::{Artifact, Error, Shape};
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The directory of artifacts.
pub(crate) struct Kept {
    dir: PathBuf,
}

impl Kept {
    pub fn open(dir: &Path) -> Kept {
        Kept { dir: dir.to_owned() }
    }

    /// The artifact that was built from this.
    pub fn find(&self, key: &str, lane: &str, shape: Shape) -> Option<Artifact> {
        let sha256 = fs::read_to_string(self.dir.join(format!("{key}.sha256"))).ok()?;
        let named = sha256.len() == 64 && sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = named.then(|| self.artifact(&sha256))?;
        let true_to_its_name = hex(&fs::read(&path).ok()?) == sha256;
        true_to_its_name.then(|| Artifact {
            path,
            sha256,
            lane: lane.to_owned(),
            shape,
            cached: true,
        })
    }

    /// Keeps what was built.
    pub fn keep(&self, key: &str, wasm: &[u8], lane: &str, shape: Shape) -> Result<Artifact, Error> {
        let failed = |e| Error::file(&self.dir, e);
        fs::create_dir_all(&self.dir).map_err(failed)?;
        let sha256 = hex(wasm);
        let path = self.artifact(&sha256);
        replace(&path, wasm).map_err(failed)?;
        let index = self.dir.join(format!("{key}.sha256"));
        replace(&index, sha256.as_bytes()).map_err(failed)?;
        Ok(Artifact {
            path,
            sha256,
            lane: lane.to_owned(),
            shape,
            cached: false,
        })
    }

    fn artifact(&self, sha256: &str) -> PathBuf {
        self.dir.join(format!("{sha256}.wasm"))
    }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    durable::Target::at(path)?.replace(bytes)
}

fn hex(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "key";

    fn find(kept: &Kept) -> Option<Artifact> {
        kept.find(KEY, "lane", Shape::Command)
    }

    #[test]
    fn what_is_kept_is_found_again() {
        let dir = tempfile::tempdir().unwrap();
        let kept = Kept::open(&dir.path().join("builds"));
        assert_eq!(find(&kept), None);
        let built = kept.keep(KEY, b"wasm", "lane", Shape::Command).unwrap();
        assert_eq!(find(&kept), Some(Artifact { cached: true, ..built }));
        assert_eq!(kept.find("other", "lane", Shape::Command), None);
    }

    /// Two writes, so there are three states that a kill can leave; and each file may be anything at all.
    #[test]
    fn whatever_a_kill_leaves_is_an_artifact_or_none() {
        let dir = tempfile::tempdir().unwrap();
        let kept = Kept::open(dir.path());
        let built = kept.keep(KEY, b"wasm", "lane", Shape::Command).unwrap();
        let index = dir.path().join("key.sha256");

        fs::remove_file(&index).unwrap();
        assert_eq!(find(&kept), None, "only the artifact was written");
        for text in [
            "",
            "../../etc/passwd",
            &"g".repeat(64),
            &"0".repeat(64),
            &built.sha256[1..],
        ] {
            fs::write(&index, text).unwrap();
            assert_eq!(find(&kept), None, "{text}");
        }
        fs::write(&index, &built.sha256).unwrap();
        assert!(find(&kept).is_some());
        fs::write(&built.path, b"was").unwrap();
        assert_eq!(find(&kept), None, "half an artifact");
        kept.keep(KEY, b"wasm", "lane", Shape::Command).unwrap();
        assert!(find(&kept).is_some(), "and the next build mends it");
    }
}
