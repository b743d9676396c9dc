//! `--json`: one envelope for every verb and every failure. Whoever asks louder decides the mode.

use crate::{
    program::{Folder, feed, run, wbx},
    worked_examples::{BROKEN, COHERENT},
};
use serde_json::Value;

const PLAN: (&str, &str) = ("plan.org", COHERENT);

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn every_verb_answers_with_ok_verb_and_data() {
    let folder = Folder::with(&[PLAN]);
    for args in [
        &["lint", "plan.org"][..],
        &["query", "plan.org", "(level 1)"],
        &["tangle", "plan.org"],
        &["tasks", "plan.org"],
        &["render", "plan.org"],
        &["check-upgrade", "plan.org", "plan.org"],
        &["doctor"],
        &["completions", "fish"],
        &["help"],
    ] {
        for json_at in [0, args.len()] {
            let mut args = args.to_vec();
            args.insert(json_at, "--json");
            let ended = run(&mut folder.wbx(&args));
            let envelope: Value = serde_json::from_str(&ended.stdout).unwrap();
            assert_eq!(keys(&envelope), ["data", "ok", "verb"], "{args:?}");
            assert_eq!(envelope["ok"], true, "{args:?}");
            assert!(args.contains(&envelope["verb"].as_str().unwrap()), "{args:?}");
            assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{args:?}");
        }
    }
}

#[test]
fn every_failure_is_an_error_with_code_message_hint_and_retryable() {
    let folder = Folder::with(&[PLAN]);
    for (args, verb, code) in [
        (&["lint", "gone.org"][..], Some("lint"), "not_found"),
        (&["lint"], Some("lint"), "usage"),
        (&["lint", "plan.org", "--frob"], Some("lint"), "usage"),
        (&["query", "plan.org", "(tags"], Some("query"), "bad_query"),
        (&["frob"], None, "usage"),
        (&["--frob"], None, "usage"),
        (&["help", "frob"], Some("help"), "usage"),
        (&["completions", "csh"], Some("completions"), "usage"),
        (
            &["lint", "--all", "--facts", "plan.org", "plan.org"],
            Some("lint"),
            "bad_option",
        ),
        (
            &["render", "plan.org", "-o", "gone/page.html"],
            Some("render"),
            "not_found",
        ),
    ] {
        let args = [args, &["--json"]].concat();
        let ended = run(&mut folder.wbx(&args));
        let envelope: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(keys(&envelope), ["error", "ok", "verb"], "{args:?}");
        assert_eq!(envelope["ok"], false, "{args:?}");
        assert_eq!(envelope["verb"].as_str(), verb, "{args:?}");
        let error = &envelope["error"];
        assert_eq!(keys(error), ["code", "hint", "message", "retryable"], "{args:?}");
        assert_eq!(error["code"], code, "{args:?}");
        assert_eq!(error["retryable"], false, "{args:?}");
        assert!(!error["message"].as_str().unwrap().is_empty(), "{args:?}");
        assert!(!error["hint"].as_str().unwrap().is_empty(), "{args:?}");
        assert_eq!(ended.stderr, "", "{args:?}");
    }
}

#[test]
fn the_keys_of_an_envelope_keep_their_order() {
    let ended = run(&mut wbx(&["lint", "gone.org", "--json"]));
    assert_eq!(
        ended.stdout,
        concat!(
            r#"{"ok":false,"verb":"lint","error":{"code":"not_found","message":"there is no file `gone.org`","#,
            r#""hint":"check the path; - reads standard input","retryable":false}}"#,
            "\n",
        )
    );
}

#[test]
fn without_json_a_failure_is_text_on_standard_error() {
    let ended = run(&mut wbx(&["lint", "gone.org"]));
    assert_eq!(ended.stdout, "");
    assert_eq!(
        ended.stderr,
        "error[not_found]: there is no file `gone.org`\n |\n = help: check the path; - reads standard input\n"
    );
}

