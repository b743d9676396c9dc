//! From a declaration to an artifact, or to an error that says what to do.

use super::yard::Yard;
use host::Cancel;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use toolkit::Shape;
use toolkit_build::{LaneError, Lanes};

const EMPTY: [u8; 8] = [0, b'a', b's', b'm', 1, 0, 0, 0];

fn levels() -> Vec<u8> {
    fs::read(super::yard::house().join("toolkits/levels/levels.wasm")).unwrap()
}

fn hash(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

fn build(yard: &Yard) -> String {
    match yard.ask("build", json!({"id": "it"})) {
        Ok(_) => "built".into(),
        Err(error) => format!("{}: {error} ({})", error.code(), error.hint()),
    }
}

#[test]
fn each_source_is_built_or_says_why_not() {
    let pin = hash(&EMPTY);
    for (keywords, expected) in [
        (
            "#+EXEC: kernel\n#+BUILD_LANG: rust\n#+BUILD_SRC: crate:regex\n".to_owned(),
            "lane_unavailable: `crate:regex` cannot be built here",
        ),
        (
            "#+EXEC: kernel\n#+BUILD_LANG: go\n#+BUILD_SRC: gobuild:cmd\n".to_owned(),
            "lane_unavailable",
        ),
        (
            "#+EXEC: kernel\n#+BUILD_LANG: c\n#+BUILD_SRC: path:skills\n".to_owned(),
            "lane_unavailable: there is no lane for `c` here",
        ),
        (
            "#+EXEC: kernel\n#+BUILD_SRC: git+https://x.org/y\n".to_owned(),
            "invalid_manifest: manifest.org: line 7: BUILD_SRC: `git+https://x.org/y`: use crate: or path:",
        ),
        (
            "#+EXEC: kernel\n#+BUILD_SRC: script:make.sh\n".to_owned(),
            "no native build scripts",
        ),
        (
            "#+EXEC: kernel\n#+BUILD_SRC: npm:x\n".to_owned(),
            "known are crate: path: wasm: archive: gobuild: zigbuild:",
        ),
        (
            format!("#+EXEC: kernel\n#+BUILD_SRC: wasm:https://example.org/a.wasm\n#+SHA256: {pin}\n"),
            "not_fetched: https://example.org/a.wasm has to be fetched",
        ),
        (
            format!("#+EXEC: kernel\n#+BUILD_SRC: wasm:missing.wasm\n#+SHA256: {pin}\n"),
            "file_refused: `missing.wasm` is refused: it is not there",
        ),
        (
            format!(
                "#+EXEC: kernel\n#+BUILD_SRC: wasm:a.wasm\n#+SHA256: {}\n",
                "0".repeat(64)
            ),
            "hash_mismatch: a.wasm: its SHA-256 is",
        ),
        (
            format!("#+EXEC: kernel\n#+BUILD_SRC: wasm:a.wasm\n#+SHA256: {pin}\n"),
            "unfit: it does not export `memory`",
        ),
        (
            format!("#+EXEC: command\n#+CLI_BIN: it\n#+BUILD_SRC: wasm:a.wasm\n#+SHA256: {pin}\n"),
            "unfit: it does not export `_start`",
        ),
        (
            format!("#+EXEC: component\n#+BUILD_SRC: wasm:a.wasm\n#+SHA256: {pin}\n"),
            "unfit: the artifact does not fit: it is not a component",
        ),
        ("#+EXEC: kernel\n".to_owned(), "nothing_to_build"),
        ("#+EXEC: task\n".to_owned(), "nothing_to_build"),
    ] {
        let yard = Yard::own();
        yard.toolkit(&keywords);
        yard.write("toolkits/it/a.wasm", EMPTY);
        let told = build(&yard);
        assert!(told.contains(expected), "{keywords}: {told}");
        assert!(yard.foundry.kernels().entries().unwrap().is_empty());
    }
}

#[test]
fn a_pinned_module_is_taken_from_the_toolkit_from_a_file_or_from_what_was_fetched() {
    let wasm = levels();
    let yard = Yard::own();
    yard.write("elsewhere.wasm", &wasm);
    let file = format!("file://{}", yard.path("elsewhere.wasm").display());
    for at in ["dist/k.wasm", &file] {
        yard.toolkit(&format!(
            "#+EXEC: kernel\n#+BUILD_SRC: wasm:{at}\n#+SHA256: {}\n",
            hash(&wasm)
        ));
        yard.write("toolkits/it/dist/k.wasm", &wasm);
        assert_eq!(build(&yard), "built", "{at}");
    }
    yard.toolkit(&format!(
        "#+EXEC: kernel\n#+BUILD_SRC: wasm:https://example.org/k.wasm\n#+SHA256: {}\n",
        hash(&wasm)
    ));
    let built = yard
        .ask("build", json!({"id": "it", "from": "elsewhere.wasm"}))
        .unwrap();
    assert_eq!(built["sha256"], hash(&wasm));
    yard.write("other.wasm", EMPTY);
    assert!(
        yard.refusal("build", json!({"id": "it", "from": "other.wasm"}))
            .starts_with("hash_mismatch")
    );
    assert!(
        yard.refusal("build", json!({"id": "it", "which": "another"}))
            .starts_with("bad_option")
    );
}

#[test]
fn an_archive_gives_its_module_and_refuses_a_preopen() {
    let wasm = levels();
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(wasm.len() as u64);
    header.set_cksum();
    tar.append_data(&mut header, "lib/k.wasm", &wasm[..]).unwrap();
    let tar = tar.into_inner().unwrap();
    let yard = Yard::own();
    yard.write("toolkits/it/k.tar", &tar);
    let keywords = format!(
        "#+EXEC: kernel\n#+BUILD_SRC: archive:k.tar\n#+SHA256: {}\n#+WASM_PATH: lib/k.wasm\n",
        hash(&tar)
    );
    yard.toolkit(&format!("{keywords}#+PREOPEN: share\n"));
    yard.write("toolkits/it/k.tar", &tar);
    assert!(build(&yard).contains("#+PREOPEN: is not supported"));
    yard.toolkit(&keywords);
    assert_eq!(build(&yard), "built");
}

/// A lane that says what it was given.
struct Mirror;

impl Lanes for Mirror {
    fn ready(&self, shape: Shape) -> Vec<String> {
        if shape == Shape::Kernel {
            vec!["c".into()]
        } else {
            Vec::new()
        }
    }

    fn build(
        &self,
        lang: &str,
        dir: &Path,
        shape: Shape,
        _: &[String],
        _: &Cancel,
    ) -> Result<(Vec<u8>, String), LaneError> {
        assert_eq!((lang, shape), ("c", Shape::Kernel));
        let mut seen: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        seen.sort();
        match seen == ["deep", "main.c"] {
            true => Ok((levels(), "mirror 1".into())),
            false => Err(LaneError::Failed {
                message: format!("main.c:1: saw {seen:?}"),
            }),
        }
    }
}

#[test]
fn a_lane_sees_a_copy_of_the_source_and_nothing_else() {
    let yard = Yard::own().with_lanes(Arc::new(Mirror));
    yard.toolkit("#+EXEC: kernel\n#+BUILD_LANG: c\n#+BUILD_SRC: path:src/kernel\n");
    yard.write("toolkits/it/src/kernel/main.c", "int x;\n");
    yard.write("toolkits/it/src/kernel/deep/a.h", "\n");
    let found = yard.ask("verify", json!({"id": "it"})).unwrap();
    assert!(
        found["text"]
            .as_str()
            .unwrap()
            .contains("the c lane builds `path:src/kernel`"),
        "{found}"
    );
    let built = yard.ask("build", json!({"id": "it"})).unwrap();
    assert_eq!(built["lane"], "mirror 1");
    yard.write("toolkits/it/src/kernel/extra.c", "");
    assert!(build(&yard).starts_with("build_failed: main.c:1: saw"));
    symlink("/etc/passwd", yard.path("toolkits/it/src/kernel/link.c")).unwrap();
    let told = build(&yard);
    assert!(told.starts_with("file_refused") && told.contains("link.c"), "{told}");
}

#[test]
fn a_reserved_name_is_not_taken() {
    let csv = fs::read(super::yard::house().join("toolkits/csv/csv.wasm")).unwrap();
    let yard = Yard::own();
    yard.toolkit(&format!(
        "#+EXEC: command\n#+CLI_BIN: grep\n#+BUILD_SRC: wasm:a.wasm\n#+SHA256: {}\n",
        hash(&csv)
    ));
    yard.write("toolkits/it/a.wasm", &csv);
    assert!(build(&yard).starts_with("reserved_name"));
}
