//! What a verdict says besides pass and fail.

mod workshop;

use acceptance::ReadFile;
use sha2::{Digest, Sha256};
use std::time::Duration;
use workshop::{Workshop, ask};

fn sha256(text: &str) -> Option<String> {
    Some(format!("{:x}", Sha256::digest(text)))
}

#[test]
fn a_failure_names_the_check_and_what_it_said_last() {
    let workshop = Workshop::new();
    for (check, expected) in [
        ("test -s nofile", "the check `test -s nofile` exited with status 1"),
        (
            "echo first >&2; echo no prices >&2; exit 4",
            "the check `echo first >&2; echo no prices >&2; exit 4` exited with status 4: first; no prices",
        ),
        (
            "frobnicate --all",
            "the check `frobnicate --all` failed: the shell has no command `frobnicate`: frobnicate: command not found",
        ),
        (
            "while :; do :; done",
            "the check `while :; do :; done` could not be run: the script took too many steps",
        ),
    ] {
        let verdict = workshop.ask(check);
        assert_eq!(verdict.reason.as_deref(), Some(expected));
    }
}

#[test]
fn a_spinning_command_is_over_when_its_time_is() {
    let workshop = Workshop::new();
    let mut place = workshop.place();
    place.time = Duration::from_millis(300);
    let verdict = ask("yes > /dev/null", place);
    let expected = "the check `yes > /dev/null` took longer than 300 ms";
    assert_eq!(verdict.reason.as_deref(), Some(expected));
}

#[test]
fn what_it_printed_is_without_the_sentinel() {
    let verdict = Workshop::new().ask("echo out; printf more; echo err >&2");
    assert_eq!((verdict.pass, verdict.status), (true, Some(0)));
    assert_eq!(verdict.stdout, b"out\nmore");
    assert_eq!(verdict.stderr, b"err\n");
}

#[test]
fn commands_are_named_by_the_hash_of_their_module() {
    let verdict = Workshop::new().ask("cat full | tr x y | cat; echo done");
    let names: Vec<&str> = verdict.commands.iter().map(|command| &*command.name).collect();
    assert_eq!(names, ["cat", "tr"]);
    for command in &verdict.commands {
        assert_eq!(command.sha256.as_ref().unwrap().len(), 64);
    }
}

#[test]
fn files_are_read_by_commands_and_by_redirections() {
    let workshop = Workshop::new();
    workshop.write("a", "one\n");
    workshop.write("b", "two\n");
    std::fs::create_dir(workshop.path("d")).unwrap();
    workshop.write("d/c", "three\n");
    std::os::unix::fs::symlink("a", workshop.path("link")).unwrap();
    let verdict =
        workshop.ask("cat link; read x < b; cd d; grep -q three c; test -s ../full; echo y > /tmp/y; cat /tmp/y");
    assert_eq!(verdict.reason, None);
    let expected = [("a", "one\n"), ("b", "two\n"), ("d/c", "three\n")].map(|(path, text)| ReadFile {
        path: path.to_owned(),
        sha256: sha256(text),
    });
    assert_eq!(verdict.files_read, expected);
    assert_eq!(verdict.changed, [""; 0]);
}

#[test]
fn a_check_that_changes_its_directory_is_told() {
    for (check, expected) in [
        ("test -s full", &[][..]),
        ("cat full > /dev/null", &[]),
        ("echo x > /tmp/scratch; mkdir /tmp/d; mv /tmp/scratch /tmp/d", &[]),
        ("echo x > made", &["made"]),
        ("echo x >> full", &["full"]),
        (": > full", &["full"]),
        ("touch made", &["made"]),
        ("rm full", &["full"]),
        ("mv full moved", &["full", "moved"]),
        ("mkdir -p d/e && touch d/e/f", &["d", "d/e", "d/e/f"]),
        (
            "cp full copy && ln -s full soft && ln full hard",
            &["copy", "hard", "soft"],
        ),
        ("sed -i s/x/y/ full", &["full"]),
        ("chmod 600 full", &["full"]),
        ("touch made; rm made", &[]),
        ("sort full -o full", &["full"]),
    ] {
        let verdict = Workshop::new().ask(check);
        assert_eq!(verdict.reason, None, "{check}");
        let changed: Vec<&str> = verdict.changed.iter().map(String::as_str).collect();
        assert_eq!(changed, expected, "{check}");
        assert_eq!(verdict.warnings().len(), usize::from(!expected.is_empty()), "{check}");
    }
}

#[test]
fn tmp_is_empty_and_its_own() {
    let workshop = Workshop::new();
    assert!(
        workshop
            .ask("test -d /tmp && test -z \"$(ls /tmp)\" && echo x > /tmp/x && test \"$(cat /tmp/x)\" = x")
            .pass
    );
    assert!(!workshop.ask("test -e /tmp/x").pass);
    assert!(!workshop.path("tmp").exists());
    assert!(
        workshop
            .ask("cd /tmp && echo x > y && test \"$(cat /tmp/y)\" = x && test \"$(ls)\" = y")
            .pass
    );
    // A `tmp` of the working directory stays what it is.
    std::fs::create_dir(workshop.path("tmp")).unwrap();
    workshop.write("tmp/report", "x");
    assert!(workshop.ask("test -s tmp/report && cat tmp/report").pass);
}
