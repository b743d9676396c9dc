//! Everything that is made from the table of verbs.

use crate::{
    deploys::GREETING,
    past::leave_a_run,
    program::{Folder, run, wbx},
    runs::engine_home,
    sources::repository,
    toolkits::copy_toolkits,
    worked_examples::{BROKEN, COHERENT, V1, V2},
};
use serde_json::Value;
use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const VERBS: &[&str] = &[
    "init",
    "lint",
    "query",
    "tangle",
    "tasks",
    "render",
    "run",
    "status",
    "certify",
    "check-upgrade",
    "bundle",
    "unbundle",
    "sign",
    "verify",
    "deploy",
    "rollback",
    "history",
    "serve",
    "token",
    "telemetry",
    "ledger",
    "shell",
    "session",
    "toolkit",
    "mcp",
    "doctor",
    "completions",
    "help",
];

/// Verbs of several words, under the first.
const INNER: [(&str, &[&str]); 5] = [
    ("token", &["token create", "token list", "token revoke"]),
    (
        "deploy",
        &[
            "deploy list",
            "deploy run",
            "deploy next",
            "deploy local",
            "deploy status",
            "deploy stop",
        ],
    ),
    ("ledger", &["ledger verify", "ledger show", "ledger key"]),
    (
        "session",
        &[
            "session start",
            "session continue",
            "session checkpoint",
            "session resume",
            "session rewind",
            "session list",
            "session inspect",
            "session export",
            "session import",
            "session gc",
            "session workflows",
            "session preview",
            "session pin",
            "session policy",
            "session quarantine",
            "session repair",
            "session delete",
            "session verify",
            "session rotate",
        ],
    ),
    (
        "toolkit",
        &[
            "toolkit list",
            "toolkit show",
            "toolkit search",
            "toolkit verify",
            "toolkit sign",
            "toolkit build",
            "toolkit push",
            "toolkit run",
            "toolkit import",
            "toolkit audit",
        ],
    ),
];

const FLOW: &str = "#+WORKFLOW: project.flow 1.0.0\n#+TITLE: Flow\n* TODO Read\n* TODO Write\n";

fn tree() -> Value {
    let envelope: Value = serde_json::from_str(&run(&mut wbx(&["help", "--json"])).stdout).unwrap();
    envelope["data"].clone()
}

/// The verbs inside an entry of the tree.
fn inside(entry: &Value) -> Vec<Value> {
    entry["verbs"].as_array().cloned().unwrap_or_default()
}

/// Every verb, those inside others too.
fn verbs() -> Vec<Value> {
    let mut verbs = inside(&tree());
    let mut next = 0;
    while let Some(verb) = verbs.get(next) {
        let inner = inside(verb);
        verbs.extend(inner);
        next += 1;
    }
    verbs
}

#[test]
fn the_tree_lists_the_verbs_that_exist_and_no_others() {
    let names = |entry: &Value| -> Vec<Value> { inside(entry).iter().map(|verb| verb["name"].clone()).collect() };
    let tree = tree();
    assert_eq!(names(&tree), VERBS);
    for verb in inside(&tree) {
        let inner = INNER.iter().find(|(name, _)| verb["name"] == *name);
        assert_eq!(
            names(&verb),
            inner.map_or(&[][..], |(_, inner)| inner),
            "{}",
            verb["name"]
        );
    }
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
        ("flow.org", FLOW),
        ("greeting.org", GREETING),
        ("todo.org", "#+TODO: TODO WAITING | DONE\n* TODO Build\n"),
        ("notes.md", "# Notes\n\nRead me.\n"),
    ]);
    leave_a_run(&folder, "build", "DONE");
    copy_toolkits(&folder.path().join("toolkits"));
    let elsewhere = Folder::with(&[]);
    let bin = Path::new(env!("CARGO_BIN_EXE_wbx")).parent().unwrap();
    let path = env::var_os("PATH").unwrap();
    let path = env::join_paths([bin.to_owned()].into_iter().chain(env::split_paths(&path))).unwrap();
    for verb in verbs() {
        for example in verb["examples"].as_array().unwrap() {
            let command = example["command"].as_str().unwrap();
            let output = Command::new("sh")
                .args(["-c", command])
                .env("PATH", &path)
                .env("XDG_STATE_HOME", state(&folder, &elsewhere, command))
                .env("XDG_DATA_HOME", elsewhere.path())
                .env("WORKBOOKS_HOME", engine_home())
                .current_dir(folder.path())
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let exit = output.status.code().map(i64::from);
            assert_eq!(exit, example["exit"].as_i64(), "{command}: {output:?}");
            assert!(!output.stdout.is_empty() || !output.stderr.is_empty(), "{command}");
            assert!(
                verb["exits"].as_array().unwrap().contains(&example["exit"]),
                "{command}"
            );
        }
    }
}

