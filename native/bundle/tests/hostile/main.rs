//! What a stranger could send: it is refused with the right word, and nothing is written.

mod forge;

use bundle::{Error, open, unpack};
use forge::{entry, manifest, with, zip};
use proptest::prelude::*;

/// Opening and unpacking refuse with the same code, and unpacking leaves nothing behind.
fn refused(bytes: &[u8]) -> (&'static str, String) {
    let home = tempfile::tempdir().unwrap();
    let error = unpack(bytes, home.path().join("out")).unwrap_err();
    assert_eq!(error.code(), open(bytes).unwrap_err().code());
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
    (error.code(), error.to_string())
}

#[test]
fn the_forger_can_make_a_sound_bundle() {
    let bytes = zip(&with(&[entry("artifacts/a.wasm", b"\0asm")]));
    let home = tempfile::tempdir().unwrap();
    unpack(&bytes, home.path().join("out")).unwrap();
    assert_eq!(
        std::fs::read(home.path().join("out/artifacts/a.wasm")).unwrap(),
        b"\0asm"
    );
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    for (name, why) in [
        ("/etc/cron.d/x", "it is absolute"),
        ("../x", "it has a `.` or `..` in it"),
        ("artifacts/../../x", "it has a `.` or `..` in it"),
        ("artifacts/..", "it has a `.` or `..` in it"),
        ("C:\\x", "it is absolute"),
        ("artifacts\\..\\x", "its name holds a backslash"),
        ("artifacts/d/", "it is a directory"),
        ("artifacts/a\u{0}b", "its name holds a control character"),
        ("setup.sh", "a bundle has no such file"),
    ] {
        let (code, message) = refused(&zip(&with(&[entry(name, b"x")])));
        assert_eq!(code, "unsafe_entry", "{name}");
        assert!(message.ends_with(why), "{message}");
    }
}

#[test]
fn links_and_devices_are_refused() {
    for mode in [0o120_777, 0o060_644, 0o020_644, 0o010_644, 0o040_755] {
        let link = forge::Entry {
            mode,
            ..entry("artifacts/link", b"/etc/passwd")
        };
        assert_eq!(refused(&zip(&with(&[link]))).0, "unsafe_entry", "{mode:o}");
    }
}

#[test]
fn a_name_that_is_there_twice_is_refused() {
    let twice = [entry("artifacts/a", b"one"), entry("artifacts/a", b"two")];
    assert!(refused(&zip(&with(&twice))).1.ends_with("it is there twice"));
    // Even when both are the same, and even the manifest.
    let same = [entry("artifacts/a", b"one"), entry("artifacts/a", b"one")];
    assert_eq!(refused(&zip(&with(&same))).0, "unsafe_entry");
    let mut manifests = with(&[]);
    manifests.push(manifests[0].clone());
    assert_eq!(refused(&zip(&manifests)).0, "unsafe_entry");
}

