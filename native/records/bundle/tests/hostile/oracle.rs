//! What must hold of any bytes at all: they are refused, or everything in them is what the manifest says, and there is
//! nothing else. The fuzz target and the tests ask the same.

use sha2::{Digest, Sha256};

/// Panics if it does not hold. Says whether the bytes are a bundle.
pub fn check(input: &[u8]) -> bool {
    let Ok(found) = bundle::open(input) else { return false };
    for (name, content) in &found.files {
        assert_eq!(found.manifest.files[name], format!("{:x}", Sha256::digest(content)));
        assert!(!name.starts_with('/') && !name.split('/').any(|part| part == ".."));
    }
    assert!(
        input.starts_with(b"PK\x03\x04"),
        "nothing stands before the first entry"
    );
    let names = found.files.keys().map(String::as_str).chain(["manifest.json"]);
    for name in names.chain(found.signature.iter().map(|_| bundle::SIGNATURE)) {
        // Once before its data and once in the list; the contents of other files may name it, too.
        let spelt = input.windows(name.len()).filter(|bytes| *bytes == name.as_bytes());
        assert!(spelt.count() >= 2, "{name} is named in both headers");
    }
    let home = tempfile::tempdir().unwrap();
    // What opens can be unpacked.
    bundle::unpack(input, home.path().join("out")).unwrap();
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
    true
}
