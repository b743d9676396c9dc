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
            .env("USER", "ada")
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
    assert_eq!((exit, &refused["refused"]), (5, &json!("ungranted")), "{refused}");
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

    let (exit, back) = bench.ask(&["rollback", "greeting"]);
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
            json!(["deploy", 1, "ada", null, false]),
            json!(["deploy", 2, "ada", null, false]),
            json!(["deploy", 3, "ada", "nobody reads it", true]),
            json!(["rollback", 2, "ada", null, false]),
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
        (5, &json!("verification_failed")),
        "{refused}"
    );
    assert_eq!(bench.ask(&["deploy", "none.wbundle", "--json"]).0, 4);
}