#[test]
fn json_beats_agent_and_a_pipe_is_an_agent() {
    let bare = "[]\n";
    let wrapped = "{\"ok\":true,\"verb\":\"lint\",\"data\":[]}\n";
    for (args, variable, expected) in [
        (&["lint", "-"][..], None, bare),
        (&["lint", "-"], Some("1"), bare),
        (&["lint", "-", "--agent"], None, bare),
        (&["lint", "-", "--json"], Some("1"), wrapped),
        (&["--agent", "--json", "lint", "-"], None, wrapped),
    ] {
        let mut command = wbx(args);
        command.envs(variable.map(|value| ("WBX_AGENT", value)));
        assert_eq!(feed(&mut command, COHERENT.as_bytes()).stdout, expected, "{args:?}");
    }
}

#[test]
fn an_agent_gets_the_bare_data_of_every_verb() {
    let folder = Folder::with(&[PLAN]);
    for args in [
        &["query", "plan.org", "(level 1)"][..],
        &["tangle", "plan.org"],
        &["tasks", "plan.org"],
        &["doctor"],
    ] {
        let bare = run(&mut folder.wbx(args)).stdout;
        let wrapped = run(&mut folder.wbx(&[args, &["--json"]].concat())).stdout;
        let verb = args[0];
        assert_eq!(
            wrapped,
            format!("{{\"ok\":true,\"verb\":\"{verb}\",\"data\":{}}}\n", bare.trim_end())
        );
    }
}

#[test]
fn the_wider_net_locates_each_finding_for_programs() {
    let ended = feed(&mut wbx(&["lint", "--all", "-"]), BROKEN.as_bytes());
    let findings: Value = serde_json::from_str(&ended.stdout).unwrap();
    let places: Vec<(&str, u64, u64)> = findings
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            assert_eq!(keys(f), ["code", "column", "hint", "level", "line", "message", "scope"]);
            (
                f["code"].as_str().unwrap(),
                f["line"].as_u64().unwrap(),
                f["column"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(places, [("WB002", 3, 20), ("WB001", 6, 4)]);
    assert_eq!(ended.exit, 5);
}

#[test]
fn the_built_in_facts_know_the_names_of_the_policy_table() {
    for (name, known) in [
        ("workbook:fs", true),
        ("workbook:net/email", true),
        ("vfs", true),
        ("posix", true),
        ("workbook:moon", false),
        ("network", false),
    ] {
        let plan = format!("* W :workflow:\n** C :component:\n#+begin_src js :uses {name}\n#+end_src\n");
        let ended = feed(&mut wbx(&["lint", "--all", "-"]), plan.as_bytes());
        assert_eq!(ended.stdout.contains("WB006"), !known, "{name}: {}", ended.stdout);
    }
}

#[test]
fn facts_from_a_file_decide_which_capabilities_are_known() {
    let plan = "* W :workflow:\n** C :component:\n#+begin_src js :uses own:thing\n#+end_src\n";
    let known = r#"{"capabilities": ["own:thing"]}"#;
    let folder = Folder::with(&[
        ("plan.org", plan),
        ("known.json", known),
        ("other.json", r#"{"capabilities": []}"#),
    ]);
    for (facts, expected) in [("known.json", 0), ("other.json", 1)] {
        let ended = run(&mut folder.wbx(&["lint", "--all", "--facts", facts, "plan.org"]));
        let findings: Value = serde_json::from_str(&ended.stdout).unwrap();
        let codes = findings.as_array().unwrap().iter().filter(|f| f["code"] == "WB006");
        assert_eq!(codes.count(), expected, "{facts}");
    }
}

#[test]
fn an_answer_that_fails_verification_carries_the_data_and_the_error() {
    let folder = Folder::with(&[("broken.org", "* W :workflow:\n** A :component:\n")]);
    let ended = run(&mut folder.wbx(&["lint", "--json", "broken.org"]));
    let want = concat!(
        r#"{"ok":false,"verb":"lint","#,
        r#""data":[{"level":"error","message":"component has no source block / language","scope":"A"}],"#,
        r#""error":{"code":"verification_failed","message":"the answer holds an error","hint":"`data` says what is wrong","retryable":false}}"#,
        "\n"
    );
    assert_eq!((ended.stdout.as_str(), ended.exit), (want, 5));
}
