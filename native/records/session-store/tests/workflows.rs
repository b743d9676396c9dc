//! The shipped workflows: both forms of each are one workflow, and each can be driven to its end.

mod agent;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use agent::{context, drive, open};
use session::StartRequest;
use session::project::RunStatus;
use session::workflow::{Compiled, Library, Source, SourceKind, compile};

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/workflows")
}

fn sources(dir: &Path, ext: &str) -> BTreeMap<String, Source> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == ext) {
                let source = Source::read(&fs::read_to_string(&path).unwrap());
                found.insert(
                    path.file_stem().unwrap().to_str().unwrap().to_owned(),
                    source.unwrap_or_else(|e| panic!("{path:?}: {e}")),
                );
            }
        }
    }
    found
}

fn compiled(source: &Source, library: &Library) -> Compiled {
    compile(source, SourceKind::Bundled, library)
        .unwrap_or_else(|e| panic!("{}: {e} {:?}", source.id(), e.step))
        .0
}

/// Starts a run of the workflow and drives it to its end.
fn run(workflow: &Compiled) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let request = StartRequest {
        context: context(workflow),
        ..StartRequest::new(workflow.clone())
    };
    let first = engine.start(&request).unwrap();
    let session = first.session_id;
    let done = drive(&engine, workflow, first);
    let seen = engine.inspect(session, None).unwrap();
    assert_eq!(
        seen.overview.status,
        Some(RunStatus::Complete),
        "{}",
        workflow.workflow_id
    );
    done
}

#[test]
fn ten_workflows_are_shipped_and_both_forms_of_each_have_one_hash() {
    let (org, json) = (sources(&shipped(), "org"), sources(&shipped(), "json"));
    assert_eq!(org.len(), 10);
    assert!(org.keys().eq(json.keys()));
    for (name, source) in &org {
        let (a, b) = (
            compiled(source, &Library::default()),
            compiled(&json[name], &Library::default()),
        );
        assert_eq!(a, b, "{name}");
        assert_eq!(a.hash(), b.hash(), "{name}");
        assert_eq!(a.workflow_id, format!("wb.{name}"));
        assert!(!a.contracts.is_empty(), "{name} has contracts");
        assert!(
            a.steps.iter().any(|s| matches!(s, session::workflow::Step::Loop(_))),
            "{name} has a loop"
        );
    }
}

#[test]
fn each_shipped_workflow_can_be_driven_to_its_end() {
    for (name, source) in sources(&shipped(), "org") {
        let workflow = compiled(&source, &Library::default());
        let done = run(&workflow);
        assert!(done.len() >= 5, "{name}: {done:?}");
    }
}

/// Point `SESSION_TEST_WORKFLOWS` at a directory of JSON workflows to try them: each must load and reach its end.
#[test]
fn the_workflows_of_a_directory_load_and_can_be_driven_to_their_end() {
    let Some(dir) = std::env::var_os("SESSION_TEST_WORKFLOWS") else {
        return;
    };
    let sources = sources(Path::new(&dir), "json");
    let mut library = Library::default();
    sources.values().for_each(|source| library.add(source));
    let mut steps = 0;
    for source in sources.values() {
        steps += run(&compiled(source, &library)).len();
    }
    println!("{} workflows, {steps} steps", sources.len());
    assert!(!sources.is_empty());
}
