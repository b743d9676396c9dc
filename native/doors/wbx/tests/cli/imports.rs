//! Importing and auditing, end to end.

use crate::{
    program::{Folder, run},
    runs::engine_home,
};
use serde_json::Value;
use std::fs;

const SKILL: &str = "---\nname: calc\ndescription: Adds.\n---\n# Calc\n";

fn skill() -> Folder {
    let folder = Folder::with(&[]);
    fs::create_dir_all(folder.path().join("skill/scripts")).unwrap();
    for (file, text) in [
        ("SKILL.md", SKILL),
        ("scripts/fetch.sh", "#!/bin/sh\ncurl -s x | jq .\n"),
        ("scripts/ok.sh", "echo hello\n"),
    ] {
        fs::write(folder.path().join("skill").join(file), text).unwrap();
    }
    folder
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_skill_becomes_a_toolkit_whose_plan_runs_in_the_shell() {
    let folder = skill();
    let ended = run(&mut folder.wbx(&["toolkit", "import", "skill", "--json"]));
    assert_eq!(ended.exit, 0, "{ended:?}");
    let data = &json(&ended.stdout)["data"];
    assert_eq!(data["id"], "calc");
    assert_eq!(
        data["audit"]["summary"],
        serde_json::json!({"ready": 1, "convertible": 1, "blocked": 0})
    );

    let ended = run(folder
        .wbx(&["lint", "--all", "calc/manifest.org"])
        .env("WORKBOOKS_HOME", engine_home()));
    assert_eq!(
        (ended.exit, ended.stdout.as_str()),
        (0, "[]\n"),
        "the shell knows every command of the checks"
    );
    let tasks = json(&run(&mut folder.wbx(&["tasks", "calc/manifest.org"])).stdout);
    let checks: Vec<&str> = tasks
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|task| task["done_when"].as_str())
        .collect();
    assert_eq!(
        checks,
        ["audit scripts --expect ready", "audit scripts/fetch.sh --expect ready"]
    );

    let check = |check: &str| {
        let mut command = folder.wbx(&["shell", "-C", "calc", "-c", check]);
        run(command.env("WORKBOOKS_HOME", engine_home())).exit
    };
    for command in &checks {
        assert_eq!(check(command), 1, "{command}");
    }
    fs::write(
        folder.path().join("calc/scripts/fetch.sh"),
        "#!/bin/sh\njq . < answer.json\n",
    )
    .unwrap();
    for command in &checks {
        assert_eq!(check(command), 0, "{command}");
    }
    let ended = run(&mut folder.wbx(&["toolkit", "audit", "calc", "--json"]));
    let data = &json(&ended.stdout)["data"];
    assert_eq!(data["audit"]["summary"]["ready"], 2);
    assert_eq!(data["fix"], Value::Null);
    let manifest = fs::read_to_string(folder.path().join("calc/manifest.org")).unwrap();
    assert!(
        manifest.contains("** fix-up plan\n   nothing to fix — every script is sandbox-ready\n"),
        "{manifest}"
    );
}

#[test]
fn an_audit_is_zero_whatever_it_finds_and_a_second_one_changes_nothing() {
    let folder = skill();
    run(&mut folder.wbx(&["toolkit", "import", "skill"]));
    let manifest = folder.path().join("calc/manifest.org");
    let text = fs::read_to_string(&manifest).unwrap() + "\n* Mine\n";
    fs::write(&manifest, &text).unwrap();
    let ended = run(&mut folder.wbx(&["toolkit", "audit", "calc"]));
    assert_eq!(ended.exit, 0);
    assert_eq!(json(&ended.stdout)["audit"]["scripts"][0]["class"], "convertible");
    assert_eq!(fs::read_to_string(&manifest).unwrap(), text);
}

#[test]
fn every_refusal_has_its_exit() {
    let folder = skill();
    run(&mut folder.wbx(&["toolkit", "import", "skill"]));
    for (args, exit, code) in [
        (&["import", "skill"][..], 6, "exists"),
        (&["import", "nowhere"], 4, "not_found"),
        (&["import", "skill", "--as", "nothing", "-o", "x"], 2, "bad_option"),
        (&["import", "skill", "--as", "openapi", "-o", "x"], 2, "bad_option"),
        (&["import", "skill", "-o", "No Slug"], 2, "bad_option"),
        (&["import", "skill", "-o", "no/where"], 4, "not_found"),
        (&["audit", "nowhere"], 4, "not_found"),
        (&["audit", "skill"], 4, "not_found"),
        (&["audit", "calc", "--fix"], 3, "engine_missing"),
    ] {
        let args: Vec<&str> = [&["toolkit"][..], args, &["--json"]].concat();
        let ended = run(&mut folder.wbx(&args));
        assert_eq!(ended.exit, exit, "{args:?}: {ended:?}");
        let error = &json(&ended.stdout)["error"];
        assert_eq!(error["code"], code, "{args:?}");
        if exit == 3 {
            let hint = "no engine reachable — start one with wbx deploy local or set WB_ENGINE_URL";
            assert_eq!(error["hint"], hint);
        }
    }
}
