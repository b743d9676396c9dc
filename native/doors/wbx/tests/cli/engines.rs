//! Which verbs start an engine, which need the data directory, and what doctor says of both.

use crate::{
    deploys::GREETING,
    program::{Ended, Folder, run},
    runs::engine_home,
};
use engine::Owner;
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A plan to deploy, one to run, and directories that lie elsewhere.
struct Bench {
    work: Folder,
    user: Folder,
}

impl Bench {
    fn new() -> Self {
        Bench {
            work: Folder::with(&[
                ("greeting.org", GREETING),
                ("one.org", "* TODO One\n:done-when: true\n"),
                ("two.org", "* TODO Two\n:done-when: true\n"),
            ]),
            user: Folder::with(&[]),
        }
    }

    fn wbx(&self, args: &[&str]) -> Command {
        let mut command = self.work.wbx(args);
        command
            .env("XDG_DATA_HOME", self.user.path())
            .env("XDG_STATE_HOME", self.user.path().join("state"))
            .env("WORKBOOKS_HOME", engine_home())
            .env("USER", "ada");
        command
    }

    fn data(&self) -> PathBuf {
        self.user.path().join("workbooks")
    }
}

fn answer(ended: &Ended) -> Value {
    let last = ended.stdout.trim_end().lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|_| panic!("{ended:?}"))
}

#[test]
fn a_deploy_takes_the_data_directory_and_says_who_has_it() {
    let bench = Bench::new();
    let owner = Owner::take(&bench.data()).unwrap();
    for args in [&["deploy", "greeting.org"][..], &["rollback", "greeting"]] {
        let ended = run(bench.wbx(args).arg("--json"));
        let error = &answer(&ended)["error"];
        assert_eq!((ended.exit, &error["code"]), (6, &json!("data_in_use")), "{ended:?}");
        assert_eq!(error["retryable"], true, "the other engine will end");
        let holder = format!("process {} has it since 20", std::process::id());
        assert!(error["message"].as_str().unwrap().contains(&holder), "{error}");
    }
    assert!(!bench.data().join("workbooks").exists());

    drop(owner);
    let ended = run(&mut bench.wbx(&["deploy", "greeting.org"]));
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert!(Owner::of(&bench.data()).unwrap().is_none());
}

