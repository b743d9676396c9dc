//! The guests of the workspace get the verdicts they were made for.
//!
//! They are built by `cargo build --manifest-path guests/fixtures/Cargo.toml`. Where `WORKBOOKS_GUESTS` names their directory
//! they must be there; without it, a tree in which they are not built skips this file.

use std::path::PathBuf;

use conformance::{Nonconformance, World};

fn directory() -> Option<PathBuf> {
    let built = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../target/guests/wasm32-wasip2/release"
    );
    match std::env::var_os("WORKBOOKS_GUESTS") {
        Some(directory) => Some(directory.into()),
        None => Some(PathBuf::from(built)).filter(|directory| directory.join("echo.wasm").exists()),
    }
}

fn assert_guests(each: impl Fn(&str, &[u8]), names: &[&str]) {
    let Some(directory) = directory() else {
        eprintln!("skipped: the guests are not built");
        return;
    };
    for name in names {
        let file = directory.join(name.replace('-', "_")).with_extension("wasm");
        let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        each(name, &bytes);
    }
}

#[test]
fn guests_of_the_engine_fit_the_engine() {
    assert_guests(
        |name, bytes| assert_eq!(conformance::engine(bytes), Ok(()), "{name}"),
        &[
            "engine-probe",
            "echo",
            "spin",
            "eat-memory",
            "trap",
            "stack-overflow",
            "exit",
            "flood-stdout",
            "sleep",
            "count-calls",
            "reach-out",
        ],
    );
}

#[test]
fn guests_of_wider_worlds_fit_the_dock_and_not_the_engine() {
    assert_guests(
        |name, bytes| {
            assert_eq!(conformance::check(bytes, World::Dock), Ok(()), "{name}");
            assert!(conformance::engine(bytes).is_err(), "{name}");
        },
        &["dock-all", "block-in-host"],
    );
}

#[test]
fn guests_that_do_not_fit_say_why() {
    for (name, finding) in [
        (
            "undeclared-import",
            "undeclared Dock import `launch-rockets` (not in workbooks:engine)",
        ),
        (
            "wrong-run-type",
            "export `run` has type func(input: u32) -> string, expected func(input: string) -> string",
        ),
    ] {
        let verdict = Err(Nonconformance::Findings(vec![finding.to_owned()]));
        assert_guests(|_, bytes| assert_eq!(conformance::engine(bytes), verdict), &[name]);
    }
}

#[test]
fn guests_import_what_they_use_of_the_dock() {
    for (name, expected) in [
        ("engine-probe", &["run-command", "session-info", "vfs-query"][..]),
        (
            "dock-all",
            &[
                "browse-fetch",
                "llm-complete",
                "run-command",
                "run-command-many",
                "session-info",
                "vfs-query",
            ],
        ),
        ("block-in-host", &["llm-complete"]),
        ("echo", &[]),
    ] {
        assert_guests(
            |_, bytes| {
                let mut names = conformance::imports(bytes).unwrap();
                names.sort();
                assert_eq!(names, expected, "{name}");
            },
            &[name],
        );
    }
}

#[test]
fn a_guest_may_be_replaced_by_one_that_asks_less() {
    assert_guests(
        |_, probe| {
            assert_guests(
                |_, echo| {
                    assert_eq!(conformance::check_upgrade(probe, echo), Ok(vec![]));
                    let back = conformance::check_upgrade(echo, probe).unwrap();
                    let errors = back.iter().filter(|finding| finding.level == conformance::Level::Error);
                    let mut paths: Vec<&str> = errors.map(|finding| finding.path.as_str()).collect();
                    paths.sort();
                    assert_eq!(paths, ["run-command", "session-info", "vfs-query"]);
                },
                &["echo"],
            );
        },
        &["engine-probe"],
    );
}