/// A run refuses a history that its guests could write to.
fn state(folder: &Folder, elsewhere: &Folder, command: &str) -> PathBuf {
    match command.starts_with("wbx run") {
        true => elsewhere.path().to_owned(),
        false => folder.path().join("state"),
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
    let inner = INNER.iter().flat_map(|(_, inner)| inner.iter());
    for verb in VERBS.iter().chain(inner) {
        let words: Vec<&str> = verb.split(' ').collect();
        let ask = |args: &[&[&str]]| run(&mut wbx(&args.concat()));
        assert_eq!(ask(&[&["help"], &words]), ask(&[&words, &["--help"]]), "{verb}");
        let json = ask(&[&words, &["--help", "--json"]]);
        assert_eq!(json, ask(&[&["help"], &words, &["--json"]]), "{verb}");
        assert!(
            json.stdout.contains(&format!(r#""name":"{verb}""#)),
            "{verb}: {}",
            json.stdout
        );
    }
}

#[test]
fn a_verb_that_only_begins_others_explains_itself() {
    let ended = run(&mut wbx(&["ledger"]));
    assert_eq!(ended, run(&mut wbx(&["help", "ledger"])));
    assert!(
        ended.stdout.contains("Usage: wbx ledger [OPTIONS] <VERB>\n"),
        "{}",
        ended.stdout
    );
    assert!(
        ended.stdout.contains("  verify  Hold a log against its seal\n"),
        "{}",
        ended.stdout
    );
}

#[test]
fn pages_and_completions_reach_the_verbs_inside() {
    for (args, words) in [
        (
            &["help", "--markdown"][..],
            &["## wbx ledger verify\n", "## wbx ledger key\n"][..],
        ),
        (&["help", "--man"], &["wbx ledger verify", "wbx ledger key"]),
        (&["completions", "bash"], &["wbx__subcmd__ledger__subcmd__verify"]),
        (&["completions", "fish"], &["__fish_wbx_using_subcommand ledger"]),
        (
            &["completions", "zsh"],
            &["_wbx__subcmd__ledger__subcmd__verify_commands"],
        ),
    ] {
        let text = run(&mut wbx(args)).stdout.replace("\\-", "-");
        for word in words {
            assert!(text.contains(word), "{args:?} does not name {word}");
        }
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
      --all            Cast the wider net: rules WB001 to WB015, with line, column and hint
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
        format!(
            "error[usage]: there is no verb `lnt`\n |\n = help: did you mean `lint`? the verbs are {}\n",
            VERBS.join(", ")
        )
    );
    for args in [&["ledger", "frob"][..], &["help", "ledger", "frob"]] {
        assert_eq!(
            run(&mut wbx(args)).stderr,
            "error[usage]: there is no verb `ledger frob`\n |\n = help: the verbs are ledger verify, ledger show, \
             ledger key\n",
            "{args:?}"
        );
    }
    let much = run(&mut wbx(&["help", "lint", "frob"]));
    assert!(
        much.stderr.starts_with("error[usage]: there is no verb `lint frob`\n"),
        "{}",
        much.stderr
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
