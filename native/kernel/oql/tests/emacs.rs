//! Emacs is the judge: what Org itself reads of a file, the kernel reads as well. Where Emacs is not installed this says
//! so and proves nothing.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Arguments that Emacs adds or reckons with.
const EMACS_ALONE: [&str; 6] = [
    "results",
    "exports",
    "result-params",
    "result-type",
    "colname-names",
    "rowname-names",
];

#[test]
fn org_reads_the_files_of_the_repository_as_emacs_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut files = Vec::new();
    for place in ["docs", "examples", "toolkits", "fuzz/seeds", "native"] {
        org_files(&root.join(place), &mut files);
    }
    assert!(files.len() > 20, "{files:?}");
    compare(&files);
}

#[test]
fn org_reads_what_people_write_as_emacs_does() {
    compare(&[Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emacs/people.org")]);
}

/// `WB_ORG_FILES=DIR cargo test --test emacs -- --ignored`: any other files.
#[test]
#[ignore = "needs WB_ORG_FILES, a directory"]
fn org_reads_a_directory_as_emacs_does() {
    let mut files = Vec::new();
    org_files(Path::new(&std::env::var("WB_ORG_FILES").unwrap()), &mut files);
    compare(&files);
}

fn org_files(dir: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let mut entries: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && !path.ends_with("target") {
            org_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "org") {
            found.push(path);
        }
    }
}

fn compare(files: &[PathBuf]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emacs/outline.el");
    let asked = Command::new("emacs")
        .args(["-Q", "--batch", "-l"])
        .arg(script)
        .args(files)
        .output();
    let Ok(answer) = asked else {
        eprintln!("skipped: emacs is not installed");
        return;
    };
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    let lines = String::from_utf8(answer.stdout).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), files.len());
    let mut differences = Vec::new();
    for (file, line) in files.iter().zip(lines) {
        let theirs: Value = serde_json::from_str(line).unwrap();
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        for (what, ours) in [("headlines", headlines(&text)), ("blocks", blocks(&text))] {
            let theirs = theirs[what].as_array().unwrap();
            let by_line = |all: &[Value]| {
                all.iter()
                    .map(|v| (v["line"].as_u64().unwrap(), tidy(v)))
                    .collect::<std::collections::BTreeMap<_, _>>()
            };
            let (ours, theirs) = (by_line(&ours), by_line(theirs));
            for line in ours
                .keys()
                .chain(theirs.keys())
                .collect::<std::collections::BTreeSet<_>>()
            {
                // A block that Emacs refuses to read at all says nothing.
                let refused = theirs.get(line).is_some_and(|t| t["refused"] == true);
                if ours.get(line) != theirs.get(line) && !refused {
                    let show = |v: Option<&Value>| v.map_or("nothing".to_owned(), Value::to_string);
                    differences.push(format!(
                        "{}:{line}: {what}\n  ours   {}\n  theirs {}",
                        file.display(),
                        show(ours.get(line)),
                        show(theirs.get(line))
                    ));
                }
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{}\n{} differences",
        differences.join("\n"),
        differences.len()
    );
}

fn headlines(text: &str) -> Vec<Value> {
    let rows = oql::parse_headlines(text).unwrap();
    let stamp = |s: Option<oql::Timestamp>| {
        s.map(|s| {
            // Emacs gives the repeater of a habit without its limit.
            let repeat = s.repeat.map(|r| r.split('/').next().unwrap_or_default().to_owned());
            json!({"at": s.at, "repeat": repeat, "active": s.active})
        })
    };
    rows.into_iter()
        .map(|r| {
            json!({
                "level": r.level, "title": r.title, "state": r.state, "tags": r.tags, "line": r.line, "props": r.props,
                "scheduled": stamp(r.scheduled), "deadline": stamp(r.deadline),
            })
        })
        .collect()
}

fn blocks(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for block in oql::blocks(text).unwrap() {
        let args: serde_json::Map<String, Value> = block.args.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
        let body = block.body.strip_suffix('\n').unwrap_or(&block.body);
        found.push(json!({"line": block.line, "lang": block.lang, "body": body, "args": args}));
    }
    found
}

/// What both may write in their own way.
fn tidy(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(args) = value.get_mut("args").and_then(Value::as_object_mut) {
        args.retain(|key, _| !EMACS_ALONE.contains(&key.as_str()));
        for arg in args.values_mut() {
            *arg = json!(arg.as_str().unwrap_or_default().trim_matches('"'));
        }
    }
    if let Some(props) = value.get_mut("props").and_then(Value::as_object_mut) {
        for prop in props.values_mut() {
            *prop = json!(prop.as_str().unwrap_or_default().trim());
        }
    }
    value
}
