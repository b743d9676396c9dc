//! What verify says, line by line, typed by hand.

use super::scratch::{NODE, OVERVIEW, PLAIN, Scratch, facts};
use toolkit::{Facts, Toolkit, verify};

fn lines(toolkit: &Toolkit, facts: &Facts) -> Vec<String> {
    verify(toolkit, facts).iter().map(ToString::to_string).collect()
}

/// The lines about one thing.
fn about(keywords: &str, what: &str) -> Vec<String> {
    let scratch = Scratch::new();
    let all = lines(&scratch.dates(keywords), &facts());
    let prefix = [format!("✓ {what}: "), format!("✗ {what}: "), format!("- {what}: ")];
    all.into_iter()
        .filter(|line| prefix.iter().any(|p| line.starts_with(p)))
        .collect()
}

#[test]
fn a_discovery_only_toolkit() {
    let scratch = Scratch::new();
    assert_eq!(
        lines(&scratch.dates(""), &facts()),
        [
            "✓ manifest: every field is valid",
            "✓ drawer: it repeats what the keywords say",
            "✓ skills: skills/overview.org and 0 more",
            "✓ exec: none declared (discovery-only toolkit)",
            "✓ caps: none needed",
            "✓ trust: first-party, not signed",
        ]
    );
}

#[test]
fn everything_that_is_wrong_has_its_line() {
    let scratch = Scratch::new();
    scratch.write(
        "dates/manifest.org",
        "#+TITLE: Dates\n#+TOOLKIT: times\n#+VERSION: one\n#+STATUS: stable\n#+TAGLINE: When\n#+EXEC: daemon\n\
         #+CAPS: vfs teleport\n* Dates :toolkit:\n:PROPERTIES:\n:ID: dates\n:STATUS: deprecated\n:END:\n\
         #+begin_src sh :role pre\nrm -rf /\n#+end_src\n",
    );
    assert_eq!(
        lines(&scratch.open("dates"), &facts()),
        [
            "✗ manifest: line 2: TOOLKIT: it is `times`, and the directory is `dates`",
            "✗ manifest: line 3: VERSION: `one` is not a semantic version: unexpected character 'o' while parsing major version number",
            "✗ drawer: line 10: :ID:: it is `dates`, and #+TOOLKIT: is `times`",
            "✗ drawer: line 11: :STATUS:: it is `deprecated`, and #+STATUS: is `stable`",
            "✗ skills: `skills/overview.org` is refused: it is not there",
            "✗ exec: unknown mode \"daemon\"",
            "- pre: manifest.org:13 is DISABLED: such blocks are never run",
            "✗ caps: `teleport` is granted by no profile",
            "✓ trust: first-party, not signed",
        ]
    );
}

#[test]
fn each_shape_has_its_contract() {
    let hash = "0".repeat(64);
    let wasm = format!("#+BUILD_SRC: wasm:a.wasm\n#+SHA256: {hash}\n");
    for (keywords, expected) in [
        (
            "#+EXEC: command\n#+CLI_BIN: cal\n".to_owned(),
            "✓ exec: command: registered",
        ),
        (
            "#+EXEC: command\n#+CLI_BIN: ncal\n".to_owned(),
            "✗ exec: command: not registered, and there is no #+BUILD_SRC: to build it from",
        ),
        (
            "#+EXEC: command\n#+CLI_BIN: ncal\n#+BUILD_LANG: js\n#+BUILD_SRC: path:src\n".to_owned(),
            "✓ exec: command: not registered yet; the js lane builds `path:src`",
        ),
        (
            "#+EXEC: command\n#+CLI_BIN: ncal\n#+BUILD_LANG: rust\n#+BUILD_SRC: path:src\n".to_owned(),
            "✗ exec: command: not registered, and there is no rust lane here to build it",
        ),
        (
            format!("#+EXEC: kernel\n{wasm}"),
            "✓ exec: kernel: not registered yet; `wasm:a.wasm` is pinned by its hash",
        ),
        (
            "#+EXEC: kernel\n".to_owned(),
            "✗ exec: kernel: not registered, and there is no #+BUILD_SRC: to build it from",
        ),
        (
            format!("#+EXEC: component\n#+WIT: moon\n{wasm}"),
            "✗ exec: component: there is no world `moon`; known are engine engine-llm dock",
        ),
        (
            format!("#+EXEC: component\n{wasm}"),
            "✓ exec: component: not registered yet; `wasm:a.wasm` is pinned by its hash",
        ),
        (
            "#+EXEC: posix\n#+CLI_BIN: ffmpeg\n".to_owned(),
            "✗ exec: posix: native programs are off; the operator has not opted in",
        ),
        (
            "#+EXEC: federation\n#+URL: https://x.org/{TOKEN}\n#+ENV_KEYS: TOKEN\n".to_owned(),
            "✓ exec: federation: `dates` from https://x.org/{TOKEN}, with TOKEN",
        ),
        (
            "#+EXEC: federation\n#+URL: nowhere\n".to_owned(),
            "✗ exec: federation: its source does not parse",
        ),
        (
            "#+EXEC: task\n".to_owned(),
            "✗ exec: task: there is no block with `:role task`",
        ),
    ] {
        assert_eq!(about(&keywords, "exec"), [expected], "{keywords}");
    }
}