#[test]
fn a_file_that_would_be_a_directory_too_is_refused() {
    let both = [entry("artifacts/a", b"file"), entry("artifacts/a/b", b"below")];
    let home = tempfile::tempdir().unwrap();
    assert!(unpack(&zip(&with(&both)), home.path().join("out")).is_err());
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn bombs_do_not_go_off() {
    let zeros = |n: usize| forge::Entry {
        deflate: true,
        ..entry("artifacts/zeros", &vec![0; n])
    };
    // A thousand to one.
    let (code, message) = refused(&zip(&with(&[zeros(8 << 20)])));
    assert_eq!(code, "too_large");
    assert!(message.ends_with("grows to more than 100 times its size"), "{message}");
    // One that says it is small, and one that says it is larger than anything may be.
    for claims in [1000, u32::MAX] {
        let liar = forge::Entry {
            claims: Some(claims),
            ..zeros(8 << 20)
        };
        assert_eq!(refused(&zip(&with(&[liar]))).0, "too_large", "{claims}");
    }
    // Many that are small.
    let many: Vec<_> = (0..10_001).map(|i| entry(&format!("artifacts/{i}"), b"")).collect();
    assert_eq!(refused(&zip(&with(&many))).0, "too_large");
}

#[test]
fn entries_over_the_same_bytes_are_refused() {
    // Both entries point at the first one's data.
    let mut bytes = zip(&with(&[entry("artifacts/a", b"x"), entry("artifacts/b", b"x")]));
    let list = |name: &[u8], bytes: &[u8]| {
        let at = bytes.windows(name.len()).rposition(|w| w == name).unwrap();
        at - 46
    };
    let (a, b) = (list(b"artifacts/a", &bytes), list(b"artifacts/b", &bytes));
    let offset: Vec<u8> = bytes[a + 42..a + 46].to_vec();
    bytes[b + 42..b + 46].copy_from_slice(&offset);
    assert_eq!(refused(&bytes).0, "not_a_bundle");
}

#[test]
fn a_file_that_was_changed_added_or_taken_away_is_found() {
    let sound = with(&[entry("artifacts/a", b"one")]);
    let mut changed = sound.clone();
    changed[3].content = b"two".to_vec();
    let mut added = sound.clone();
    added.push(entry("artifacts/b", b"new"));
    let taken = &sound[..3];
    for (entries, message) in [
        (
            &changed[..],
            "the bundle was changed: `artifacts/a` is not the file that the manifest names",
        ),
        (
            &added[..],
            "the bundle was changed: `artifacts/b` is not in the manifest",
        ),
        (taken, "the bundle was changed: `artifacts/a` is missing"),
    ] {
        assert_eq!(refused(&zip(entries)), ("changed", message.to_owned()));
    }
}

#[test]
fn a_manifest_must_be_one_and_of_this_format() {
    let entries = |json: &str| {
        let mut entries = with(&[]);
        entries[0] = entry("manifest.json", json.as_bytes());
        zip(&entries)
    };
    for (json, code) in [
        ("", "not_a_bundle"),
        ("[]", "not_a_bundle"),
        ("{}", "not_a_bundle"),
        (r#"{"format":"wbundle/2"}"#, "unknown_version"),
        (
            &manifest("{}").replace("\"id\":\"x\"", "\"id\":\"../x\""),
            "not_a_bundle",
        ),
        (&manifest("{}").replace("\"id\"", "\"more\":1,\"id\""), "not_a_bundle"),
        (&manifest("{}"), "changed"),
    ] {
        assert_eq!(refused(&entries(json)).0, code, "{json}");
    }
    assert_eq!(refused(&zip(&with(&[])[1..])).0, "not_a_bundle");
}

#[test]
fn what_stands_around_the_archive_is_refused() {
    let sound = zip(&with(&[]));
    open(&sound).unwrap();
    let mut commented = sound.clone();
    let at = commented.len() - 2;
    commented[at] = 3;
    commented.extend(b"hi!");
    for bytes in [
        [b"#!/bin/sh\n", &sound[..]].concat(),
        [&sound[..], b"more"].concat(),
        commented,
        [&sound[..], &sound[..]].concat(),
        sound[..sound.len() - 1].to_vec(),
        Vec::new(),
    ] {
        assert_eq!(refused(&bytes).0, "not_a_bundle");
    }
    let extra = forge::Entry {
        extra: vec![1, 0, 0, 0],
        ..entry("artifacts/a", b"x")
    };
    assert_eq!(refused(&zip(&with(&[extra]))).0, "unsafe_entry");
}

#[test]
fn a_directory_that_holds_something_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("mine"), "precious").unwrap();
    let error = unpack(&zip(&with(&[])), home.path()).unwrap_err();
    assert!(matches!(error, Error::Exists(_)), "{error}");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
    // An empty one is filled.
    let empty = home.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    unpack(&zip(&with(&[])), &empty).unwrap();
    assert!(empty.join("workbook.org").is_file());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(open(&bytes).is_err());
    }

    /// Whatever is changed in a sound bundle: it is refused, or what comes out is what went in.
    #[test]
    fn a_changed_byte_is_found_or_does_not_matter(at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let sound = zip(&with(&[entry("artifacts/a", b"some bytes of an artifact")]));
        let mut bytes = sound.clone();
        let at = at.index(bytes.len());
        bytes[at] = to;
        if let Ok(found) = open(&bytes) {
            // The manifest has no hash; it says what it says, and a signature covers it.
            prop_assert_eq!(found.files, open(&sound).unwrap().files);
        }
    }

    /// Any names, kinds, contents and claims.
    #[test]
    fn no_entry_gets_out(
        entries in prop::collection::vec(
            ("[a./\\\\:\\x00é]{0,12}|artifacts/[a./]{0,8}", prop::collection::vec(any::<u8>(), 0..20), any::<u16>(), any::<bool>(), prop::option::of(any::<u32>())),
            0..4,
        ),
    ) {
        let entries: Vec<_> = entries
            .into_iter()
            .map(|(name, content, mode, deflate, claims)| forge::Entry {
                mode: mode.into(),
                deflate,
                claims,
                ..entry(&name, &content)
            })
            .collect();
        let home = tempfile::tempdir().unwrap();
        let inner = home.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        let done = unpack(&zip(&with(&entries)), inner.join("out"));
        // Nothing stands beside the target, whatever happened.
        prop_assert_eq!(std::fs::read_dir(&inner).unwrap().count(), usize::from(done.is_ok()));
        prop_assert_eq!(std::fs::read_dir(home.path().join("a")).unwrap().count(), 1);
        prop_assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
    }
}
