//! What a stranger could send: it is refused with the right word, and nothing is written.

mod forge;
mod oracle;

use bundle::{Error, open, unpack};
use forge::{behind, described, entry, manifest, with, zip};
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
    assert!(oracle::check(&bytes));
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
    let (code, message) = refused(&zip(&with(&both)));
    assert_eq!(code, "unsafe_entry");
    assert!(
        message.ends_with("a file stands where its directory should be"),
        "{message}"
    );
}

#[test]
fn bombs_do_not_go_off() {
    let zeros = |n: usize| forge::Entry {
        deflate: true,
        ..entry("artifacts/zeros", &vec![0; n])
    };
    // A thousand to one.
    let (code, message) = refused(&zip(&with(&[zeros(8 << 20)])));
    assert_eq!(code, "bundle_too_large");
    assert!(message.ends_with("grows to more than 100 times its size"), "{message}");
    // One that says it is small, and one that says it is larger than anything may be.
    for claims in [1000, u32::MAX] {
        let liar = forge::Entry {
            claims: Some(claims),
            ..zeros(8 << 20)
        };
        assert_eq!(refused(&zip(&with(&[liar]))).0, "bundle_too_large", "{claims}");
    }
    // Many that are small.
    let many: Vec<_> = (0..10_001).map(|i| entry(&format!("artifacts/{i}"), b"")).collect();
    assert_eq!(refused(&zip(&with(&many))).0, "bundle_too_large");
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

/// Each of these unpacks to sound files with some reader of zip files, and to something else, or to more, with another.
#[test]
fn a_zip_that_two_readers_see_differently_is_refused() {
    let artifact = || entry("artifacts/a", b"x");
    let zipped = |odd: forge::Entry| zip(&with(&[odd]));
    let sound = zip(&with(&[artifact()]));
    let list = sound.len() - 22 - (46 * 4 + "manifest.jsonworkbook.orgworkbook.htmlartifacts/a".len());
    open(&sound).unwrap();
    let mut late = sound.clone();
    late.splice(list..list, *b"a third entry that no list names");
    let end = late.len() - 6;
    late[end..end + 4].copy_from_slice(&(list as u32 + 32).to_le_bytes());
    for (what, bytes, code) in [
        (
            "a script before the zip",
            behind(b"#!/bin/sh\nrm -rf ~\n", &sound, 4),
            "not_a_bundle",
        ),
        ("a zip before the zip", behind(&sound, &sound, 4), "not_a_bundle"),
        ("a byte before the zip", behind(b"P", &sound, 4), "not_a_bundle"),
        (
            "another name before the data",
            zipped(forge::Entry {
                alias: Some(b"artifacts/b".to_vec()),
                ..artifact()
            }),
            "unsafe_entry",
        ),
        (
            "a way out before the data",
            zipped(forge::Entry {
                alias: Some(b"../../../.sh".to_vec()),
                ..entry("artifacts/ab", b"x")
            }),
            "unsafe_entry",
        ),
        (
            "bytes between two entries",
            zipped(forge::Entry {
                gap: b"hidden".to_vec(),
                ..artifact()
            }),
            "not_a_bundle",
        ),
        (
            "a whole entry that no list names",
            zipped(forge::Entry {
                gap: b"PK\x03\x04 and so on".to_vec(),
                ..artifact()
            }),
            "not_a_bundle",
        ),
        ("bytes between the entries and their list", late, "not_a_bundle"),
        (
            "bytes behind the data of an entry that is packed",
            zipped(forge::Entry {
                deflate: true,
                tail: b"hidden".to_vec(),
                ..artifact()
            }),
            "not_a_bundle",
        ),
        (
            "bytes behind the data of an entry that is not",
            zipped(forge::Entry {
                tail: b"hidden".to_vec(),
                ..artifact()
            }),
            "bundle_too_large",
        ),
        (
            "sizes that follow the data",
            zipped(forge::Entry {
                flags: 1 << 3,
                ..artifact()
            }),
            "unsafe_entry",
        ),
        (
            "an entry that is encrypted",
            zipped(forge::Entry { flags: 1, ..artifact() }),
            "unsafe_entry",
        ),
    ] {
        assert_eq!(refused(&bytes).0, code, "{what}");
    }
}

/// In every field that both headers have: the list says one thing, the entry itself another.
#[test]
fn headers_that_differ_in_any_field_are_refused() {
    let sound = zip(&with(&[entry("artifacts/a", b"x")]));
    let header = sound.windows(4).rposition(|bytes| bytes == b"PK\x03\x04").unwrap();
    for at in 4..30 {
        let mut bytes = sound.clone();
        bytes[header + at] ^= 1;
        let (code, message) = refused(&bytes);
        assert_eq!(code, "unsafe_entry", "byte {at}");
        assert!(
            message.ends_with("its header and the list of entries differ"),
            "{message}"
        );
    }
}

#[test]
fn a_page_that_is_not_the_rendering_of_the_plan_is_refused() {
    let sound = String::from_utf8(forge::page()).unwrap();
    for page in [
        String::new(),
        "<p>Plan</p>".to_owned(),
        sound.replace("Plan", "Another plan"),
        sound.replace("</main>", "<script>alert(1)</script></main>"),
        format!("{sound}\n"),
    ] {
        let entries = vec![
            entry("workbook.org", forge::PLAN),
            entry("workbook.html", page.as_bytes()),
        ];
        let (code, message) = refused(&zip(&described(entries)));
        assert_eq!(code, "changed", "{page}");
        assert!(
            message.ends_with("`workbook.html` is not the rendering of `workbook.org`"),
            "{message}"
        );
    }
    let binary = vec![
        entry("workbook.org", b"* \xFF\n"),
        entry("workbook.html", sound.as_bytes()),
    ];
    assert_eq!(refused(&zip(&described(binary))).0, "not_a_bundle");
}

#[test]
fn a_manifest_that_names_a_file_twice_is_refused() {
    let mut entries = with(&[]);
    let json = String::from_utf8(entries[0].content.clone()).unwrap();
    let hash = "0".repeat(64);
    entries[0].content = json
        .replace("\"files\":{", &format!("\"files\":{{\"workbook.org\":\"{hash}\","))
        .into_bytes();
    assert_eq!(refused(&zip(&entries)).0, "not_a_bundle");
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
        prop_assert!(!oracle::check(&bytes));
    }

    /// Whatever is changed in a sound bundle: it is refused, or what comes out is what went in.
    #[test]
    fn a_changed_byte_is_found_or_does_not_matter(at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let sound = zip(&with(&[entry("artifacts/a", b"some bytes of an artifact")]));
        let mut bytes = sound.clone();
        let at = at.index(bytes.len());
        bytes[at] = to;
        oracle::check(&bytes);
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
