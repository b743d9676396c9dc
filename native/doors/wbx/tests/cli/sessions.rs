//! `wbx session`, as an agent uses it.

#[path = "../../../../records/session-store/tests/agent/mod.rs"]
mod agent;

use crate::{
    program::{Ended, Folder, run},
    runs::engine_home,
};
use serde_json::{Value, json};
use session::workflow::{BUNDLED, Compiled, Library, Source, SourceKind, compile};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn command(folder: &Folder, args: &[&str]) -> Command {
    let mut command = folder.wbx(args);
    command
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .env("WORKBOOKS_HOME", engine_home());
    command
}

fn data(ended: &Ended) -> Value {
    serde_json::from_str(ended.stdout.trim_end()).unwrap_or_else(|_| panic!("{ended:?}"))
}

fn ask(folder: &Folder, args: &[&str]) -> Value {
    data(&run(&mut command(folder, args)))
}

fn token(answer: &Value) -> &str {
    answer["token"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

/// About what a language model's tokeniser makes of a text, on the high side: the start of wb.research is 143 tokens in cl100k
/// and in o200k, and more than that here. Words count six letters to a token, and what is mixed as in an id two.
fn tokens(text: &str) -> usize {
    let mut count = 0;
    for word in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let letters = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let mixed = letters.len() > 20 || letters.bytes().any(|b| b.is_ascii_digit());
        count += match (letters.len(), mixed) {
            (0, _) => 0,
            (n, true) => n.div_ceil(2) + 1,
            (n, false) => n.div_ceil(6),
        };
        let rest = &word[letters.len()..];
        count += usize::from(!rest.is_empty() && rest != " ");
    }
    count
}

/// Drives a workflow to its end as an agent does: it reads an answer and sends what that asks for. Gives every answer.
fn converse(folder: &Folder, workflow: &Compiled, args: &[&str]) -> Vec<String> {
    let context = Value::Object(agent::context(workflow)).to_string();
    let mut start = vec!["session", "start", &workflow.workflow_id, "--context", &context];
    start.extend(args);
    let mut said = vec![run(&mut command(folder, &start)).stdout];
    let mut prompt = String::new();
    loop {
        let answer: Value = serde_json::from_str(said.last().unwrap())
            .unwrap_or_else(|e| panic!("{} {e}: {said:?}", workflow.workflow_id));
        let Some(step) = answer["pending"]["stepId"].as_str() else {
            assert_eq!(answer["status"], "complete", "{}: {answer}", workflow.workflow_id);
            return said;
        };
        assert!(answer["blockers"].is_null(), "{}: {answer}", workflow.workflow_id);
        assert!(said.len() < 300, "{}", workflow.workflow_id);
        prompt.clear();
        prompt.push_str(answer["pending"]["prompt"].as_str().unwrap());
        let output = agent::output_of(workflow, step, &prompt);
        // Joined, because notes may begin with a dash.
        let notes = format!("--notes={}", output.notes.unwrap_or_default());
        let artifacts = json!(output.artifacts).to_string();
        let changes = Value::Object(agent::endings(workflow)).to_string();
        satisfy(folder.path(), workflow, step);
        let call = [
            "session",
            "continue",
            token(&answer),
            &notes,
            "--artifact",
            &artifacts,
            "--context",
            &changes,
        ];
        said.push(run(&mut command(folder, &call)).stdout);
    }
}

/// Does the work that the check of a bundled workflow looks for.
fn satisfy(work: &Path, workflow: &Compiled, step: &str) {
    let write = |name: &str, text: &str| {
        let path = work.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    // sha256 of "original".
    let digest = "0682c5f2076f099c34cfdd15a9e063849ed437a49677e6fcc5b4198c76575be5  original.csv\n";
    match (workflow.workflow_id.as_str(), step) {
        ("wb.bug_investigation", "reproduce") => write("repro.log", "expected: 1\nactual: 2\n"),
        ("wb.code_review", "publish") => write("review.md", "Verdict: reject\n- src/a.rs:12 lost error\n"),
        ("wb.data_cleanup", "backup") => {
            write("original.csv", "original");
            write("original.sha256", digest);
        }
        ("wb.data_cleanup", "report") => write("cleanup.md", "rows before: 5\nrows kept: 4\nrows set aside: 1\n"),
        ("wb.decision_record", "record") => {
            write(
                "decision.md",
                "## Question\n## Options\n### A\n### B\n## Decision\n## Review\n",
            );
        }
        ("wb.dependency_upgrade", "merge") => write("upgrade.md", "- serde 1.0 -> 1.1: passed\n"),
        ("wb.documentation", "finish") => write("docs/a.md", "# A\n"),
        ("wb.incident_response", "review") => write(
            "postmortem.md",
            "## Impact\n## Timeline\n- 10:00 a\n- 10:05 b\n- 11:30 c\n## Cause\n## Actions\n",
        ),
        ("wb.refactoring", "safety") => write("behaviour.before", "ok 1\n"),
        ("wb.refactoring", "compare") => write("behaviour.after", "ok 1\n"),
        ("wb.release_checklist", "notes") => write("CHANGES", "1.2.0\n- everything is faster\n"),
        ("wb.research", "write") => write(
            "report.md",
            "## Answer\n## Evidence\nhttps://a.example/1 and https://b.example/2\n## Unknown\n",
        ),
        _ => {}
    }
}

fn bundled() -> Vec<Compiled> {
    let compiled = |text: &str| compile(&Source::read(text).unwrap(), SourceKind::Bundled, &Library::default());
    BUNDLED.iter().map(|(_, text)| compiled(text).unwrap().0).collect()
}

#[test]
fn the_ten_bundled_workflows_complete_from_the_command_line_and_their_checks_ask_for_the_work() {
    for workflow in bundled() {
        let folder = Folder::with(&[]);
        let said = converse(&folder, &workflow, &[]);
        assert!(said.len() > 5, "{}", workflow.workflow_id);
        // A fresh directory proves nothing: each check is refused there.
        let bare = Folder::with(&[]);
        for step in workflow.preview(&Default::default()) {
            let Some(check) = step.check else { continue };
            let plan = format!("#+WORKFLOW: project.x 1.0.0\n* TODO A\n#+begin_src sh :check\n{check}\n#+end_src\n");
            fs::write(bare.path().join("flow.org"), plan).unwrap();
            let started = ask(&bare, &["session", "start", "flow.org"]);
            let refused = ask(&bare, &["session", "continue", token(&started)]);
            assert_eq!(
                refused["status"], "blocked",
                "{} {}",
                workflow.workflow_id, step.step_id
            );
        }
    }
}

#[test]
fn an_agent_can_afford_the_answers() {
    let mut starts = Vec::new();
    let mut conversation = 0;
    for (n, workflow) in bundled().iter().enumerate() {
        let folder = Folder::with(&[]);
        let said = converse(&folder, workflow, &[]);
        starts.push(tokens(&said[0]));
        if n < 3 {
            conversation += said.iter().map(|answer| tokens(answer)).sum::<usize>();
        }
    }
    starts.sort_unstable();
    println!("starts {starts:?}, three conversations {conversation}");
    assert!(starts[starts.len() / 2] <= 250, "a typical start: {starts:?}");
    assert!(
        conversation <= 9_000,
        "three workflows from start to end: {conversation}"
    );
}

/// Point `SESSION_TEST_WORKFLOWS` at a directory of workflows: all of them load as a library, and complete.
#[test]
fn the_workflows_of_a_library_load_and_complete_from_the_command_line() {
    let Some(dir) = std::env::var_os("SESSION_TEST_WORKFLOWS").map(PathBuf::from) else {
        println!("skipped: SESSION_TEST_WORKFLOWS names no directory");
        return;
    };
    let mut open = vec![dir.clone()];
    let mut sources = BTreeMap::new();
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ext| ext == "json") {
                let source = Source::read(&fs::read_to_string(&path).unwrap()).unwrap();
                sources.insert(source.id().to_owned(), source);
            }
        }
    }
    let mut library = Library::default();
    sources.values().for_each(|source| library.add(source));
    let text = dir.to_str().unwrap();
    let folder = Folder::with(&[]);
    let listed = ask(&folder, &["session", "workflows", "--library", text]);
    let mut answers = 0;
    for (id, source) in &sources {
        let row = listed["workflows"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["id"] == **id);
        assert!(row.is_some_and(|row| row["error"].is_null()), "{id}: {row:?}");
        let workflow = compile(source, SourceKind::Bundled, &library).unwrap().0;
        answers += converse(&folder, &workflow, &["--library", text]).len();
    }
    println!("{} workflows, {answers} answers", sources.len());
    assert!(!sources.is_empty());
}

