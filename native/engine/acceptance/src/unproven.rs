//! A DONE in a plan, held against the last verdict on the task.

use crate::check::Check;

/// The last verdict on a task, as the history has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Last<'a> {
    /// `DONE`, `FAILED` or `PARTIAL`.
    pub state: &'a str,
    /// How it was earned.
    pub how: Option<&'a str>,
}

/// Why nobody can say that a DONE was earned, or `None` if somebody saw it.
///
/// ```
/// use acceptance::{Check, Last, Task, unproven};
/// let check = Check::of(Task { done_when: Some("true"), ..Task::default() });
/// let earned = Last { state: "DONE", how: Some("done-when: true") };
/// assert_eq!(unproven(Some(earned), check.as_ref()), None);
/// assert_eq!(unproven(None, check.as_ref()).unwrap(), "no run recorded it");
/// ```
pub fn unproven(last: Option<Last>, check: Option<&Check>) -> Option<String> {
    if let Some(Check::Unfit { reason }) = check {
        return Some(format!("its check cannot be passed: {reason}"));
    }
    match (last, check.and_then(Check::how)) {
        (None, _) => Some("no run recorded it".to_owned()),
        (Some(last), _) if last.state != "DONE" => Some(format!("the last verdict is {}", last.state)),
        (Some(_), None) => None,
        (Some(last), Some(how)) if last.how == Some(how) => None,
        (Some(_), Some(_)) => Some("it was earned by another check".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_needs_the_record_of_its_own_check() {
        let block = "#+begin_src sh :check\n grep -q b f\n#+end_src\n";
        let foreign = "#+begin_src python :check\nexit(0)\n#+end_src\n";
        let empty = "its check cannot be passed: `:done-when:` is empty";
        let python = "its check cannot be passed: the check is written in `python`, which the shell does not run";
        let other = "it was earned by another check";
        for (body, last, expected) in [
            ("", None, Some("no run recorded it")),
            ("", Some(("DONE", "worker")), None),
            ("", Some(("FAILED", "worker")), Some("the last verdict is FAILED")),
            (":done-when: true\n", Some(("DONE", "done-when: true")), None),
            (":done-when: true\n", Some(("DONE", "worker")), Some(other)),
            (":done-when: true\n", None, Some("no run recorded it")),
            (":done-when:\n", Some(("DONE", "done-when: ")), Some(empty)),
            (":done-when: # no\n", None, Some(empty)),
            (block, Some(("DONE", "check: grep -q b f")), None),
            (foreign, Some(("DONE", "check: exit(0)")), Some(python)),
        ] {
            let task = oql::tasks(&format!("* DONE A\n{body}")).unwrap().remove(0);
            let last = last.map(|(state, how)| Last { state, how: Some(how) });
            let found = unproven(last, Check::of(&task).as_ref());
            assert_eq!(found.as_deref(), expected, "{body:?} {last:?}");
        }
    }
}
