//! Directories that a stranger made.

use super::scratch::{OVERVIEW, PLAIN, Scratch, facts};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use toolkit::{Mark, Root, Statement, Toolkit, verify};

fn refusal(result: Result<String, toolkit::Error>) -> String {
    let error = result.unwrap_err();
    format!("{}: {error}", error.code())
}

#[test]
fn a_slug_stays_in_its_directory() {
    let scratch = Scratch::new();
    let dates = scratch.dates("");
    scratch.write("dates/secret.org", "* secret\n");
    for slug in [
        "../secret",
        "..",
        ".",
        "a/b",
        "/etc/passwd",
        "",
        "a b",
        "overview\0",
        "..%2fsecret",
        "é",
    ] {
        assert!(refusal(dates.skill(slug)).starts_with("invalid_name"), "{slug:?}");
    }
    assert!(refusal(dates.skill("secret")).starts_with("unknown_skill"));
    assert_eq!(dates.skill("overview").unwrap(), OVERVIEW);
}

#[test]
fn links_that_lead_out_are_refused_by_name() {
    let scratch = Scratch::new();
    let dates = scratch.dates("");
    let outside = scratch.path().join("outside.org");
    fs::write(&outside, "* outside\n").unwrap();
    symlink(&outside, scratch.root().join("dates/skills/absolute.org")).unwrap();
    symlink("../../../outside.org", scratch.root().join("dates/skills/relative.org")).unwrap();
    symlink("overview.org", scratch.root().join("dates/skills/inner.org")).unwrap();
    for slug in ["absolute", "relative", "inner"] {
        let why = refusal(dates.skill(slug));
        assert!(why.starts_with("file_refused") && why.contains(slug), "{why}");
    }
    let why = Statement::of(&dates).unwrap_err().to_string();
    assert!(why.contains("skills/") && why.contains("it is a link"), "{why}");
    // The index shows no link at all.
    assert_eq!(dates.skills().unwrap().len(), 1);
}

#[test]
fn a_linked_directory_of_skills_is_refused() {
    let scratch = Scratch::new();
    scratch.dates("");
    fs::remove_dir_all(scratch.root().join("dates/skills")).unwrap();
    let outside = scratch.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("overview.org"), "* outside\n").unwrap();
    symlink(&outside, scratch.root().join("dates/skills")).unwrap();
    let dates = scratch.open("dates");
    assert!(refusal(dates.skill("overview")).contains("skills/overview.org"));
    let found = verify(&dates, &facts());
    let skills = found.iter().find(|f| f.what == "skills").unwrap();
    assert_eq!(skills.mark, Mark::Fail, "{skills}");
}

#[test]
fn a_linked_toolkit_is_none() {
    let scratch = Scratch::new();
    scratch.dates("");
    let outside = scratch.path().join("outside");
    fs::create_dir_all(outside.join("skills")).unwrap();
    fs::write(
        outside.join("manifest.org"),
        PLAIN.replace("dates", "linked") + "* L :toolkit:\n",
    )
    .unwrap();
    symlink(&outside, scratch.root().join("linked")).unwrap();
    let root = Root::open(&scratch.root()).unwrap();
    assert_eq!(root.list().unwrap().len(), 1);
    let refused = root.toolkit("linked").err().unwrap();
    assert!(refused.to_string().contains("linked"), "{refused}");
}

#[test]
fn a_file_of_a_gigabyte_is_refused_at_once() {
    let scratch = Scratch::new();
    let dates = scratch.dates("");
    let large = fs::File::create(scratch.root().join("dates/skills/large.org")).unwrap();
    large.set_len(1 << 30).unwrap();
    let why = refusal(dates.skill("large"));
    assert!(why.contains("skills/large.org") && why.contains("more than"), "{why}");
    let why = Statement::of(&dates).unwrap_err().to_string();
    assert!(why.contains("skills/large.org"), "{why}");
    let manifest = fs::File::create(scratch.root().join("dates/manifest.org")).unwrap();
    manifest.set_len(1 << 30).unwrap();
    let why = Toolkit::open(&scratch.root().join("dates")).err().unwrap().to_string();
    assert!(why.contains("manifest.org"), "{why}");
}

#[test]
fn text_that_is_none_is_refused_with_its_byte() {
    let scratch = Scratch::new();
    let dates = scratch.dates("");
    scratch.write("dates/skills/binary.org", b"* a\xff\xfe");
    assert!(refusal(dates.skill("binary")).contains("skills/binary.org` is refused: it is not UTF-8: byte 3"));
}

#[test]
fn a_pipe_or_an_odd_name_is_refused_and_nobody_waits() {
    let scratch = Scratch::new();
    let dates = scratch.dates("");
    let pipe = scratch.root().join("dates/skills/pipe.org");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    assert!(refusal(dates.skill("pipe")).contains("not a plain file"));
    assert!(Statement::of(&dates).unwrap_err().to_string().contains("pipe.org"));
    fs::remove_file(pipe).unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"odd\xff.org");
    fs::write(scratch.root().join("dates/skills").join(odd), "").unwrap();
    assert!(
        Statement::of(&dates)
            .unwrap_err()
            .to_string()
            .contains("its name is not UTF-8")
    );
}

#[test]
fn deep_and_wide_trees_end_in_an_error() {
    let scratch = Scratch::new();
    let dates = scratch.dates("");
    scratch.write(&format!("dates/{}x", "d/".repeat(20)), "x");
    assert!(Statement::of(&dates).unwrap_err().to_string().contains("deeper"));
}
