//! A DONE in a plan, held against the last verdict on the task.
//!
//! The same rule as `Workbooks.Run.audit/1`; a test asks both.

use history::TaskEvent;
use oql::Task;

/// Languages of a check that the shell runs.
const SHELLS: [&str; 3] = ["sh", "shell", "bash"];

/// Why nobody can say that this DONE was earned, or `None` if somebody saw it.
pub fn unproven(task: &Task, last: Option<&TaskEvent>) -> Option<String> {
    let check = match check(task) {
        Err(why) => return Some(format!("its check cannot be passed: {why}")),
        Ok(check) => check,
    };
    match (last, check) {
        (None, _) => Some("no run recorded it".to_owned()),
        (Some(last), _) if last.state != "DONE" => Some(format!("the last verdict is {}", last.state)),
        (Some(_), None) => None,
        (Some(last), Some(how)) if last.how.as_ref() == Some(&how) => None,
        (Some(_), Some(_)) => Some("it was earned by another check".to_owned()),
    }
}

/// How the record of a passed check names it.
fn check(task: &Task) -> Result<Option<String>, String> {
    match (&task.done_when, &task.check) {
        (Some(command), _) if empty(command) => Err("`:done-when:` is empty".to_owned()),
        (Some(command), _) => Ok(Some(format!("done-when: {command}"))),
        (None, Some(check)) if check.lang.is_empty() => Err("the check block names no language".to_owned()),
        (None, Some(check)) if !SHELLS.contains(&check.lang.as_str()) => {
            let lang = &check.lang;
            Err(format!(
                "the check is written in `{lang}`, which the shell does not run"
            ))
        }
        (None, Some(check)) if empty(&check.body) => Err("the check block is empty".to_owned()),
        (None, Some(check)) => Ok(Some(format!("check: {}", check.body.trim()))),
        (None, None) => Ok(None),
    }
}

/// Comments confirm nothing.
fn empty(script: &str) -> bool {
    let mut lines = script.split(['\n', '\r']).map(str::trim);
    lines.all(|line| line.is_empty() || line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(org: &str) -> Task {
        oql::tasks(org).unwrap().remove(0)
    }

    fn verdict(state: &str, how: &str) -> TaskEvent {
        TaskEvent {
            run_id: "r".to_owned(),
            task_id: "a".to_owned(),
            idx: Some(0),
            title: None,
            state: state.to_owned(),
            output: None,
            ts: 0,
            how: Some(how.to_owned()),
            reason: None,
        }
    }

    #[test]
    fn a_claim_needs_the_record_of_its_own_check() {
        let block = "#+begin_src sh :check\n grep -q b f\n#+end_src\n";
        let foreign = "#+begin_src python :check\nexit(0)\n#+end_src\n";
        for (body, last, expected) in [
            ("", None, Some("no run recorded it")),
            ("", Some(("DONE", "worker")), None),
            ("", Some(("FAILED", "worker")), Some("the last verdict is FAILED")),
            (":done-when: true\n", Some(("DONE", "done-when: true")), None),
            (
                ":done-when: true\n",
                Some(("DONE", "worker")),
                Some("it was earned by another check"),
            ),
            (":done-when: true\n", None, Some("no run recorded it")),
            (
                ":done-when:\n",
                Some(("DONE", "done-when: ")),
                Some("its check cannot be passed: `:done-when:` is empty"),
            ),
            (
                ":done-when: # no\n",
                None,
                Some("its check cannot be passed: `:done-when:` is empty"),
            ),
            (block, Some(("DONE", "check: grep -q b f")), None),
            (
                foreign,
                Some(("DONE", "check: exit(0)")),
                Some("its check cannot be passed: the check is written in `python`, which the shell does not run"),
            ),
        ] {
            let task = task(&format!("* DONE A\n{body}"));
            let last = last.map(|(state, how)| verdict(state, how));
            assert_eq!(unproven(&task, last.as_ref()).as_deref(), expected, "{body:?} {last:?}");
        }
    }
}
