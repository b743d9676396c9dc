//! What is read only to a script stays as it is, whatever the script tries.

mod workshop;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use workshop::{job, run};

const TEXT: &str = "* TODO Easy\n** TODO Hard\n:done-when: test -s nofile\n";

/// A working directory with a plan in `plans/`, other names for it, and something to put in its place.
fn directory() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let plan = dir.path().join("plans/p.org");
    fs::create_dir(dir.path().join("plans")).unwrap();
    fs::create_dir(dir.path().join("other")).unwrap();
    fs::write(&plan, TEXT).unwrap();
    fs::write(dir.path().join("mine"), "* DONE Hard\n").unwrap();
    symlink("plans/p.org", dir.path().join("soft")).unwrap();
    symlink("plans", dir.path().join("way")).unwrap();
    fs::hard_link(&plan, dir.path().join("hard")).unwrap();
    (dir, plan)
}

/// Each of these fails, says something, and changes nothing.
const ATTEMPTS: &[&str] = &[
    r"sed -i '/^\*\* TODO Hard/,$d' plans/p.org",
    "echo x > plans/p.org",
    "echo x >> plans/p.org",
    "echo x >| plans/p.org",
    "echo x 1<> plans/p.org",
    ": > soft",
    ": > hard",
    ": > way/p.org",
    ": > ./other/../plans//p.org",
    "cd plans && : > p.org",
    "cat mine > plans/p.org",
    "rm plans/p.org",
    "rm -f plans/p.org && test ! -e plans/p.org",
    "rm -rf plans && test ! -e plans",
    "unlink plans/p.org",
    "rm way/p.org",
    "mv plans/p.org elsewhere",
    "mv mine plans/p.org",
    "mv -f mine way/p.org",
    "mv plans other/plans",
    "mv plans aside && mkdir plans && cp mine plans/p.org",
    "mv way other/way && test -e other/way && mv plans x",
    "rmdir plans",
    "ln plans/p.org another",
    "ln hard another",
    "ln -f mine plans/p.org",
    "ln -sf ../mine plans/p.org",
    "cp mine plans/p.org",
    "cp -f mine plans/p.org",
    "cp mine soft",
    "cp mine hard",
    "echo x | tee plans/p.org",
    "echo x | tee -a soft",
    "dd if=mine of=plans/p.org",
    "dd if=/dev/null of=plans/p.org",
    "truncate -s 0 plans/p.org",
    "sort -o plans/p.org mine",
    "find . -name p.org -delete && test ! -e plans/p.org",
    "find . -name p.org -exec rm {} \\; && test ! -e plans/p.org",
    "echo plans/p.org | xargs rm",
    "sh -c ': > plans/p.org'",
    "awk 'BEGIN { print \"x\" > \"plans/p.org\" }'",
    "chmod 600 plans/p.org",
    "chmod 000 plans",
    "touch -d 2001-01-01 plans/p.org",
    "echo x > plans/.p.org.wb-0000000000000000-1111111111111111",
    "cp mine plans/.p.org.wb-0-1",
    "mv mine plans/.p.org.wb-0-1",
    "ln mine plans/.p.org.wb-0-1",
    "ln -s plans/.p.org.wb-0-1 l; echo x > l",
    "ln -s plans/.p.org.wb-0-1 l; ln -s l m; cp mine m",
];

#[test]
fn every_attempt_to_change_it_is_an_error() {
    let mut wrong = Vec::new();
    for script in ATTEMPTS {
        let (dir, plan) = directory();
        let mut job = job(script, Some(dir.path().to_owned()));
        job.read_only = vec![plan.clone()];
        let ran = run(job).unwrap();
        let leftovers: Vec<_> = fs::read_dir(dir.path().join("plans")).unwrap().collect();
        let stays = fs::read_to_string(&plan).unwrap() == TEXT && leftovers.len() == 1;
        if ran.finished.status == 0 || !stays || !ran.finished.missing.is_empty() {
            wrong.push(format!("{script}: {ran:?}, unchanged: {stays}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_same_scripts_work_where_nothing_is_read_only() {
    for script in [
        "rm plans/p.org",
        "sed -i s/TODO/DONE/ plans/p.org",
        "mv plans other/plans",
    ] {
        let (dir, plan) = directory();
        let ran = run(job(script, Some(dir.path().to_owned()))).unwrap();
        assert_eq!(ran.finished.status, 0, "{script}: {ran:?}");
        assert_ne!(fs::read_to_string(&plan).ok().as_deref(), Some(TEXT), "{script}");
    }
}

#[test]
fn everything_beside_it_can_be_read_and_changed() {
    let script = "set -e
grep -q Hard plans/p.org; cat soft hard way/p.org > copy; cp plans/p.org plans/q.org; sed -i s/TODO/DONE/ plans/q.org
grep -q DONE plans/q.org; echo x > plans/_steps.jsonl; mv mine moved; mkdir -p a/b; mv a c; rm -r c; ln moved again
sed -i s/TODO/DONE/ soft; ln -s moved soft2; echo y >> soft2; rm soft hard; touch new; chmod 755 plans; ln -s nowhere dangling; echo z > dangling
test \"$(cat nowhere)\" = z; tr a b < copy > copy2; sort -o copy copy; mv plans/q.org other/; rm -r other";
    let (dir, plan) = directory();
    let mut job = job(script, Some(dir.path().to_owned()));
    job.read_only = vec![plan.clone()];
    let ran = run(job).unwrap();
    assert_eq!(ran.finished.status, 0, "{ran:?}");
    assert_eq!(fs::read_to_string(plan).unwrap(), TEXT);
}

#[test]
fn a_plan_outside_is_safe_from_its_links_inside() {
    let outside = tempfile::tempdir().unwrap();
    let plan = outside.path().join("p.org");
    fs::write(&plan, TEXT).unwrap();
    let dir = tempfile::tempdir_in(outside.path()).unwrap();
    fs::hard_link(&plan, dir.path().join("hard")).unwrap();
    let mut job = job("cp /dev/null hard", Some(dir.path().to_owned()));
    job.read_only = vec![plan.clone()];
    assert_ne!(run(job).unwrap().finished.status, 0);
    assert_eq!(fs::read_to_string(plan).unwrap(), TEXT);
}

#[test]
fn a_plan_that_gets_a_new_file_stays_read_only() {
    let (dir, plan) = directory();
    let mut job = job("sleep 0.3; cp mine plans/p.org", Some(dir.path().to_owned()));
    job.read_only = vec![plan.clone()];
    let new = "* DONE Easy\n";
    fs::write(dir.path().join("staged"), new).unwrap();
    let (staged, onto) = (dir.path().join("staged"), plan.clone());
    let verdict = std::thread::spawn(move || fs::rename(staged, onto).unwrap());
    assert_ne!(run(job).unwrap().finished.status, 0);
    verdict.join().unwrap();
    assert_eq!(fs::read_to_string(plan).unwrap(), new);
}
