//! `wbx shell` as a stand-in for `sh`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The source tree, where the commands were built.
fn home() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."))
}

fn wbx(args: &[&str], dir: &Path, stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_wbx"))
        .arg("shell")
        .args(args)
        .env("WORKBOOKS_HOME", home())
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A script that does not read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn it_takes_a_script_as_sh_does() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file.sh"), "echo $0 $1 $#").unwrap();
    for (args, stdin, stdout) in [
        (&["-c", "echo hello | tr a-z A-Z | wc -c"][..], "", "6\n"),
        (&["-c", "echo $0 $1", "name", "one"], "", "name one\n"),
        (&["file.sh", "one", "-c"], "", "file.sh one 2\n"),
        (&[], "echo from stdin\n", "from stdin\n"),
        (&["-s", "one"], "echo $1\n", "one\n"),
        (&["-c", "read x; echo $x; cat"], "a\nb\n", "a\nb\n"),
        (&["-ec", "false; echo never"], "", ""),
        (&["-C", ".", "-c", "pwd"], "", "/\n"),
    ] {
        let ran = wbx(args, dir.path(), stdin);
        assert_eq!(text(&ran.stdout), stdout, "{args:?} {}", text(&ran.stderr));
    }
}

#[test]
fn its_exit_status_is_the_scripts() {
    let dir = tempfile::tempdir().unwrap();
    for (script, status) in [
        ("true", 0),
        ("exit 7", 7),
        ("exit 255", 255),
        ("nosuch", 127),
        ("if", 2),
        ("kill -9 $$", 137),
        ("sort /none", 2),
        ("set -o pipefail; yes | head -1", 141),
    ] {
        assert_eq!(
            wbx(&["-c", script], dir.path(), "").status.code(),
            Some(status),
            "{script}"
        );
    }
}

#[test]
fn where_it_starts_is_where_it_was_called_when_that_is_inside() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("sub")).unwrap();
    let root = dir.path().to_str().unwrap();
    assert_eq!(
        text(&wbx(&["-C", root, "-c", "pwd"], &dir.path().join("sub"), "").stdout),
        "/sub\n"
    );
}

/// Nothing but wbx itself is ever executed, and nothing is forked into another process.
#[test]
fn no_other_program_is_executed() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let traced = Command::new("strace")
        .args(["-f", "-e", "trace=execve,execveat,fork,vfork", "-o"])
        .arg(&log)
        .arg(env!("CARGO_BIN_EXE_wbx"))
        .args(["shell", "-c"])
        .arg("echo b | cat | sort > f; find . -exec cat {} ';'; seq 3 | xargs -n1 sh -c 'echo $0'; (true) & wait; awk 'BEGIN{system(\"ls\")}'")
        .env("WORKBOOKS_HOME", home())
        .current_dir(dir.path())
        .output();
    let Ok(traced) = traced else {
        panic!("strace is not installed: `make setup`");
    };
    assert!(traced.status.success(), "{}", text(&traced.stderr));
    assert!(text(&traced.stdout).contains("1\n2\n3\n"), "{}", text(&traced.stdout));
    let log = fs::read_to_string(log).unwrap();
    let calls: Vec<&str> = log
        .lines()
        .filter(|line| line.contains('(') && !line.contains("resumed"))
        .collect();
    assert_eq!(calls.len(), 1, "{calls:?}");
}
