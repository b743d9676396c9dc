//! `wbx run` with a real engine, and `wbx status` after it.

use crate::{
    program::{Ended, Folder, feed, run, wbx},
    terminal::watch,
};
use serde_json::{Value, json};
use std::{
    env, fs,
    io::Read,
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Where `make build` leaves the engine.
pub fn engine_home() -> PathBuf {
    let built = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
    env::var_os("WORKBOOKS_HOME").map_or_else(|| built.into(), PathBuf::from)
}

/// A plan, and a history that lies elsewhere.
struct Bench {
    work: Folder,
    state: Folder,
}

impl Bench {
    fn with(plan: &str) -> Self {
        Bench {
            work: Folder::with(&[("plan.org", plan)]),
            state: Folder::with(&[]),
        }
    }

    fn wbx(&self, args: &[&str]) -> Command {
        let mut command = self.work.wbx(args);
        command
            .env("XDG_STATE_HOME", self.state.path())
            .env("WORKBOOKS_HOME", engine_home());
        command
    }

    fn plan(&self) -> String {
        fs::read_to_string(self.work.path().join("plan.org")).unwrap()
    }
}

const TWO: &str = "\
* TODO Both [0/2]
** TODO One
:done-when: test -s one
#+begin_src sh
echo 1 > one
echo hello
#+end_src
** TODO Two
:done-when: test -s two
";

fn data(ended: &Ended) -> Value {
    let last = ended.stdout.trim_end().lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|_| panic!("{ended:?}"))
}

