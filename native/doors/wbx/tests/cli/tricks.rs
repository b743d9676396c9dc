//! The table of tricks, asked through the doors that wbx has: sessions and toolkit recipes. Runs ask it in the engine.

use crate::{
    program::{Folder, run, wbx},
    runs::engine_home,
};
use serde_json::Value;
use std::{fs, path::Path, process::Command};

/// A trick: what it does, its text, and whether it is an honest check after all.
struct Trick {
    name: String,
    check: String,
    passes: bool,
}

/// Those that a plan can hold.
fn table() -> Vec<Trick> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../test/tricks.json");
    let rows: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert!(rows.len() > 100);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    rows.iter()
        .filter(|row| row["text"] != true)
        .map(|row| Trick {
            name: text(&row["name"]),
            check: text(&row["check"]),
            passes: row["pass"] == true,
        })
        .collect()
}

fn folder() -> Folder {
    let sentinels = "__WB_CHECK_OK__\n".repeat(100);
    Folder::with(&[("work/sentinels", &sentinels), ("work/full", "x"), ("secret", "x")])
}

fn command(folder: &Folder, args: &[&str]) -> Command {
    let mut command = wbx(args);
    command
        .current_dir(folder.path())
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .env("WORKBOOKS_HOME", engine_home())
        .env("WB_TOOLKITS_ROOT", folder.path().join("toolkits"))
        .env("WB_TOOLKIT_EXEC", "1");
    command
}

#[test]
fn a_session_goes_on_only_where_a_check_passes() {
    let folder = folder();
    let mut wrong = Vec::new();
    for Trick { name, check, passes } in table() {
        let plan =
            format!("#+WORKFLOW: project.x 1.0.0\n* TODO A\n#+begin_src sh :check\n{check}\n#+end_src\n* TODO B\n");
        fs::write(folder.path().join("flow.org"), plan).unwrap();
        let started = run(&mut command(
            &folder,
            &["session", "start", "flow.org", "--workdir", "work"],
        ));
        if started.exit != 0 {
            // A workflow whose check is empty does not start.
            assert!(
                !passes && started.stderr.contains("the check is empty"),
                "{name}: {started:?}"
            );
            continue;
        }
        let started: Value = serde_json::from_str(&started.stdout).unwrap();
        let token = started["token"].as_str().unwrap();
        let ended = run(&mut command(&folder, &["session", "continue", token]));
        if ended.exit != if passes { 0 } else { 5 } {
            wrong.push(format!("{name}: {check:?} gives {ended:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_recipe_that_is_a_check_ends_clean_only_where_it_passes() {
    let folder = folder();
    let recipe = |(n, trick): (usize, &Trick)| {
        let arguments = format!(":role task :check :name t{n}");
        format!("* t{n}\n#+begin_src sh {arguments}\n{}\n#+end_src\n", trick.check)
    };
    let table = table();
    let recipes: String = table.iter().enumerate().map(recipe).collect();
    let manifest = "\
#+TITLE: It
#+TOOLKIT: it
#+VERSION: 1.0.0
#+STATUS: stable
#+TAGLINE: When it is needed
#+EXEC: task
* It :toolkit:
:PROPERTIES:
:ID: it
:STATUS: stable
:END:
";
    fs::create_dir_all(folder.path().join("toolkits/it/skills")).unwrap();
    fs::write(folder.path().join("toolkits/it/manifest.org"), manifest).unwrap();
    let skill = format!("#+TITLE: All of it\n{recipes}");
    fs::write(folder.path().join("toolkits/it/skills/overview.org"), skill).unwrap();
    let mut wrong = Vec::new();
    for (n, Trick { name, check, passes }) in table.iter().enumerate() {
        let task = format!("t{n}");
        let ended = run(command(&folder, &["toolkit", "run", "it", &task]).current_dir(folder.path().join("work")));
        if (ended.exit == 0) != *passes {
            wrong.push(format!("{name}: {check:?} gives {ended:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
