//! Reading is open; executing is gated.

use super::yard::Yard;
use serde_json::json;
use std::fs;

const TASK: &str = "* Work\n#+begin_src sh :role task :name hello\nprintf '%s|' \"$@\"; cat; ls /\n#+end_src\n#+begin_src sh :role pre\ntouch /pre\n#+end_src\n";

fn run(args: &[&str]) -> serde_json::Value {
    json!({"id": "it", "task": "hello", "args": args, "stdin": "in", "workdir": "work"})
}

fn with_task(keywords: &str) -> Yard {
    let yard = Yard::own();
    yard.toolkit(keywords);
    yard.write("toolkits/it/skills/work.org", TASK);
    yard.write("work/file.txt", "x");
    yard
}

#[test]
fn a_recipe_runs_in_its_directory_only_where_that_is_allowed() {
    let mut yard = with_task("#+EXEC: task\n");
    yard.foundry.execute = false;
    assert!(yard.refusal("run", run(&[])).starts_with("execution_is_off"));
    yard.foundry.execute = true;
    let ran = yard.ask("run", run(&["a b", "$(c)"])).unwrap();
    assert_eq!(
        (&ran["stdout"], &ran["status"]),
        (&json!("a b|$(c)|infile.txt\n"), &json!(0))
    );
    assert!(!yard.path("work/pre").exists(), "a pre block never runs");
    assert!(
        yard.refusal("run", json!({"id": "it", "task": "other"}))
            .starts_with("unknown_recipe")
    );
    assert!(
        yard.refusal("run", json!({"id": "../it", "task": "hello"}))
            .starts_with("invalid_name")
    );
}

#[test]
fn a_recipe_with_a_command_that_nobody_carries_does_not_start() {
    let yard = with_task("#+EXEC: task\n");
    let curl = TASK.replace("cat;", "curl x;");
    yard.write("toolkits/it/skills/work.org", curl);
    assert!(yard.refusal("run", run(&[])).contains("names `curl`"));
}

#[test]
fn a_strangers_recipe_needs_a_signature_and_a_grant() {
    let yard = with_task("#+EXEC: task\n#+CAPS: commands\n");
    yard.ask("sign", json!({"id": "it"})).unwrap();
    let path = yard.path("toolkits/it/manifest.org");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("#+CAPS:", "#+TRUST: third-party\n#+CAPS:")).unwrap();
    assert!(
        yard.refusal("run", run(&[])).starts_with("bad_signature"),
        "the manifest was changed after it was signed"
    );
    yard.ask("sign", json!({"id": "it"})).unwrap();
    assert!(yard.refusal("run", run(&[])).starts_with("not_granted"));
    assert!(yard.refusal("build", json!({"id": "it"})).starts_with("not_granted"));
    let granted = yard
        .ask("grant", json!({"id": "it", "caps": ["commands", "net"]}))
        .unwrap();
    assert_eq!(granted["caps"], json!(["commands"]));
    assert_eq!(yard.ask("run", run(&[])).unwrap()["status"], 0);
    yard.write("toolkits/it/skills/work.org", TASK.replace("ls /", "ls -a /"));
    let why = yard.refusal("run", run(&[]));
    assert!(
        why.starts_with("bad_signature") && why.contains("skills/work.org is not as it was signed"),
        "{why}"
    );
    let found = yard.ask("verify", json!({"id": "it"})).unwrap();
    assert_eq!(found["ok"], false);
}

#[test]
fn posix_is_off_until_an_operator_says_otherwise() {
    let mut yard = Yard::own();
    yard.toolkit("#+EXEC: posix\n#+CLI_BIN: sh\n");
    let exec = |yard: &Yard| {
        yard.ask("verify", json!({"id": "it"})).unwrap()["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(exec(&yard).contains("✗ exec: posix: native programs are off"));
    yard.foundry.posix = true;
    assert!(exec(&yard).contains("✓ exec: posix: `sh` is /"));
}