#[test]
fn runs_of_different_plans_need_no_data_directory_and_go_on_beside_each_other() {
    let bench = Bench::new();
    let _owner = Owner::take(&bench.data()).unwrap();
    let start = |plan| {
        let mut command = bench.wbx(&["run", plan]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    for child in ["one.org", "two.org"].map(start) {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let left: Vec<_> = fs::read_dir(bench.data())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, ["owner.lock"]);
}

#[test]
fn what_only_reads_starts_no_engine() {
    let bench = Bench::new();
    assert_eq!(run(&mut bench.wbx(&["deploy", "greeting.org", "--by", "ada"])).exit, 0);
    let _owner = Owner::take(&bench.data()).unwrap();
    for args in [&["history", "greeting", "--json"][..], &["status", "one.org", "--json"]] {
        let ended = run(bench
            .wbx(args)
            .env("WORKBOOKS_HOME", "/nowhere")
            .env("PATH", "/nowhere"));
        assert_eq!(ended.exit, 0, "{ended:?}");
    }
    let ended = run(bench.wbx(&["history", "greeting", "--json"]).env("PATH", "/nowhere"));
    let entry = &answer(&ended)["data"][0];
    assert_eq!(
        (&entry["action"], &entry["version"], &entry["by"], &entry["n"]),
        (&json!("deploy"), &json!(1), &json!("ada"), &json!(1))
    );
    for (id, exit) in [("nobody", 4), ("../greeting", 2), ("", 2)] {
        assert_eq!(run(&mut bench.wbx(&["history", id])).exit, exit, "{id}");
    }
}

/// What an engine says is frames on their own descriptor. What the VM prints elsewhere is no frame and harms nothing; what
/// comes there and is no frame is an error that names what is wrong, and is never skipped.
#[test]
fn what_is_no_frame_is_an_error_and_what_the_vm_prints_is_not_taken_for_one() {
    let outcome = r#"{"id":1,"ok":{"id":"r","state":"done","tasks":[],"amendments":[],"warnings":[]}}"#;
    for (script, exit, code, words) in [
        (
            format!("echo '=NOTICE=' ; echo '{{\"id\":9}}'; echo '{outcome}' >&4"),
            0,
            Value::Null,
            "",
        ),
        ("echo hello >&4".to_owned(), 1, json!("internal"), "no frame"),
        (
            "echo '{\"id\":1,\"error\":{\"code\":7}}' >&4".to_owned(),
            1,
            json!("internal"),
            "/error/code",
        ),
        (
            "echo '{\"id\":1,\"event\":{\"event\":3}}' >&4".to_owned(),
            1,
            json!("internal"),
            "/event",
        ),
        (
            "echo 'the VM cannot start'; exit 1".to_owned(),
            1,
            json!("engine_failed"),
            "the VM cannot start",
        ),
    ] {
        let bench = Bench::new();
        let programs = Folder::with(&[("erl", ""), ("elixir", &format!("#!/bin/sh\n{script}\n"))]);
        for program in ["erl", "elixir"] {
            fs::set_permissions(programs.path().join(program), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let path = format!("{}:/usr/bin:/bin", programs.path().display());
        let ended = run(bench.wbx(&["run", "one.org", "--json"]).env("PATH", path));
        assert_eq!(ended.exit, exit, "{script}: {ended:?}");
        let error = &answer(&ended)["error"];
        if !code.is_null() {
            assert_eq!(error["code"], code, "{script}: {ended:?}");
        }
        let said = format!("{} {}", error["message"], error["pointer"]);
        assert!(said.contains(words), "{script}: {ended:?}");
    }
}

#[test]
fn without_a_home_a_verb_says_what_to_give() {
    let bench = Bench::new();
    let bare = |args: &[&str]| {
        let mut command = bench.work.wbx(args);
        command.env_clear().env("WORKBOOKS_HOME", engine_home());
        run(&mut command)
    };
    assert_eq!(bare(&["lint", "greeting.org"]).exit, 0);
    for (args, variable) in [
        (&["status", "one.org", "--json"][..], "XDG_STATE_HOME"),
        (&["session", "list", "--json"], "XDG_STATE_HOME"),
        (&["toolkit", "list", "--json"], "XDG_STATE_HOME"),
        (&["history", "greeting", "--json"], "XDG_DATA_HOME"),
    ] {
        let ended = bare(args);
        let error = &answer(&ended)["error"];
        assert_eq!(
            (ended.exit, &error["code"]),
            (2, &json!("bad_option")),
            "{args:?} {ended:?}"
        );
        assert!(error["hint"].as_str().unwrap().contains(variable), "{error}");
    }
}

struct Report(Ended);

impl Report {
    fn of(command: &mut Command) -> Report {
        Report(run(command))
    }

    fn get(&self, name: &str) -> (String, String, Value) {
        let report = answer(&self.0);
        let checks = report["checks"].as_array().unwrap();
        let check = checks
            .iter()
            .find(|check| check["name"] == name)
            .unwrap_or_else(|| panic!("{name}"));
        let text = |key: &str| check[key].as_str().unwrap().to_owned();
        (text("status"), text("detail"), check["hint"].clone())
    }

    fn verdict(&self) -> (i32, Value, Value) {
        let report = answer(&self.0);
        (self.0.exit, report["healthy"].clone(), report["runs"].clone())
    }
}

#[test]
fn doctor_looks_at_everything_that_a_run_needs() {
    let bench = Bench::new();
    let owner = Owner::take(&bench.data()).unwrap();
    let report = Report::of(&mut bench.wbx(&["doctor"]));
    assert_eq!(report.verdict(), (0, json!(true), json!(true)), "{:?}", report.0);
    let checks = answer(&report.0)["checks"].as_array().unwrap().clone();
    let names: Vec<&str> = checks.iter().map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "kernel", "limits", "policy", "terminal", "git", "erl", "elixir", "engine", "library", "commands", "lanes",
            "address", "cache", "history", "sessions", "registry", "toolkits", "data", "owner"
        ]
    );
    for name in [
        "erl", "elixir", "engine", "library", "commands", "cache", "history", "data", "owner",
    ] {
        assert_eq!(report.get(name).0, "ok", "{name}: {:?}", report.get(name));
    }
    assert_eq!(report.get("library").1, "the VM loads it");
    assert!(report.get("commands").1.ends_with("each as its hash says"));
    let holder = format!(
        "process {} (Workbooks 0.1.0) has the data directory since 20",
        std::process::id()
    );
    assert!(report.get("owner").1.starts_with(&holder), "{:?}", report.get("owner"));
    drop(owner);
    let free = Report::of(&mut bench.wbx(&["doctor"])).get("owner");
    assert!(free.1.starts_with("no engine has the data directory"), "{free:?}");
}

#[test]
fn doctor_says_what_to_do_about_what_is_missing() {
    let bench = Bench::new();
    let report = Report::of(
        bench
            .wbx(&["doctor"])
            .env("PATH", "/nowhere")
            .env("WORKBOOKS_HOME", "/nowhere"),
    );
    assert_eq!(report.verdict(), (0, json!(true), json!(false)), "{:?}", report.0);
    for (name, hint) in [
        ("git", "install git"),
        ("erl", "apt-get install elixir"),
        ("elixir", "apt-get install elixir"),
        ("engine", "WORKBOOKS_HOME"),
        ("library", "above"),
        ("commands", "WORKBOOKS_HOME"),
    ] {
        let (status, _, found) = report.get(name);
        assert_eq!(status, "missing", "{name}");
        assert!(found.as_str().unwrap().contains(hint), "{name}: {found}");
    }
    assert_eq!(report.get("engine").1, "there is no built engine in /nowhere");
}

#[test]
fn doctor_finds_what_is_wrong() {
    let bench = Bench::new();
    // A file where directories should be made.
    let file = bench.user.path().join("file");
    fs::write(&file, "").unwrap();
    let report = Report::of(bench.wbx(&["doctor"]).env("XDG_STATE_HOME", &file));
    assert_eq!(report.verdict(), (1, json!(false), json!(false)), "{:?}", report.0);
    let (status, detail, hint) = report.get("history");
    assert_eq!(status, "broken", "{detail}");
    assert!(hint.as_str().unwrap().contains("XDG_STATE_HOME"), "{hint}");

    // An engine whose library is no library, and one of whose commands was changed.
    let home = spoilt(&bench.user.path().join("home"));
    let report = Report::of(bench.wbx(&["doctor"]).env("WORKBOOKS_HOME", &home));
    assert_eq!(report.verdict(), (1, json!(false), json!(false)), "{:?}", report.0);
    assert_eq!(report.get("library").0, "broken", "{:?}", report.get("library"));
    assert!(report.get("library").2.as_str().unwrap().contains("make build"));
    let (status, detail, _) = report.get("commands");
    assert_eq!(status, "broken");
    assert!(detail.starts_with("gone, or not as their hashes say: "), "{detail}");
}

/// A copy of the application with links for everything but what is spoilt.
fn spoilt(home: &Path) -> PathBuf {
    let built = ["prod", "dev"].map(|kind| engine_home().join("_build").join(kind).join("lib/workbooks"));
    let built = built
        .into_iter()
        .find(|app| app.join("ebin").is_dir())
        .expect("`make build` was run");
    let app = home.join("lib/workbooks");
    let commands = app.join("priv/wasm/commands");
    fs::create_dir_all(&commands).unwrap();
    fs::create_dir_all(app.join("priv/native")).unwrap();
    fs::write(app.join("priv/native/workbooks_nif.so"), "no library").unwrap();
    symlink(built.join("ebin").canonicalize().unwrap(), app.join("ebin")).unwrap();
    let wasm = built.join("priv/wasm").canonicalize().unwrap();
    symlink(wasm.join("oql.wasm"), app.join("priv/wasm/oql.wasm")).unwrap();
    symlink(wasm.join("lanes"), app.join("priv/wasm/lanes")).unwrap();
    fs::copy(wasm.join("commands/commands.json"), commands.join("commands.json")).unwrap();
    home.to_owned()
}
