//! What a person says on standard input about tasks that wait: `done ID [words]`, `fail ID [words]`, or a report as JSON.

use crate::engine::{Report, Reports};
use serde_json::{Value, json};
use std::{
    io::{self, BufRead, Write},
    thread,
};

/// How to report, for whoever looks at the screen.
pub const HOW: &str = "report on standard input: `done ID [words]` or `fail ID [words]`; its end ends the run";

/// Hands on what is said on standard input about the tasks of a run, and that it ended. A line that is no report is refused
/// on standard error.
pub fn hand_on(hear: Reports, run: String) {
    thread::spawn(move || {
        let mut reports = 0;
        for (line, number) in io::stdin().lock().lines().map_while(Result::ok).zip(1..) {
            match read(&line) {
                Ok(None) => {}
                Ok(Some(mut report)) => {
                    reports += 1;
                    report["run"] = json!(run);
                    let report = Report::Task {
                        line: number,
                        params: report,
                    };
                    if !hear(report) {
                        return;
                    }
                }
                Err(why) => refused(Some(number), &why),
            }
        }
        hear(Report::Over(json!({"run": run, "reports": reports})));
    });
}

/// Says that a report was refused. It goes to standard error, so that it is seen in every mode.
pub fn refused(line: Option<u64>, why: &str) {
    let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
    let _ = writeln!(io::stderr().lock(), "refused: {line}{why}");
}

/// A line as the engine takes it; `None` for one that says nothing.
fn read(line: &str) -> Result<Option<Value>, String> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(None);
    }
    let report = if line.starts_with('{') {
        as_json(line)
    } else {
        as_words(line)
    };
    report.map(Some)
}

fn as_json(line: &str) -> Result<Value, String> {
    let report: Value = serde_json::from_str(line).map_err(|e| format!("`{line}` is not JSON: {e}"))?;
    match (
        report["task"].is_string(),
        report["ok"].is_string() != report["error"].is_string(),
    ) {
        (true, true) => Ok(report),
        _ => Err(format!("`{line}` has no `task` with an `ok` or an `error`")),
    }
}

fn as_words(line: &str) -> Result<Value, String> {
    let mut words = line.splitn(3, char::is_whitespace);
    let key = match words.next() {
        Some("done") => "ok",
        Some("fail") => "error",
        _ => {
            return Err(format!(
                "`{line}` is no report; say `done ID [words]` or `fail ID [words]`"
            ));
        }
    };
    let rest = line.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
    let (task, words) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match task {
        "" => Err(format!("`{line}` names no task")),
        task => Ok(json!({"task": task, key: words.trim()})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_a_word_a_task_and_what_there_is_to_say() {
        for (line, expected) in [
            ("done a", json!({"ok": "", "task": "a"})),
            (" done  a  three pages ", json!({"ok": "three pages", "task": "a"})),
            ("fail a no \"time\"", json!({"error": "no \"time\"", "task": "a"})),
            (r#"{"task":"a","ok":"x"}"#, json!({"task": "a", "ok": "x"})),
        ] {
            assert_eq!(read(line), Ok(Some(expected)), "{line:?}");
        }
        assert_eq!(read("  "), Ok(None));
        for line in [
            "done",
            "fail ",
            "what is this",
            "{\"task\":1}",
            "{\"task\":\"a\"}",
            "{",
            r#"{"task":"a","ok":1}"#,
        ] {
            let why = read(line).unwrap_err();
            assert!(why.contains(line.trim()), "{why}");
        }
    }
}
