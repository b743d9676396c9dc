//! Nothing leads out of the working directory.

mod port;

use port::{Bench, bench};
use shell_exec::Error;
use std::fs;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

/// A working directory, and a secret beside it.
struct World {
    bench: Bench,
    outside: TempDir,
}

fn world() -> World {
    let world = World {
        bench: bench(),
        outside: tempfile::tempdir().unwrap(),
    };
    let secret = world.outside.path().join("secret");
    fs::write(&secret, "secret\n").unwrap();
    let inside = world.bench.path();
    fs::create_dir_all(inside.join("d/e")).unwrap();
    fs::write(inside.join("own"), "own\n").unwrap();
    symlink(&secret, inside.join("absolute")).unwrap();
    symlink(world.outside.path(), inside.join("directory")).unwrap();
    let up = "../".repeat(20);
    symlink(
        format!("{up}{}", &secret.display().to_string()[1..]),
        inside.join("relative"),
    )
    .unwrap();
    symlink("..", inside.join("up")).unwrap();
    symlink("../..", inside.join("d/up")).unwrap();
    symlink("own", inside.join("harmless")).unwrap();
    symlink("../own", inside.join("d/harmless")).unwrap();
    symlink("loop", inside.join("loop")).unwrap();
    symlink("absolute", inside.join("indirect")).unwrap();
    world
}

impl World {
    fn secret_is_untouched(&self) {
        assert_eq!(
            fs::read_to_string(self.outside.path().join("secret")).unwrap(),
            "secret\n"
        );
        assert_eq!(fs::read_dir(self.outside.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_redirection_that_leads_out_ends_the_whole_run() {
    let world = world();
    for path in [
        "../x",
        "/../x",
        "d/../../x",
        "d/e/../../../x",
        "absolute",
        "relative",
        "indirect",
        "up/x",
        "d/up/x",
        "directory/secret",
        "directory/new",
        "./../x",
        "//../x",
        "d/../up/x",
        "harmless/../../x",
    ] {
        for form in [
            "< PATH", "> PATH", ">> PATH", ">| PATH", "<> PATH", "2> PATH", "3< PATH", "1>| PATH",
        ] {
            let redirect = form.replace("PATH", path);
            for script in [
                format!("echo before; : {redirect}; echo after"),
                format!("{{ echo before; }} {redirect}; echo after"),
                format!("exec {redirect}; echo after"),
                format!("echo x | cat {redirect}; echo after"),
                format!("(cat {redirect}) || echo after"),
            ] {
                let ran = world.bench.run(&script);
                // A file in the way of a name is a plain failure, which is as good.
                if path.starts_with("harmless") {
                    assert!(!ran.stdout.contains("secret"), "{script}");
                    continue;
                }
                assert_eq!(ran.outcome.err(), Some(Error::OutsideSandbox(path.into())), "{script}");
                assert!(!ran.stdout.contains("after"), "{script}");
            }
        }
    }
    world.secret_is_untouched();
}

#[test]
fn other_ways_of_opening_end_the_run_too() {
    let world = world();
    for script in [
        ". absolute",
        ". ./up/x",
        "sh absolute",
        "sh directory/secret",
        "x=$(<absolute)",
        "cat <<<x >absolute",
        "for i in 1; do :; done >absolute",
        "f() { :; } >absolute; f",
        "x=../y; : >$x",
        "cd d; : >../../x",
        "(: >../x) & wait",
        "trap ': >../x' EXIT",
        "spawn sh -c ': >../x'",
        "eval ': >../x'",
        "sh -c ': >../x'",
    ] {
        let ran = world.bench.run(format!("{script}\necho after"));
        assert!(
            matches!(ran.outcome, Err(Error::OutsideSandbox(_))),
            "{script}: {:?}",
            ran.outcome
        );
    }
    world.secret_is_untouched();
}

#[test]
fn what_leads_out_is_not_there_for_tests_and_patterns() {
    let world = world();
    for (script, stdout) in [
        ("[ -e absolute ] || echo no", "no\n"),
        ("[ -f relative ] || echo no", "no\n"),
        ("[ -d directory ] || echo no", "no\n"),
        ("[ -r ../x ] || echo no", "no\n"),
        ("[ -e /.. ] || echo no", "no\n"),
        ("[ -L absolute ] && echo link", "link\n"),
        ("[ -f harmless ] && echo yes", "yes\n"),
        ("[ absolute -nt own ] || echo no", "no\n"),
        ("[ absolute -ef relative ] || echo no", "no\n"),
        ("echo ../*", "../*\n"),
        ("echo /../*", "/../*\n"),
        ("echo directory/*", "directory/*\n"),
        ("echo up/*", "up/*\n"),
        ("echo d/up/*", "d/up/*\n"),
        ("echo d/../../*", "d/../../*\n"),
        ("echo */secret", "*/secret\n"),
        ("echo /etc/pass*", "/etc/pass*\n"),
        ("echo /proc/self/*", "/proc/self/*\n"),
        ("echo o*n /o*n d/../o*n", "own /own d/../own\n"),
    ] {
        assert_eq!(world.bench.run(script).stdout, stdout, "{script}");
    }
}

#[test]
fn cd_stays_inside() {
    let world = world();
    for (script, stdout) in [
        ("cd ..; pwd", "/\n"),
        ("cd /../../..; pwd", "/\n"),
        ("cd d/e; cd ../../../..; pwd", "/\n"),
        ("cd d/e/../..; pwd", "/\n"),
        ("cd up || pwd", "/\n"),
        ("cd directory || pwd", "/\n"),
        ("cd -P up || pwd", "/\n"),
        ("cd -P d/up || pwd", "/\n"),
        ("CDPATH=/..:..; cd etc || pwd", "/\n"),
        ("cd /etc || pwd", "/\n"),
        ("cd /proc/self || pwd", "/\n"),
        ("cd d/e; pwd; pwd -P", "/d/e\n/d/e\n"),
    ] {
        let ran = world.bench.run(script);
        assert_eq!(ran.stdout, stdout, "{script}");
    }
    let ran = world.bench.run("cd directory");
    assert_eq!(ran.stderr, "sh: line 1: cd: directory: leads outside the sandbox\n");
}

#[test]
fn absolute_paths_and_harmless_links_are_below_the_root() {
    let world = world();
    let script = "cat </own; cat <harmless; cat <d/harmless; cd d/e; cat <../../own; echo new >/made; cat </made";
    assert_eq!(world.bench.run(script).stdout, "own\nown\nown\nown\nnew\n");
    assert!(world.bench.path().join("made").is_file());
    let ran = world.bench.run("cat </etc/passwd; cat <loop; echo on");
    assert_eq!(ran.stdout, "on\n");
    assert_eq!(ran.status(), 0);
}

#[test]
fn a_link_made_during_the_run_does_not_help() {
    let world = world();
    let (stdout, written) = port::collector();
    let script = "echo 1 >late/f; forever";
    symlink(world.outside.path(), world.bench.path().join("late")).unwrap();
    let outcome = pipe::block_on(world.bench.start(script, stdout.clone(), stdout));
    assert!(matches!(outcome, Err(Error::OutsideSandbox(_))));
    assert_eq!(port::text(&written), "");
    // A directory that the shell is in and that turns into a link.
    let inside = world.bench.path().to_owned();
    let outside = world.outside.path().to_owned();
    let (stdout, _) = port::collector();
    let turned = pipe::Stream::sink(move |_| {
        fs::remove_dir(inside.join("d/e"))?;
        symlink(&outside, inside.join("d/e"))
    });
    let script = "cd d/e; echo now; : >planted; cat <secret";
    let outcome = pipe::block_on(world.bench.start(script, turned, stdout));
    assert_eq!(outcome.err(), Some(Error::OutsideSandbox("planted".into())));
    world.secret_is_untouched();
}

#[test]
fn racing_links_never_lead_out() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let world = world();
    let stop = AtomicBool::new(false);
    let (path, outside) = (world.bench.path().join("race"), world.outside.path());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let _ = fs::create_dir(&path);
                let _ = fs::remove_dir(&path);
                let _ = symlink(outside, &path);
                let _ = fs::remove_file(&path);
            }
        });
        for _ in 0..300 {
            let ran = world.bench.run("cat <race/secret; : >race/planted; echo race/*");
            assert!(!ran.stdout.contains("secret"), "{}", ran.stdout);
        }
        stop.store(true, Ordering::Relaxed);
    });
    world.secret_is_untouched();
}

