//! Everything that is made from the table of verbs.

use crate::{
    program::{run, wbx},
    sources::repository,
    worked_examples::{BROKEN, COHERENT, V1, V2},
};
use serde_json::Value;
use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

const VERBS: [&str; 9] = [
    "lint",
    "query",
    "tangle",
    "tasks",
    "render",
    "check-upgrade",
    "doctor",
    "completions",
    "help",
];

fn tree() -> Value {
    let envelope: Value = serde_json::from_str(&run(&mut wbx(&["help", "--json"])).stdout).unwrap();
    envelope["data"].clone()
}

fn verbs() -> Vec<Value> {
    tree()["verbs"].as_array().unwrap().clone()
}

#[test]
fn the_tree_lists_the_verbs_that_exist_and_no_others() {
    let names: Vec<Value> = verbs().iter().map(|verb| verb["name"].clone()).collect();
    assert_eq!(names, VERBS);
}

#[test]
fn every_entry_says_what_help_needs() {
    for verb in verbs() {
        for key in ["summary", "arguments", "flags", "exits", "examples"] {
            assert!(verb.get(key).is_some(), "{} has no {key}", verb["name"]);
        }
        assert_ne!(verb["examples"], Value::Array(vec![]), "{}", verb["name"]);
    }
}

#[test]
fn every_example_runs_as_written_and_ends_as_said() {
    let folder = repository(&[
        ("plan.org", COHERENT),
        ("broken.org", BROKEN),
        ("v1.org", V1),
        ("v2.org", V2),
    ]);
    let bin = Path::new(env!("CARGO_BIN_EXE_wbx")).parent().unwrap();
    let path = env::var_os("PATH").unwrap();
    let path = env::join_paths([bin.to_owned()].into_iter().chain(env::split_paths(&path))).unwrap();
    for verb in verbs() {
        for example in verb["examples"].as_array().unwrap() {
            let command = example["command"].as_str().unwrap();
            let output = Command::new("sh")
                .args(["-c", command])
                .env("PATH", &path)
                .current_dir(folder.path())
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let exit = output.status.code().map(i64::from);
            assert_eq!(exit, example["exit"].as_i64(), "{command}: {output:?}");
            assert!(!output.stdout.is_empty(), "{command}");
            assert!(
                verb["exits"].as_array().unwrap().contains(&example["exit"]),
                "{command}"
            );
        }
    }
}

#[test]
fn the_exit_codes_are_those_of_every_surface() {
    let codes: Vec<u64> = tree()["exits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["code"].as_u64().unwrap())
        .collect();
    assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn help_names_every_verb_in_every_form() {
    for args in [
        &["help"][..],
        &["--help"],
        &[],
        &["help", "--man"],
        &["help", "--markdown"],
        &["completions", "bash"],
        &["completions", "zsh"],
        &["completions", "fish"],
    ] {
        let ended = run(&mut wbx(args));
        assert_eq!(ended.exit, 0, "{args:?}");
        for verb in VERBS {
            // roff writes a hyphen as \-.
            let text = ended.stdout.replace("\\-", "-");
            assert!(text.contains(verb), "{args:?} does not name {verb}");
        }
        assert!(ended.stdout.ends_with('\n'), "{args:?}");
    }
}

#[test]
fn help_for_a_verb_is_the_same_through_either_door() {
    for verb in VERBS {
        let by_verb = run(&mut wbx(&["help", verb]));
        let by_flag = run(&mut wbx(&[verb, "--help"]));
        assert_eq!(by_verb, by_flag, "{verb}");
        let json = run(&mut wbx(&[verb, "--help", "--json"]));
        assert_eq!(json, run(&mut wbx(&["help", verb, "--json"])), "{verb}");
    }
}

#[test]
fn help_for_lint_reads_as_follows() {
    assert_eq!(
        run(&mut wbx(&["help", "lint"])).stdout,
        "\
Say whether a plan coheres

Usage: wbx lint [OPTIONS] <FILE>

Arguments:
  <FILE>  The plan; - is standard input

Options:
      --all            Cast the wider net: rules WB001 to WB012, with line, column and hint
      --json           Answer with a JSON envelope
      --agent          Answer for a program even on a terminal
      --facts <FACTS>  Read the known commands and capabilities from a JSON file
  -h, --help           Print help

Every input of a component needs a producer, and every component needs a source.
A program gets the diagnostics as a JSON array; an empty one means that the plan
coheres.

Examples:
  wbx lint plan.org
  wbx lint --all - < broken.org

Exit codes:
  0  ok
  1  any other failure
  2  usage: the command line or the query cannot be read
  4  not found
  5  verification failed: there is an error-level diagnostic
"
    );
}

#[test]
fn a_wrong_verb_is_told_the_right_ones() {
    assert_eq!(
        run(&mut wbx(&["lnt", "plan.org"])).stderr,
        "error[usage]: there is no verb `lnt`\n |\n = help: the verbs are lint, query, tangle, tasks, render, \
         check-upgrade, doctor, completions, help\n"
    );
}

#[test]
fn a_missing_argument_is_named_with_the_usage() {
    assert_eq!(
        run(&mut wbx(&["query", "plan.org"])).stderr,
        "error[usage]: the following required arguments were not provided: <QUERY>\n |\n = help: usage: \
         wbx query [OPTIONS] <FILE> <QUERY>\n"
    );
}

#[test]
fn doctor_is_healthy_without_an_engine_and_says_where_it_looked() {
    let ended = run(wbx(&["doctor"]).env("XDG_STATE_HOME", "/nowhere"));
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((report["healthy"].as_bool(), ended.exit), (Some(true), 0));
    let names: Vec<&str> = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["kernel", "limits", "capabilities", "terminal", "git", "engine"]);
    let engine = &report["checks"][5];
    assert_eq!(engine["status"], "missing");
    assert_eq!(
        engine["detail"],
        "WB_ENGINE_URL is not set, and there is no /nowhere/workbooks/runtime.json"
    );
}

#[test]
fn doctor_misses_git_when_it_is_not_there() {
    let ended = run(wbx(&["doctor"]).env("PATH", "/nowhere"));
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(report["checks"][4]["status"], "missing");
    assert_eq!(ended.exit, 0);
}
