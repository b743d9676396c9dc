//! `wbx deploy`, `rollback` and `history` with a real engine.

use crate::{
    program::{Ended, Folder, feed, run},
    runs::engine_home,
    terminal::watch,
};
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    process::Command,
};

pub const GREETING: &str = "\
* Greeting :workflow:
** Greet :component:
#+begin_src sh :out greeting:string
printf 'Hello, %s!' \"$(cat)\"
#+end_src
";

/// Plans, and a data directory that lies elsewhere.
struct Bench {
    work: Folder,
    data: Folder,
}

impl Bench {
    fn new() -> Self {
        let broken = GREETING.replace("greeting:string", "greeting:json");
        let asking = GREETING.replace(":out", ":uses workbook:net/email :out");
        Bench {
            work: Folder::with(&[
                ("greeting.org", GREETING),
                ("breaking.org", &broken),
                ("asking.org", &asking),
                ("noflow.org", "* Notes\n"),
                (
                    "mars.org",
                    "* W :workflow:\n:PROPERTIES:\n:SCHEDULE: @daily\n:TZ: Mars/Base\n:END:\n",
                ),
                (
                    "dangling.org",
                    "* W :workflow:\n** A :component:\n#+begin_src sh :in x\n#+end_src\n",
                ),
                (
                    "unbuilt.org",
                    &format!("{GREETING}** B :component:\n#+begin_src klingon :out b\n#+end_src\n"),
                ),
            ]),
            data: Folder::with(&[]),
        }
    }

    fn wbx(&self, args: &[&str]) -> Command {
        let mut command = self.work.wbx(args);
        command
            .env("XDG_DATA_HOME", self.data.path())
            .env("XDG_STATE_HOME", self.data.path())
            .env("GIT_CONFIG_COUNT", "2")
            .env("GIT_CONFIG_KEY_0", "user.name")
            .env("GIT_CONFIG_VALUE_0", "Ada")
            .env("GIT_CONFIG_KEY_1", "user.email")
            .env("GIT_CONFIG_VALUE_1", "ada@example.org")
            .env("WORKBOOKS_HOME", engine_home());
        command
    }

    fn ask(&self, args: &[&str]) -> (i32, Value) {
        let ended = run(&mut self.wbx(args));
        (ended.exit, data(&ended))
    }
}

fn data(ended: &Ended) -> Value {
    let said = if ended.stdout.is_empty() {
        &ended.stderr
    } else {
        &ended.stdout
    };
    serde_json::from_str(said.trim_end()).unwrap_or_else(|_| panic!("{ended:?}"))
}

fn messages(answer: &Value) -> Vec<&str> {
    let found = answer["diagnostics"].as_array().unwrap().iter();
    found
        .map(|diagnostic| diagnostic["message"].as_str().unwrap())
        .collect()
}

#[test]
fn a_plan_goes_live_is_replaced_and_comes_back() {
    let bench = Bench::new();
    let (exit, live) = bench.ask(&["deploy", "greeting.org"]);
    assert_eq!(
        (exit, &live["id"], &live["version"]),
        (0, &json!("greeting"), &json!(1)),
        "{live}"
    );

    let (exit, refused) = bench.ask(&["deploy", "breaking.org", "--id", "greeting"]);
    assert_eq!((exit, &refused["refused"]), (5, &json!("breaking")), "{refused}");
    let expected = [
        "export `greeting:string` removed (breaking)",
        "component `Greet` output type changed (breaking)",
    ];
    assert_eq!(messages(&refused), expected);

    let (exit, refused) = bench.ask(&["deploy", "asking.org", "--id", "greeting"]);
    assert_eq!((exit, &refused["refused"]), (5, &json!("not_granted")), "{refused}");
    assert!(messages(&refused)[0].contains("`workbook:net/email`"));

    let args = [
        "deploy",
        "asking.org",
        "--id",
        "greeting",
        "--grant",
        "workbook:net/email",
        "--grant",
        "workbook:fs",
    ];
    let (exit, live) = bench.ask(&args);
    assert_eq!(
        (exit, &live["version"], &live["profile"]),
        (0, &json!(2), &json!("network")),
        "{live}"
    );

    let args = [
        "deploy",
        "breaking.org",
        "--id",
        "greeting",
        "--force",
        "--why",
        "nobody reads it",
    ];
    let (exit, live) = bench.ask(&args);
    assert_eq!((exit, &live["version"]), (0, &json!(3)), "{live}");

    let (exit, again) = bench.ask(&["deploy", "breaking.org", "--id", "greeting"]);
    assert_eq!(
        (exit, &again["version"], &again["unchanged"]),
        (0, &json!(3), &json!(true)),
        "{again}"
    );

    let (exit, back) = bench.ask(&["rollback", "greeting", "--by", "grace", "--why", "somebody does"]);
    assert_eq!(
        (exit, &back["version"], &back["from"]),
        (0, &json!(2), &json!(3)),
        "{back}"
    );

    let (exit, history) = bench.ask(&["history", "greeting"]);
    let told: Vec<_> = history
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            json!([
                entry["action"],
                entry["version"],
                entry["by"],
                entry["why"],
                entry["forced"]
            ])
        })
        .collect();
    assert_eq!(exit, 0);
    assert_eq!(
        told,
        [
            json!(["deploy", 1, "Ada <ada@example.org>", null, false]),
            json!(["deploy", 2, "Ada <ada@example.org>", null, false]),
            json!(["deploy", 3, "Ada <ada@example.org>", "nobody reads it", true]),
            json!(["rollback", 2, "grace", "somebody does", false]),
        ]
    );
}