#[test]
fn what_is_no_file_is_refused_and_nobody_waits() {
    let world = world();
    let fifo = world.bench.path().join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    for script in [
        "cat <fifo",
        "echo x >fifo",
        "echo x <>fifo",
        ". ./fifo",
        "sh fifo",
        "echo x >d",
    ] {
        let ran = world.bench.run(format!("{script} || echo refused"));
        assert!(
            ran.stdout.contains("refused") || ran.status() != 0,
            "{script}: {}",
            ran.stdout
        );
    }
}

#[test]
fn lack_of_permission_is_not_leading_out() {
    use std::os::unix::fs::PermissionsExt;
    let world = world();
    let path = world.bench.path().join("closed");
    fs::write(&path, "x").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let ran = world.bench.run("cat <closed; echo on");
    assert!(ran.outcome.is_ok());
    assert!(ran.stdout.ends_with("on\n"));
}

#[test]
fn the_names_of_devices_are_the_runs_own() {
    let world = world();
    let mut bench = world.bench;
    bench.stdin = b"in\n".to_vec();
    assert_eq!(
        bench
            .run("cat </dev/stdin; echo o >/dev/stdout; echo e 2>/dev/null >/dev/stderr; echo f >/dev/fd/1")
            .stdout,
        "in\no\nf\n"
    );
    assert_eq!(bench.run("cat </dev/null; echo x >/dev/null; echo $?").stdout, "0\n");
    assert_eq!(
        bench
            .run("cat </dev/tty || echo none; cat </dev/sda || echo none")
            .stdout,
        "none\nnone\n"
    );
    assert!(!bench.path().join("dev").exists());
}
