//! Signatures cover every file.

use super::scratch::{NODE, OVERVIEW, PLAIN, Scratch, facts};
use ledger::Signer;
use proptest::prelude::*;
use std::fs;
use toolkit::{Mark, Statement, Toolkit, check_signature, sign, verify};

fn signed(ending: &str) -> Scratch {
    let scratch = Scratch::new();
    let text = format!("{PLAIN}#+TRUST: third-party\n#+CAPS: vfs\n{NODE}").replace('\n', ending);
    scratch.write("dates/manifest.org", text);
    scratch.write("dates/skills/overview.org", OVERVIEW);
    scratch.write("dates/skills/leap.org", "* Leap\n");
    scratch.write("dates/src/deep/main.js", "export default x => x\n");
    scratch.write("dates/dist/a.wasm", [0, b'a', b's', b'm', 1, 0, 0, 0]);
    scratch.write("dates/.hidden", "x");
    sign(&scratch.open("dates"), &Signer::from_seed(&[7; 32])).unwrap();
    scratch
}

const FILES: [&str; 7] = [
    "manifest.org",
    "signature.json",
    "skills/overview.org",
    "skills/leap.org",
    "src/deep/main.js",
    "dist/a.wasm",
    ".hidden",
];

#[test]
fn what_is_signed_is_the_statement_of_the_contract() {
    let scratch = signed("\n");
    let dates = scratch.open("dates");
    let manifest = dates.manifest();
    let statement = Statement::of(&dates).unwrap();
    // A second reader's view: keys sorted, no blanks, the hash of an eight-byte module known from elsewhere.
    let text = statement.canonical();
    assert!(
        text.starts_with(r#"{"files":{".hidden":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881","#),
        "{text}"
    );
    assert!(text.contains(r#""dist/a.wasm":"93a44bbb96c751218e4c00d479e4c14358122a389acca16205b1e4d0dc5f9476""#));
    assert!(!text.contains("signature.json") && !text.contains("manifest.org"));
    let did = manifest.author_did.as_deref().unwrap();
    assert!(ledger::is_signed_by(
        did,
        text.as_bytes(),
        manifest.signature.as_deref().unwrap()
    ));
    let kept: serde_json::Value =
        serde_json::from_slice(&fs::read(scratch.root().join("dates/signature.json")).unwrap()).unwrap();
    assert_eq!(kept["v"], 1);
    let held = check_signature(&dates).unwrap();
    assert_eq!((held.files, held.did.as_str()), (6, did));
}

#[test]
fn signing_again_changes_no_byte_and_signing_for_another_is_refused() {
    let scratch = signed("\n");
    let read = || FILES.map(|file| fs::read(scratch.root().join("dates").join(file)).unwrap());
    let before = read();
    sign(&scratch.open("dates"), &Signer::from_seed(&[7; 32])).unwrap();
    assert_eq!(before, read());
    let stranger = sign(&scratch.open("dates"), &Signer::from_seed(&[8; 32])).unwrap_err();
    assert_eq!(stranger.code(), "not_the_author");
    assert_eq!(before, read());
}

#[test]
fn a_file_that_is_added_or_gone_is_named() {
    let scratch = signed("\n");
    scratch.write("dates/skills/extra.org", "* x\n");
    fs::remove_file(scratch.root().join("dates/.hidden")).unwrap();
    let faults = check_signature(&scratch.open("dates")).unwrap_err();
    assert_eq!(faults, [".hidden is missing", "skills/extra.org was added"]);
    let marks = verify(&scratch.open("dates"), &facts());
    assert_eq!(
        marks
            .iter()
            .filter(|f| f.mark == Mark::Fail && f.what == "trust")
            .count(),
        2
    );
}

#[test]
fn without_a_signature_a_strangers_toolkit_fails() {
    let scratch = Scratch::new();
    let did = Signer::from_seed(&[7; 32]).did();
    let dates = scratch.dates(&format!("#+TRUST: third-party\n#+AUTHOR_DID: {did}\n"));
    assert_eq!(
        check_signature(&dates).unwrap_err(),
        ["manifest.org has no valid #+AUTHOR_DID: and #+SIGNATURE:"]
    );
}

#[test]
fn one_who_signs_everything_anew_is_somebody_else() {
    let scratch = signed("\n");
    let mine = check_signature(&scratch.open("dates")).unwrap();
    let path = scratch.root().join("dates/manifest.org");
    let text = fs::read_to_string(&path)
        .unwrap()
        .replace(&mine.did, &Signer::from_seed(&[8; 32]).did());
    fs::write(&path, text).unwrap();
    sign(&scratch.open("dates"), &Signer::from_seed(&[8; 32])).unwrap();
    let theirs = check_signature(&scratch.open("dates")).unwrap();
    assert!(theirs.did != mine.did && theirs.pin != mine.pin);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn flip_any_byte_of_any_file_and_it_is_named(
        file in 0..FILES.len(), at in any::<prop::sample::Index>(), to in any::<u8>(), crlf in any::<bool>()
    ) {
        let scratch = signed(if crlf { "\r\n" } else { "\n" });
        let dir = scratch.root().join("dates");
        prop_assert!(check_signature(&scratch.open("dates")).is_ok());
        let path = dir.join(FILES[file]);
        let mut bytes = fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        let to = if bytes[at] == to { to ^ 1 } else { to };
        bytes[at] = to;
        fs::write(&path, bytes).unwrap();
        let faults = match Toolkit::open(&dir) {
            Ok(dates) => check_signature(&dates).err().unwrap_or_default(),
            Err(refused) => vec![refused.to_string()],
        };
        prop_assert!(faults.iter().any(|fault| fault.contains(FILES[file])), "byte {at} of {}: {faults:?}", FILES[file]);
    }
}