#[test]
fn each_refusal_has_its_exit_code() {
    let bench = Bench::new();
    for (args, exit) in [
        (&["deploy", "dangling.org"][..], 5),
        (&["deploy", "unbuilt.org"], 5),
        (&["deploy", "gone.org"], 4),
        (&["deploy", "."], 4),
        (&["deploy", "greeting.org", "--id", "a/b"], 2),
        (&["deploy", "greeting.org", "--force"], 2),
        (&["deploy", "-"], 2),
        (&["rollback", "nobody"], 4),
        (&["deploy", "run", "nobody"], 4),
        (&["deploy", "next", "nobody"], 4),
        (&["deploy", "noflow.org"], 5),
        (&["deploy", "mars.org"], 5),
        (&["deploy", "greeting.org", "list"], 2),
        (&["deploy", "--force", "list"], 2),
        (&["deploy"], 2),
        (&["history", "nobody"], 4),
    ] {
        let ended = run(&mut bench.wbx(args));
        assert_eq!(ended.exit, exit, "{args:?}: {ended:?}");
    }
    let lock = bench.data.path().join("workbooks/workbooks/greeting");
    fs::create_dir_all(&lock).unwrap();
    let lock = File::create(lock.join("lock")).unwrap();
    lock.try_lock().unwrap();
    let ended = run(&mut bench.wbx(&["deploy", "greeting.org", "--json"]));
    assert_eq!(ended.exit, 6, "{ended:?}");
    assert!(ended.stdout.contains(r#""code":"conflict""#), "{ended:?}");
}

#[test]
fn a_plan_on_standard_input_is_deployed_byte_for_byte() {
    let bench = Bench::new();
    let plan = GREETING.trim_end();
    let ended = feed(&mut bench.wbx(&["deploy", "-", "--id", "piped"]), plan.as_bytes());
    assert_eq!(ended.exit, 0, "{ended:?}");
    let kept = bench
        .data
        .path()
        .join("workbooks/workbooks/piped/versions/1/workbook.org");
    assert_eq!(fs::read_to_string(kept).unwrap(), plan);
}

#[test]
fn a_person_sees_why_and_what_to_do() {
    let bench = Bench::new();
    let live = watch(bench.wbx(&["deploy", "greeting.org"]).env("NO_COLOR", "1"));
    assert!(
        live.stdout.contains("greeting: version 1 is live (profile minimal)"),
        "{}",
        live.stdout
    );
    let refused = watch(
        bench
            .wbx(&["deploy", "asking.org", "--id", "greeting"])
            .env("NO_COLOR", "1"),
    );
    assert_eq!(refused.exit, 5);
    assert!(
        refused
            .stdout
            .contains("help: grant it with --grant workbook:net/email"),
        "{}",
        refused.stdout
    );
    assert!(refused.stdout.contains("nothing changed"), "{}", refused.stdout);
}

#[test]
fn a_bundle_goes_live_like_its_plan() {
    let bench = Bench::new();
    assert_eq!(
        run(&mut bench.wbx(&["bundle", "greeting.org", "-o", "hello.wbundle"])).exit,
        0
    );
    let (exit, deployed) = bench.ask(&["deploy", "hello.wbundle"]);
    assert_eq!(
        (exit, &deployed["id"], &deployed["version"]),
        (0, &json!("hello"), &json!(1))
    );

    fs::write(bench.work.path().join("torn.wbundle"), "PK").unwrap();
    let (exit, refused) = bench.ask(&["deploy", "torn.wbundle", "--json"]);
    assert_eq!(
        (exit, &refused["error"]["code"]),
        (5, &json!("not_a_bundle")),
        "{refused}"
    );
    assert_eq!(bench.ask(&["deploy", "none.wbundle", "--json"]).0, 4);
}

#[test]
fn what_is_live_is_listed_run_and_foretold() {
    let bench = Bench::new();
    assert_eq!(bench.ask(&["deploy", "list"]), (0, json!([])));
    let plan = GREETING.replace(
        "* Greeting :workflow:\n",
        "* Greeting :workflow:\n:PROPERTIES:\n:SCHEDULE: 0 9 * * *\n:TZ: Europe/Berlin\n:END:\n",
    );
    fs::write(bench.work.path().join("daily.org"), plan).unwrap();
    assert_eq!(bench.ask(&["deploy", "daily.org", "--why", "they asked"]).0, 0);

    let (exit, listed) = bench.ask(&["deploy", "list"]);
    let live = &listed[0];
    assert_eq!(
        (exit, &live["id"], &live["version"], &live["by"], &live["why"]),
        (
            0,
            &json!("daily"),
            &json!(1),
            &json!("Ada <ada@example.org>"),
            &json!("they asked")
        ),
        "{listed}"
    );

    let (exit, ran) = bench.ask(&["deploy", "run", "daily", "--input", "Grace"]);
    assert_eq!(
        (exit, &ran["exports"]["greeting"]),
        (0, &json!("Hello, Grace!")),
        "{ran}"
    );
    let piped = feed(&mut bench.wbx(&["deploy", "run", "daily", "--input", "-"]), b"Joan");
    assert!(piped.stdout.contains("Hello, Joan!"), "{piped:?}");
    let (exit, _) = bench.ask(&["deploy", "run", "daily", "--workflow", "None", "--json"]);
    assert_eq!(exit, 4);

    for args in [&["deploy", "next"][..], &["deploy", "next", "daily"]] {
        let (exit, next) = bench.ask(args);
        let entry = &next[0];
        assert_eq!(
            (exit, &entry["workbook"], &entry["workflow"], &entry["problem"]),
            (0, &json!("daily"), &json!("Greeting"), &Value::Null),
            "{next}"
        );
        // Nine in Berlin is eight or seven in UTC.
        let time = entry["next"].as_str().unwrap();
        assert!(time.ends_with("T08:00:00Z") || time.ends_with("T07:00:00Z"), "{next}");
    }
}

#[test]
fn a_run_in_which_a_component_fails_exits_5_and_says_which() {
    let bench = Bench::new();
    fs::write(
        bench.work.path().join("failing.org"),
        "* W :workflow:\n** Fails :component:\n#+begin_src sh :out x\nexit 3\n#+end_src\n",
    )
    .unwrap();
    assert_eq!(bench.ask(&["deploy", "failing.org"]).0, 0);
    let (exit, ran) = bench.ask(&["deploy", "run", "failing"]);
    assert_eq!(exit, 5, "{ran}");
    assert!(
        ran["tasks"]["Fails"]["error"].as_str().unwrap().contains("status 3"),
        "{ran}"
    );
}

#[test]
fn the_flags_of_check_upgrade_reach_a_deploy() {
    let bench = Bench::new();
    let plan = |title: &str, kind: &str| {
        format!(
            "* {title} :workflow:\n:PROPERTIES:\n:WB_ID: r\n:END:\n** B :component:\n#+begin_src sh :out r:{kind}\n\
             echo 1\n#+end_src\n"
        )
    };
    let write = |text: String| fs::write(bench.work.path().join("p.org"), text).unwrap();
    write(plan("One", "record{a:string}"));
    assert_eq!(bench.ask(&["deploy", "p.org"]).0, 0);
    write(plan("Two", "record{a:string,b:u32}"));
    for args in [&["deploy", "p.org"][..], &["deploy", "p.org", "--identity"]] {
        assert_eq!(bench.ask(args).0, 5, "{args:?}");
    }
    let (exit, live) = bench.ask(&["deploy", "p.org", "--identity", "--structural"]);
    assert_eq!((exit, &live["version"]), (0, &json!(2)), "{live}");
}

#[test]
fn a_state_that_a_person_sets_is_a_claim_and_changes_one_word() {
    let bench = Bench::new();
    let path = bench.work.path().join("todo.org");
    fs::write(
        &path,
        "* Week [0/2]\r\n** TODO Rest  \r\n** TODO Work\r\n:done-when: true\r\n",
    )
    .unwrap();
    let (exit, tasks) = bench.ask(&["tasks", "todo.org", "--set", "work=DONE"]);
    assert_eq!((exit, &tasks[2]["state"]), (0, &json!("DONE")), "{tasks}");
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "* Week [1/2]\r\n** TODO Rest  \r\n** DONE Work\r\n:done-when: true\r\n"
    );
    let (_, status) = bench.ask(&["status", "todo.org"]);
    assert_eq!(status["unproven"], json!(1), "{status}");

    // All of them or none.
    let before = fs::read(&path).unwrap();
    for (args, exit) in [
        (
            &["tasks", "todo.org", "--set", "rest=DONE", "--set", "nobody=DONE"][..],
            4,
        ),
        (&["tasks", "todo.org", "--set", "rest"], 2),
        (&["tasks", "-", "--set", "rest=DONE"], 2),
        (&["tasks", "gone.org", "--set", "rest=DONE"], 4),
    ] {
        assert_eq!(run(&mut bench.wbx(args)).exit, exit, "{args:?}");
    }
    assert_ne!(
        run(&mut bench.wbx(&["tasks", "todo.org", "--set", "rest=FROB"])).exit,
        0
    );
    assert_eq!(fs::read(&path).unwrap(), before);
}
