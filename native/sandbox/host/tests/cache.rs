//! Compiled code is believed only when it is whole, ours, and for this engine.

use host::{Cache, Error, Origin, Sandbox};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// An empty component, and one that differs in a custom section.
const ONE: &[u8] = b"\0asm\x0d\0\x01\0";
const TWO: &[u8] = b"\0asm\x0d\0\x01\0\0\x02\x01x";

struct Scratch {
    dir: TempDir,
}

impl Scratch {
    fn new() -> Scratch {
        Scratch {
            dir: TempDir::new().unwrap(),
        }
    }

    fn cache(&self) -> PathBuf {
        self.dir.path().join("cache")
    }

    /// As a new process would: the key and the files are read afresh.
    fn origin(&self, wasm: &[u8]) -> Origin {
        Sandbox::new(&self.cache()).unwrap().component(wasm).unwrap().1
    }

    fn compiled(&self) -> Vec<PathBuf> {
        let mut files: Vec<_> = fs::read_dir(self.cache())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ext| ext == "cwasm"))
            .collect();
        files.sort();
        files
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_second_process_finds_what_the_first_compiled() {
    let scratch = Scratch::new();
    assert_eq!(scratch.origin(ONE), Origin::Compiled);
    assert_eq!(scratch.origin(ONE), Origin::Cached);
    assert_eq!(scratch.origin(TWO), Origin::Compiled);
    assert_eq!(scratch.compiled().len(), 2);
}

#[test]
fn nobody_else_can_read_or_write_the_cache() {
    let scratch = Scratch::new();
    scratch.origin(ONE);
    assert_eq!(mode(&scratch.cache()), 0o700);
    assert_eq!(mode(&scratch.cache().join("key")), 0o600);
    assert_eq!(mode(&scratch.compiled()[0]), 0o600);
}

#[test]
fn a_file_with_any_byte_changed_is_refused_and_rebuilt() {
    let scratch = Scratch::new();
    scratch.origin(ONE);
    let file = &scratch.compiled()[0];
    let good = fs::read(file).unwrap();
    for at in [0, 31, 32, good.len() / 2, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        fs::write(file, &bad).unwrap();
        assert_eq!(scratch.origin(ONE), Origin::Compiled, "byte {at}");
        assert_eq!(scratch.origin(ONE), Origin::Cached, "byte {at}");
    }
}

#[test]
fn a_file_cut_short_or_made_longer_is_refused_and_rebuilt() {
    let scratch = Scratch::new();
    scratch.origin(ONE);
    let file = &scratch.compiled()[0];
    let good = fs::read(file).unwrap();
    for bad in [
        &good[..0],
        &good[..31],
        &good[..32],
        &good[..good.len() - 1],
        &[&good[..], b"x"].concat(),
    ] {
        fs::write(file, bad).unwrap();
        assert_eq!(scratch.origin(ONE), Origin::Compiled, "{} bytes", bad.len());
    }
}

#[test]
fn a_file_of_another_component_is_refused_though_its_mac_is_right() {
    let scratch = Scratch::new();
    scratch.origin(ONE);
    let one = scratch.compiled()[0].clone();
    scratch.origin(TWO);
    let two = scratch.compiled().into_iter().find(|path| *path != one).unwrap();
    fs::copy(&two, &one).unwrap();
    assert_eq!(scratch.origin(ONE), Origin::Compiled);
}

#[test]
fn a_file_made_with_another_key_is_refused() {
    let scratch = Scratch::new();
    scratch.origin(ONE);
    fs::write(scratch.cache().join("key"), [7; 32]).unwrap();
    assert_eq!(scratch.origin(ONE), Origin::Compiled);
}

#[test]
fn a_directory_or_key_that_others_may_touch_is_not_used() {
    for (path, mode) in [("", 0o755), ("", 0o770), ("key", 0o640), ("key", 0o666)] {
        let scratch = Scratch::new();
        scratch.origin(ONE);
        fs::set_permissions(scratch.cache().join(path), Permissions::from_mode(mode)).unwrap();
        assert!(matches!(Cache::open(&scratch.cache()), Err(Error::NotPrivate(_))));
        assert!(
            matches!(scratch.origin(ONE), Origin::Unsaved(_)),
            "still compiled, only not kept"
        );
    }
}

#[test]
fn a_key_of_the_wrong_length_is_not_used() {
    let scratch = Scratch::new();
    scratch.origin(ONE);
    fs::write(scratch.cache().join("key"), "short").unwrap();
    assert!(matches!(scratch.origin(ONE), Origin::Unsaved(_)));
}

#[test]
fn a_link_is_not_taken_for_the_directory() {
    let scratch = Scratch::new();
    let real = scratch.dir.path().join("real");
    Cache::open(&real).unwrap();
    std::os::unix::fs::symlink(&real, scratch.cache()).unwrap();
    assert!(matches!(Cache::open(&scratch.cache()), Err(Error::NotPrivate(_))));
}

#[test]
fn a_place_that_cannot_be_a_directory_is_not_an_error_of_the_engine() {
    let scratch = Scratch::new();
    fs::write(scratch.cache(), "a file").unwrap();
    assert!(matches!(scratch.origin(ONE), Origin::Unsaved(_)));
}

#[test]
fn processes_that_start_together_agree_on_one_key() {
    let scratch = Scratch::new();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| Cache::open(&scratch.cache()).unwrap());
        }
    });
    let files: Vec<_> = fs::read_dir(scratch.cache()).unwrap().collect();
    assert_eq!(files.len(), 1, "the key, and no temporary file left behind");
}