fn states(outcome: &Value) -> Vec<(String, String)> {
    let text = |task: &Value, key: &str| task[key].as_str().unwrap().to_owned();
    let tasks = outcome["tasks"].as_array().unwrap().iter();
    tasks.map(|task| (text(task, "id"), text(task, "state"))).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn a_run_ends_with_5_while_a_task_is_not_done_and_with_0_when_all_are() {
    let bench = Bench::with(TWO);
    let ended = run(&mut bench.wbx(&["run", "plan.org"]));
    assert_eq!(ended.exit, 5, "{ended:?}");
    let outcome = data(&ended);
    assert_eq!(outcome["state"], "partial");
    assert_eq!(
        states(&outcome),
        pairs(&[("both", "partial"), ("one", "done"), ("two", "failed")])
    );
    assert_eq!(outcome["tasks"][1]["output"], "hello\n");
    assert_eq!(
        outcome["tasks"][2]["reason"],
        "the check `test -s two` exited with status 1"
    );
    assert!(bench.plan().starts_with("* PARTIAL Both [1/2]\n** DONE One\n"));

    fs::write(bench.work.path().join("two"), "2").unwrap();
    let ended = run(&mut bench.wbx(&["run", "plan.org", "--json"]));
    assert_eq!(ended.exit, 0, "{ended:?}");
    let envelope = data(&ended);
    assert_eq!((&envelope["ok"], &envelope["verb"]), (&json!(true), &json!("run")));
    assert_eq!(envelope["data"]["tasks"][1]["reason"], "already done");
    assert!(bench.plan().starts_with("* DONE Both [2/2]\n** DONE One\n"));
}

#[test]
fn a_program_that_follows_gets_each_event_as_a_line_and_then_the_answer() {
    let bench = Bench::with("* TODO One\n#+begin_src sh\necho héllo\n#+end_src\n");
    let ended = run(&mut bench.wbx(&["run", "plan.org", "--follow"]));
    assert_eq!(ended.exit, 0, "{ended:?}");
    let lines: Vec<Value> = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: Vec<&str> = lines.iter().filter_map(|line| line["event"].as_str()).collect();
    assert_eq!(
        names,
        [
            "run_started",
            "task_started",
            "task_output",
            "task_finished",
            "run_finished"
        ]
    );
    assert_eq!(lines[2]["text"], "héllo\n");
    assert_eq!(lines.last().unwrap()["state"], "done");
}

#[test]
fn a_person_sees_the_tasks_and_a_line_that_sums_up() {
    let bench = Bench::with(TWO);
    let ended = watch(bench.wbx(&["run", "plan.org"]).env("NO_COLOR", "1"));
    assert_eq!(ended.exit, 5);
    let (tree, summary) = ended.stdout.split_once("\n\n").unwrap();
    assert_eq!(
        tree,
        "PARTIAL Both (not all of its tasks are done)\n  DONE One\n  FAILED Two (the check `test -s two` exited with status 1)"
    );
    assert!(
        summary.starts_with("partial: 1 partial, 1 done, 1 failed (run "),
        "{summary}"
    );
}

#[test]
fn whoever_waits_is_told_on_standard_input() {
    let bench = Bench::with("* TODO A\n* TODO B\n:BLOCKER: a\n* TODO C\n");
    let reports = "done a three pages\nfail c no time\n{\"task\": \"b\", \"ok\": \"x\"}\ndone nobody\nwhat?\n";
    let mut command = bench.wbx(&["run", "plan.org", "--worker", "wait", "--follow"]);
    let ended = feed(&mut command, reports.as_bytes());
    assert_eq!(ended.exit, 5, "{ended:?}");
    assert!(
        ended
            .stderr
            .starts_with("these tasks wait for you:\n  a  A\n  b  B\n  c  C\nreport on standard input"),
        "{ended:?}"
    );
    assert!(
        ended.stderr.contains("refused: line 4: task `nobody` of run"),
        "{ended:?}"
    );
    assert!(
        ended.stderr.contains("refused: line 5: `what?` is no report"),
        "{ended:?}"
    );
    assert_eq!(
        states(&data(&ended)),
        pairs(&[("a", "done"), ("b", "done"), ("c", "failed")])
    );
    assert!(ended.stdout.contains("task `nobody` of run"), "{ended:?}");
    assert_eq!(bench.plan(), "* DONE A\n* DONE B\n:BLOCKER: a\n* FAILED C\n");
}

#[test]
fn the_end_of_the_input_ends_a_run_that_waits() {
    let bench = Bench::with("* TODO A\n* TODO B\n:BLOCKER: a\n");
    for (reports, expected, plan) in [
        (
            "",
            [("a", "blocked"), ("b", "blocked")],
            "* TODO A\n* TODO B\n:BLOCKER: a\n",
        ),
        // A report on a task that can never come to wait does not keep the run alive.
        (
            "done b\n",
            [("a", "blocked"), ("b", "blocked")],
            "* TODO A\n* TODO B\n:BLOCKER: a\n",
        ),
        (
            "done a\n",
            [("a", "done"), ("b", "blocked")],
            "* DONE A\n* TODO B\n:BLOCKER: a\n",
        ),
        (
            "\ndone b\n",
            [("a", "done"), ("b", "done")],
            "* DONE A\n* DONE B\n:BLOCKER: a\n",
        ),
    ] {
        let ended = feed(
            &mut bench.wbx(&["run", "plan.org", "--worker", "wait"]),
            reports.as_bytes(),
        );
        assert_eq!(states(&data(&ended)), pairs(&expected), "{ended:?}");
        assert_eq!(ended.exit, if expected[1].1 == "done" { 0 } else { 5 });
        assert_eq!(bench.plan(), plan);
    }
}

const BENT: &str = "\
* TODO Group
** TODO Easy
#+begin_src sh
true
#+end_src
** TODO Hard
:done-when: test -s nofile
";

#[test]
fn a_plan_that_was_bent_between_two_runs_is_not_done_until_a_person_accepts_it() {
    for (from, to) in [
        ("** FAILED Hard\n:done-when: test -s nofile\n", ""),
        ("** FAILED Hard", "** Hard"),
        ("test -s nofile", "true"),
    ] {
        let bench = Bench::with(BENT);
        assert_eq!(run(&mut bench.wbx(&["run", "plan.org"])).exit, 5);
        let text = bench.plan();
        assert!(text.contains(from), "{text}");
        fs::write(bench.work.path().join("plan.org"), text.replace(from, to)).unwrap();
        for _ in 0..2 {
            let ended = run(&mut bench.wbx(&["run", "plan.org"]));
            assert_eq!(
                (ended.exit, &data(&ended)["amendments"][0]["id"]),
                (5, &json!("hard")),
                "{ended:?}"
            );
            assert!(bench.plan().starts_with("* PARTIAL Group\n"));
        }
        let status = data(&run(&mut bench.wbx(&["status", "plan.org"])));
        assert_eq!(status["amendments"][0]["id"], "hard");
        assert_eq!(run(&mut bench.wbx(&["status", "plan.org", "--accept", "easy"])).exit, 4);
        let accepted = run(&mut bench.wbx(&["status", "plan.org", "--accept", "hard", "--by", "Ada"]));
        assert_eq!(
            (accepted.exit, &data(&accepted)["amendments"]),
            (0, &json!([])),
            "{accepted:?}"
        );
        let ended = run(&mut bench.wbx(&["run", "plan.org"]));
        assert_eq!(ended.exit, 0, "{ended:?}");
        assert_eq!(run(&mut bench.wbx(&["ledger", "verify", "plan.org"])).exit, 0);
    }
}

#[test]
fn what_was_earned_is_certified_and_checked_without_an_engine() {
    let bench = Bench::with("* TODO One\n:done-when: test -s one\n* TODO Two\n:done-when: test -s two\n");
    fs::write(bench.work.path().join("one"), "1").unwrap();
    assert_eq!(run(&mut bench.wbx(&["run", "plan.org"])).exit, 5);
    let ask = |args: &[&str]| {
        run(bench
            .wbx(args)
            .env("PATH", "/nowhere")
            .env("WORKBOOKS_HOME", "/nowhere"))
    };
    assert_eq!(ask(&["certify", "plan.org"]).exit, 5);
    assert_eq!(ask(&["certify", "plan.org", "two"]).exit, 5);
    assert_eq!(ask(&["certify", "plan.org", "three"]).exit, 4);
    assert_eq!(ask(&["certify", "gone.org"]).exit, 4);
    assert_eq!(ask(&["certify"]).exit, 2);
    let made = ask(&["certify", "plan.org", "one"]);
    assert_eq!(made.exit, 0, "{made:?}");
    let file = bench.work.path().join("one.json");
    fs::write(&file, &made.stdout).unwrap();
    let checked = ask(&["certify", "--verify", "one.json"]);
    assert_eq!(checked.exit, 0, "{checked:?}");
    let tasks = &data(&checked)["statement"]["predicate"]["tasks"];
    assert_eq!((&tasks[0]["id"], &tasks[0]["exitStatus"]), (&json!("one"), &json!(0)));
    fs::write(&file, made.stdout.replace("payload\":\"ey", "payload\":\"eY")).unwrap();
    assert_eq!(ask(&["certify", "--verify", "one.json"]).exit, 5);
    assert_eq!(ask(&["certify", "--verify", "gone.json"]).exit, 4);
    assert_eq!(ask(&["certify", "plan.org", "--verify", "one.json"]).exit, 2);
}

#[test]
fn what_cannot_be_run_is_refused_with_its_code() {
    let cycle = "* TODO A\n:BLOCKER: b\n* TODO B\n:BLOCKER: a\n";
    for (args, exit, code) in [
        (&["run", "plan.org"][..], 1, "cycle"),
        (&["run", "nowhere.org"], 4, "not_found"),
        (&["run", "-"], 2, "usage"),
        (&["run", "plan.org", "--width", "0"], 2, "usage"),
        (&["run", "plan.org", "--width", "many"], 2, "usage"),
        (&["run", "plan.org", "--worker", "elf"], 2, "usage"),
        (&["run", "plan.org", "--workdir", "nowhere"], 2, "bad_option"),
        (&["run", "plan.org", "--history", "inside"], 2, "bad_option"),
    ] {
        let bench = Bench::with(if code == "cycle" { cycle } else { "* TODO A\n" });
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let ended = run(&mut bench.wbx(&args));
        assert_eq!(
            (ended.exit, &data(&ended)["error"]["code"]),
            (exit, &json!(code)),
            "{args:?} {ended:?}"
        );
    }
}

#[test]
fn without_an_engine_or_an_erlang_it_says_so() {
    let bench = Bench::with("* TODO A\n");
    let empty = Folder::with(&[]);
    let ended = run(bench
        .wbx(&["run", "plan.org", "--json"])
        .env("WORKBOOKS_HOME", empty.path()));
    assert_eq!(
        (ended.exit, &data(&ended)["error"]["code"]),
        (3, &json!("engine_missing"))
    );
    let ended = run(bench.wbx(&["run", "plan.org", "--json"]).env("PATH", empty.path()));
    assert_eq!(
        (ended.exit, &data(&ended)["error"]["code"]),
        (3, &json!("engine_missing"))
    );
    let message = data(&ended)["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(
        message,
        "`erl` is not on the PATH, and the engine needs the Erlang VM with Elixir"
    );
}

#[test]
fn two_runs_of_one_plan_conflict_and_a_dead_wbx_leaves_no_run_behind() {
    let bench = Bench::with("* TODO A\n");
    let mut first = bench.wbx(&["run", "plan.org", "--worker", "wait", "--follow"]);
    let mut first = first
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Its first word says that the plan is taken.
    first.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    let second = run(&mut bench.wbx(&["run", "plan.org", "--json"]));
    assert_eq!(
        (second.exit, &data(&second)["error"]["code"]),
        (6, &json!("already_running"))
    );

    first.kill().unwrap();
    first.wait().unwrap();
    fs::write(bench.work.path().join("a"), "x").unwrap();
    let started = Instant::now();
    loop {
        let mut again = bench.wbx(&["run", "plan.org", "--worker", "wait"]);
        let ended = feed(&mut again, b"done a\n");
        if ended.exit == 0 {
            break;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "{ended:?}");
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(bench.plan(), "* DONE A\n");
}

#[test]
fn status_shows_the_last_verdict_and_every_claim_without_a_record() {
    let bench = Bench::with(TWO);
    assert_eq!(run(&mut bench.wbx(&["run", "plan.org"])).exit, 5);
    let claimed = bench.plan().replace("FAILED Two", "DONE Two") + "* DONE Three\n* CANCELLED Four\n";
    fs::write(bench.work.path().join("plan.org"), claimed).unwrap();

    let ended = watch(bench.wbx(&["status", "plan.org"]).env("NO_COLOR", "1"));
    let expected = "\
PARTIAL Both (not all of its tasks are done)
  DONE One (done-when: test -s one)
  DONE Two (unproven: the last verdict is FAILED)
DONE Three (unproven: no run recorded it)
CANCELLED Four

5 tasks, 2 unproven claims
";
    assert_eq!((ended.stdout.as_str(), ended.exit), (expected, 0));

    let status = data(&run(&mut bench.wbx(&["status", "plan.org"])));
    assert_eq!(status["unproven"], 2);
    assert_eq!(
        status["tasks"][2]["verdict"]["reason"],
        "the check `test -s two` exited with status 1"
    );
    assert_eq!(status["tasks"][4]["unproven"], Value::Null);
}

#[test]
fn status_needs_neither_an_engine_nor_a_history() {
    let folder = Folder::with(&[("plan.org", "* TODO A\n")]);
    let mut command = wbx(&["status", "plan.org"]);
    command
        .current_dir(folder.path())
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .env("WORKBOOKS_HOME", "/nowhere")
        .env("PATH", "/nowhere");
    let ended = run(&mut command);
    assert_eq!(ended.exit, 0);
    assert_eq!(data(&ended)["tasks"][0]["verdict"], Value::Null);
}