#[test]
fn what_is_known_of_a_built_artifact_decides() {
    let scratch = Scratch::new();
    let component = scratch.dates("#+EXEC: component\n");
    let exec = |facts: &Facts| {
        lines(&component, facts)
            .into_iter()
            .find(|l| l.contains(" exec: "))
            .unwrap()
    };
    let built = |component| Facts {
        component: Some(component),
        ..facts()
    };
    assert_eq!(exec(&built(Ok(()))), "✓ exec: component: it conforms to `engine`");
    let wrong = vec!["missing required export `run`".to_owned()];
    assert_eq!(
        exec(&built(Err(wrong))),
        "✗ exec: component: missing required export `run`"
    );
    let posix = scratch.dates("#+EXEC: posix\n#+CLI_BIN: ffmpeg\n");
    let exec = |on_path: Option<&str>| {
        let facts = Facts {
            posix: true,
            on_path: on_path.map(str::to_owned),
            ..facts()
        };
        lines(&posix, &facts)
            .into_iter()
            .find(|l| l.contains(" exec: "))
            .unwrap()
    };
    assert_eq!(exec(None), "✗ exec: posix: `ffmpeg` is not on the PATH");
    assert_eq!(
        exec(Some("/usr/bin/ffmpeg")),
        "✓ exec: posix: `ffmpeg` is /usr/bin/ffmpeg"
    );
}

#[test]
fn recipes_parse_and_use_only_what_the_shell_carries() {
    let scratch = Scratch::new();
    scratch.write("dates/manifest.org", format!("{PLAIN}#+EXEC: task\n{NODE}"));
    scratch.write("dates/skills/overview.org", OVERVIEW);
    scratch.write(
        "dates/skills/work.org",
        "* Count days\n#+begin_src sh :role task\nsort \"$1\" | wc -l\n#+end_src\n\
         * Bad\n#+begin_src sh :role task :name torn\necho\nif true\n#+end_src\n\
         #+begin_src sh :role task :name far\ncurl x | tr a b\n#+end_src\n\
         #+begin_src python :role task :name snake\n1\n#+end_src\n\
         #+begin_src sh :role task :name count-days\necho\n#+end_src\n#+begin_src sh\nnot a task\n#+end_src\n",
    );
    let shown: Vec<String> = lines(&scratch.open("dates"), &facts())
        .into_iter()
        .filter(|l| l.contains("exec: ") || l.contains("task: "))
        .collect();
    assert_eq!(
        shown,
        [
            "✓ exec: task: 5 recipes",
            "✗ task: skills/work.org:8: syntax error: end of file unexpected",
            "✗ task: skills/work.org:10: `far` names `curl`, which the shell does not carry",
            "✗ task: skills/work.org:13: `python` is not run by the shell",
            "✗ task: skills/work.org:16: a second task is called `count-days`",
        ]
    );
}

#[test]
fn capabilities_need_one_profile_that_grants_them_all() {
    for (caps, expected) in [
        ("vfs", "✓ caps: vfs granted by compute, minimal, network, posix"),
        ("vfs net", "✓ caps: vfs net granted by network, posix"),
        ("posix", "✓ caps: posix granted by posix"),
        ("frames", "✗ caps: `frames` is granted by no profile"),
    ] {
        assert_eq!(about(&format!("#+CAPS: {caps}\n"), "caps"), [expected]);
    }
    let scratch = Scratch::new();
    let mut facts = facts();
    facts.profiles.pop();
    facts.profiles.push(toolkit::Profile {
        name: "odd".into(),
        capabilities: vec!["posix".into()],
    });
    let found = lines(&scratch.dates("#+CAPS: vfs posix\n"), &facts);
    assert!(
        found.contains(&"✗ caps: no one profile grants all of vfs posix".to_owned()),
        "{found:?}"
    );
}