const PAGE: &str = "#+WORKFLOW: project.page 1.0.0\n* TODO Fetch\n:done-when: test -s page.html\n* TODO Judge\n";

#[test]
fn evidence_is_bound_to_the_directory_of_the_start() {
    let folder = Folder::with(&[("flow.org", PAGE), ("fake/page.html", "planted"), ("work/x", "")]);
    let started = ask(&folder, &["session", "start", "flow.org", "--workdir", "work"]);
    // Another directory cannot be named, and standing in one changes nothing.
    let named = run(&mut command(
        &folder,
        &["session", "continue", token(&started), "--workdir", "fake"],
    ));
    assert_eq!(named.exit, 2, "{named:?}");
    let mut elsewhere = command(&folder, &["session", "continue", token(&started)]);
    let refused = run(elsewhere.current_dir(folder.path().join("fake")));
    assert_eq!(refused.exit, 5, "{refused:?}");
    let refused = data(&refused);
    assert_eq!(refused["cut"], json!(["pending.prompt", "required"]));
    fs::write(folder.path().join("work/page.html"), "<p>").unwrap();
    let next = ask(&folder, &["session", "continue", token(&refused)]);
    assert_eq!(next["pending"]["stepId"], "judge");
    let seen = ask(&folder, &["session", "inspect", token(&next)]);
    let verdicts = &seen["nodes"][0]["verdicts"];
    assert_eq!(
        (&verdicts[0]["status"], &verdicts[1]["status"]),
        (&json!("failed"), &json!("passed"))
    );
    assert_eq!(verdicts[1]["workdir"], seen["charter"]["workdir"]);
}

