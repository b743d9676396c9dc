//! The table of cases in `guests/commands/cases`: `## name`, `$ script` lines, the stdout, `? status`.

mod workshop;

use std::fs;
use std::path::Path;

struct Case {
    name: String,
    script: String,
    stdout: String,
    status: u8,
}

fn cases(text: &str) -> Vec<Case> {
    let blocks = text.split("\n## ").map(|block| block.trim_start_matches("## "));
    blocks.filter(|block| !block.trim().is_empty()).map(case).collect()
}

fn case(block: &str) -> Case {
    let mut lines = block.lines();
    let mut case = Case {
        name: lines.next().unwrap_or_default().to_owned(),
        script: String::new(),
        stdout: String::new(),
        status: 0,
    };
    for line in lines {
        if let Some(status) = line.strip_prefix("? ") {
            case.status = status.trim().parse().expect("a status");
            break;
        }
        match line.strip_prefix("$ ") {
            Some(line) => case.script += &format!("{line}\n"),
            None => case.stdout += &format!("{line}\n"),
        }
    }
    case
}

#[test]
fn every_command_does_what_its_cases_say() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../guests/commands/cases");
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut ran, mut wrong) = (0, Vec::new());
    for file in &files {
        for case in cases(&fs::read_to_string(file).unwrap()) {
            let empty = tempfile::tempdir().unwrap();
            let got = workshop::sh(&case.script, empty.path());
            let stdout = String::from_utf8_lossy(&got.stdout);
            // The last line may lack its newline.
            if stdout.trim_end_matches('\n') != case.stdout.trim_end_matches('\n') || got.finished.status != case.status
            {
                wrong.push(format!(
                    "{}: {}\n$ {}wanted status {}:\n{}got status {}:\n{stdout}{}",
                    file.file_name().unwrap().display(),
                    case.name,
                    case.script,
                    case.status,
                    case.stdout,
                    got.finished.status,
                    String::from_utf8_lossy(&got.stderr),
                ));
            }
            ran += 1;
        }
    }
    assert!(wrong.is_empty(), "{} of {ran}:\n{}", wrong.len(), wrong.join("\n---\n"));
    assert!(ran > 500, "only {ran} cases");
}
