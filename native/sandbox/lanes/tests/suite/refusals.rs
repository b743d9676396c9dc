//! What is refused before any compiler runs, and what happens to artifacts that were spoilt.

use super::world::{WORLD, build, random, text};
use host::Cancel;
use lanes::{Error, Lanes, Order, Shape, Source, State};
use std::os::unix::fs::symlink;

#[test]
fn a_language_without_a_lane_says_what_to_do() {
    for lang in ["rust", "go", "zig", "cobol"] {
        match build(&text(lang, "x", Shape::Command)) {
            Err(Error::Unavailable {
                lang: named,
                what_to_do,
            }) => {
                assert_eq!(named, lang);
                assert!(what_to_do.contains("wasm"), "{what_to_do}");
            }
            other => panic!("{lang}: {other:?}"),
        }
    }
}

#[test]
fn without_its_compilers_every_lane_is_absent() {
    let dir = tempfile::tempdir().unwrap();
    let lanes = Lanes::open(&dir.path().join("none"), dir.path(), WORLD.sandbox.clone()).unwrap();
    assert!(lanes.list().iter().all(|status| status.state == State::Absent));
    let built = lanes.build(&text("js", "export default 1", Shape::Component), &Cancel::default());
    assert!(matches!(built, Err(Error::Unavailable { what_to_do, .. }) if what_to_do.contains("make lanes")));
}

#[test]
fn a_compiler_that_was_changed_is_not_run() {
    let dir = tempfile::tempdir().unwrap();
    let tools = dir.path().join("tools");
    std::fs::create_dir(&tools).unwrap();
    let mut list = String::from(r#"{"version":1,"tools":{"#);
    for tool in lane_table::lane("js").unwrap().tools {
        std::fs::write(tools.join(tool), b"\0asm\x01\0\0\0").unwrap();
        list += &format!("\"{tool}\":\"{}\",", "0".repeat(64));
    }
    std::fs::write(tools.join("lanes.json"), list.trim_end_matches(',').to_owned() + "}}").unwrap();
    let lanes = Lanes::open(&tools, dir.path(), WORLD.sandbox.clone()).unwrap();
    let built = lanes.build(&text("js", "export default 1", Shape::Component), &Cancel::default());
    assert!(matches!(built, Err(Error::Tampered(_))), "{built:?}");
    std::fs::write(tools.join("lanes.json"), r#"{"version":2,"tools":{}}"#).unwrap();
    assert!(matches!(
        Lanes::open(&tools, dir.path(), WORLD.sandbox.clone()),
        Err(Error::Tampered(_))
    ));
}

#[test]
fn a_shape_that_the_lane_does_not_make_is_refused() {
    let refused = build(&text("js", "export default 1", Shape::Kernel)).unwrap_err();
    assert_eq!(refused.code(), "bad_option");
    assert_eq!(
        refused.to_string(),
        "js cannot be built to a kernel, only to a component or a command"
    );
}

#[test]
fn packages_are_not_fetched() {
    let mut order = text("js", "export default (x) => x", Shape::Component);
    order.deps = vec!["lodash".into()];
    assert!(matches!(build(&order), Err(Error::Source(why)) if why.contains("lodash")));
}

#[test]
fn a_project_cannot_reach_out_of_its_directory() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("main.js"), "export default (x) => x").unwrap();
    let order = Order::new("js", Source::Dir(dir.path().into()), Shape::Component);
    assert!(build(&order).is_ok());
    symlink("/etc/passwd", dir.path().join("passwd.js")).unwrap();
    assert!(matches!(build(&order), Err(Error::Source(why)) if why.contains("passwd.js")));
}

#[test]
fn a_project_that_is_too_large_or_has_no_entry_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let order = Order::new("js", Source::Dir(dir.path().into()), Shape::Component);
    assert!(matches!(build(&order), Err(Error::Source(why)) if why.contains("main.js")));
    let large = std::fs::File::create(dir.path().join("main.js")).unwrap();
    large.set_len(1 << 30).unwrap();
    assert!(matches!(build(&order), Err(Error::Source(why)) if why.contains("8 MiB")));
    std::fs::write(dir.path().join("main.js"), b"export default '\xff'").unwrap();
    assert!(matches!(build(&order), Err(Error::Source(why)) if why.contains("UTF-8")));
    std::fs::write(dir.path().join("main.js"), "export default '\0'").unwrap();
    assert!(matches!(build(&order), Err(Error::Source(why)) if why.contains("NUL")));
}

#[test]
fn a_spoilt_artifact_is_built_again() {
    let order = text("js", &format!("export default () => {}", random()), Shape::Component);
    let first = build(&order).unwrap();
    for spoil in [&b""[..], b"\0asm", b"something else"] {
        std::fs::write(&first.path, spoil).unwrap();
        let again = build(&order).unwrap();
        assert!(!again.cached);
        assert_eq!(again.sha256, first.sha256);
    }
    std::fs::remove_file(&first.path).unwrap();
    assert!(!build(&order).unwrap().cached);
    assert!(build(&order).unwrap().cached);
}

#[test]
fn a_build_that_was_cancelled_stops() {
    let cancel = Cancel::default();
    cancel.cancel();
    let order = text("js", &format!("export default () => {}", random()), Shape::Component);
    let stopped = WORLD.lanes.build(&order, &cancel).unwrap_err();
    assert_eq!(stopped.code(), "cancelled");
}
