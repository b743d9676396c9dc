//! Any bytes as a bundle: it is refused, or everything in it is what its manifest says.
#![no_main]

use sha2::{Digest, Sha256};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Ok(found) = bundle::open(input) else { return };
    for (name, content) in &found.files {
        assert_eq!(found.manifest.files[name], format!("{:x}", Sha256::digest(content)));
        assert!(!name.starts_with('/') && !name.split('/').any(|part| part == ".."));
    }
    let home = tempfile::tempdir().unwrap();
    // A file and a directory of one name cannot both be written; then nothing is.
    let unpacked = bundle::unpack(input, home.path().join("out")).is_ok();
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), usize::from(unpacked));
});
