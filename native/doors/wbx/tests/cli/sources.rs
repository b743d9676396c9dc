//! Where plans come from and where pages go.

use crate::{
    program::{Folder, feed, run, wbx},
    worked_examples::{BROKEN, COHERENT, V1, V2},
};
use std::{
    fs,
    process::{Command, Stdio},
};

fn git(folder: &Folder, args: &[&str]) {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(args)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// A repository whose last commit holds the plan at the top and in a directory.
pub fn repository(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::with(files);
    git(&folder, &["init", "--quiet"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "--message", "first"]);
    folder
}

#[test]
fn a_dash_is_standard_input_for_every_verb_that_reads() {
    let folder = Folder::with(&[("plan.org", BROKEN)]);
    for args in [
        &["lint"][..],
        &["lint", "--all"],
        &["tangle"],
        &["tasks"],
        &["render"],
        &["check-upgrade", "plan.org"],
    ] {
        let from_file = run(&mut folder.wbx(&[args, &["plan.org"]].concat()));
        let from_stdin = feed(&mut folder.wbx(&[args, &["-"]].concat()), BROKEN.as_bytes());
        assert_eq!(from_stdin, from_file, "{args:?}");
    }
}

#[test]
fn check_upgrade_reads_the_past_from_git() {
    let folder = repository(&[("plan.org", V1)]);
    fs::write(folder.path().join("plan.org"), V2).unwrap();
    for (old, new, exit) in [
        ("git:HEAD:plan.org", "plan.org", 5),
        ("git:HEAD:./plan.org", "plan.org", 5),
        ("git::plan.org", "plan.org", 5),
        ("plan.org", "git:HEAD:plan.org", 5),
        ("git:HEAD:plan.org", "git:HEAD:plan.org", 0),
    ] {
        assert_eq!(
            run(&mut folder.wbx(&["check-upgrade", old, new])).exit,
            exit,
            "{old} {new}"
        );
    }
}

#[test]
fn what_git_cannot_find_is_not_found_in_its_own_words() {
    let folder = repository(&[("plan.org", V1)]);
    fs::create_dir(folder.path().join("folder")).unwrap();
    for (old, words) in [
        ("git:HEAD:gone.org", "path 'gone.org' does not exist in 'HEAD'"),
        ("git:nowhere:plan.org", "git cannot read `nowhere:plan.org`: "),
        ("git:HEAD:", "git cannot read `HEAD:`: "),
    ] {
        let ended = run(&mut folder.wbx(&["check-upgrade", old, "plan.org"]));
        assert_eq!(ended.exit, 4, "{old}");
        assert!(ended.stderr.contains(words), "{old}: {}", ended.stderr);
    }
}

#[test]
fn a_revision_cannot_smuggle_an_option_into_git() {
    let folder = repository(&[("plan.org", V1)]);
    let ended = run(&mut folder.wbx(&["check-upgrade", "git:--help:plan.org", "plan.org"]));
    assert_eq!(ended.exit, 2);
    assert!(
        ended
            .stderr
            .starts_with("error[usage]: `git:--help:plan.org` names no file\n")
    );
}

#[test]
fn without_git_the_error_says_so() {
    let folder = Folder::with(&[("plan.org", V1)]);
    let ended = run(folder
        .wbx(&["check-upgrade", "git:HEAD:plan.org", "plan.org"])
        .env("PATH", "/nowhere"));
    assert_eq!(ended.exit, 1);
    assert!(
        ended.stderr.starts_with("error[git_missing]: git cannot be run: "),
        "{}",
        ended.stderr
    );
}

#[test]
fn only_check_upgrade_reads_from_git() {
    let folder = repository(&[("plan.org", V1)]);
    assert_eq!(run(&mut folder.wbx(&["lint", "git:HEAD:plan.org"])).exit, 4);
}

#[test]
fn render_prints_the_page_or_puts_it_into_a_file() {
    let folder = Folder::with(&[("plan.org", COHERENT), ("page.html", "old")]);
    let printed = run(&mut folder.wbx(&["render", "plan.org"])).stdout;
    assert!(printed.contains("Summarize"), "{printed}");
    for page in ["page.html", "new.html"] {
        let ended = run(&mut folder.wbx(&["render", "plan.org", "-o", page]));
        assert_eq!(ended.stdout, format!("{page}: {} bytes\n", printed.len()));
        assert_eq!(fs::read_to_string(folder.path().join(page)).unwrap(), printed);
    }
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["new.html", "page.html", "plan.org"],
        "no temporary file is left"
    );
}

#[test]
fn render_says_where_the_page_went() {
    let folder = Folder::with(&[("plan.org", "* Notes\n")]);
    let ended = run(&mut folder.wbx(&["render", "plan.org", "--output", "page.html", "--json"]));
    let bytes = fs::metadata(folder.path().join("page.html")).unwrap().len();
    let data = format!("{{\"path\":\"page.html\",\"bytes\":{bytes}}}");
    assert_eq!(
        ended.stdout,
        format!("{{\"ok\":true,\"verb\":\"render\",\"data\":{data}}}\n")
    );
}

#[cfg(unix)]
#[test]
fn a_link_still_points_where_it_pointed_and_a_device_is_still_a_device() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::with(&[("plan.org", "* Notes\n"), ("page.html", "old")]);
    let link = folder.path().join("link.html");
    std::os::unix::fs::symlink("page.html", &link).unwrap();
    assert_eq!(run(&mut folder.wbx(&["render", "plan.org", "-o", "link.html"])).exit, 0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_ne!(fs::read_to_string(folder.path().join("page.html")).unwrap(), "old");
    assert_eq!(run(&mut folder.wbx(&["render", "plan.org", "-o", "/dev/null"])).exit, 0);
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let plan = "* Headline\n".repeat(20_000);
    let folder = Folder::with(&[("plan.org", &plan)]);
    let mut child = folder
        .wbx(&["tasks", "plan.org"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure() {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = wbx(&["help"]).stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: cannot write the answer: "));
}
