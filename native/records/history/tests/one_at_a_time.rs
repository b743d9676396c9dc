//! One run per plan at a time, by whatever path, in whatever process.

mod scratch;

use history::{Error, Run};
use scratch::Scratch;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

fn refused(scratch: &Scratch, plan: &Path) -> String {
    match Run::open(&scratch.home, plan, "second", 1) {
        Err(Error::AlreadyRunning { run_id }) => run_id,
        Err(e) => panic!("{e}"),
        Ok(_) => panic!("a second run of {} began", plan.display()),
    }
}

#[test]
fn a_second_run_is_refused_with_the_id_of_the_first() {
    let scratch = Scratch::new();
    let run = scratch.run("first");
    assert_eq!(refused(&scratch, &scratch.plan), "first");
    drop(run);
    scratch.run("second");
}

#[test]
fn every_path_to_a_plan_is_the_same_plan() {
    let scratch = Scratch::new();
    let link = scratch.dir.path().join("link.org");
    symlink(&scratch.plan, &link).unwrap();
    let dots = scratch.beside("../work/./plan.org");
    let _run = scratch.run("first");
    for plan in [link, dots] {
        assert_eq!(refused(&scratch, &plan), "first");
    }
}

#[test]
fn plans_beside_each_other_run_at_the_same_time() {
    let scratch = Scratch::new();
    let other = scratch.beside("other.org");
    fs::write(&other, "").unwrap();
    let _first = scratch.run("first");
    Run::open(&scratch.home, &other, "second", 1).unwrap();
}

#[test]
fn a_plan_that_is_not_there_is_not_found() {
    let scratch = Scratch::new();
    for plan in ["gone.org", "plan.org/inside", "."] {
        let error = Run::open(&scratch.home, &scratch.beside(plan), "r", 1).err().unwrap();
        assert_eq!(error.code(), "not_found", "{plan}");
    }
}

#[test]
#[ignore = "runs as the child of the next test"]
fn holder() {
    let dir = env::var_os("HISTORY_TEST_DIR").expect("the parent names a directory");
    let dir = Path::new(&dir);
    let home = history::Home::open(&dir.join("history")).unwrap();
    let _run = Run::open(&home, &dir.join("work/plan.org"), "first", 1).unwrap();
    println!("\nheld");
    std::thread::sleep(std::time::Duration::from_secs(600));
}

#[test]
fn another_process_is_refused_until_the_holder_is_dead() {
    let scratch = Scratch::new();
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "holder", "--ignored", "--nocapture"])
        .env("HISTORY_TEST_DIR", scratch.dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "held"));
    assert_eq!(refused(&scratch, &scratch.plan), "first");
    child.kill().unwrap();
    child.wait().unwrap();
    scratch.run("second");
}