#[test]
fn status_shows_what_a_session_proved() {
    let folder = Folder::with(&[("flow.org", PAGE), ("page.html", "<p>")]);
    let started = ask(&folder, &["session", "start", "flow.org", "--write-plan"]);
    ask(&folder, &["session", "continue", token(&started)]);
    assert!(
        fs::read_to_string(folder.path().join("flow.org"))
            .unwrap()
            .contains("* DONE Fetch")
    );
    let status = ask(&folder, &["status", "flow.org"]);
    assert_eq!(
        (&status["unproven"], &status["tasks"][0]["state"]),
        (&json!(0), &json!("DONE"))
    );
    let run_id = status["tasks"][0]["verdict"]["run_id"].as_str().unwrap();
    assert!(run_id.starts_with(started["sessionId"].as_str().unwrap()));
    let sound = run(&mut command(&folder, &["ledger", "verify", "flow.org"]));
    assert_eq!(sound.exit, 0, "{sound:?}");
    let again = ask(&folder, &["session", "start", "flow.org"]);
    assert_eq!(again["pending"]["stepId"], "judge");
}

#[test]
fn a_caller_cannot_claim_a_bundled_id() {
    let claimed = "#+WORKFLOW: wb.research 1.0.0\n* TODO Nothing\n";
    let folder = Folder::with(&[
        ("mine.org", claimed),
        (
            "wr.json",
            r#"{"id": "wr.mine", "name": "", "description": "", "version": "1", "steps": [{"id": "a", "title": "a"}]}"#,
        ),
    ]);
    for file in ["mine.org", "wr.json"] {
        let refused = run(&mut command(&folder, &["session", "start", file]));
        assert_eq!(refused.exit, 2, "{refused:?}");
    }
}
