//! Reading the check of a task.

use shell::Dialect;

/// The longest check, in bytes: the shell takes no longer script.
const LONGEST: usize = 256 << 10;

/// The languages that the shell runs.
const SHELLS: [&str; 3] = ["sh", "shell", "bash"];

/// What a task says about its check.
#[derive(Debug, Clone, Copy, Default)]
pub struct Task<'a> {
    /// The command of `:done-when:`.
    pub done_when: Option<&'a str>,
    /// Language and text of the first source block with `:check`.
    pub check: Option<(&'a str, &'a str)>,
    /// What is wrong with the check in the plan, as two `:done-when:` lines are.
    pub check_error: Option<&'a str>,
}

impl<'a> From<&'a oql::Task> for Task<'a> {
    fn from(task: &'a oql::Task) -> Task<'a> {
        Task {
            done_when: task.done_when.as_deref(),
            check: task.check.as_ref().map(|check| (&*check.lang, &*check.body)),
            check_error: task.check_error.as_deref(),
        }
    }
}

/// What decides whether a task is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// A script for the shell.
    Fit {
        /// The script.
        script: String,
        /// Its language: bash for a block that says so, and sh for everything else.
        dialect: Dialect,
        /// What is asked, in words that change when the check does.
        how: String,
    },
    /// A check that cannot be passed.
    Unfit {
        /// Why.
        reason: String,
    },
}

impl Check {
    /// The check of a task: its `:done-when:` command; else the first source block of its body that carries `:check`; else
    /// none, and the worker's own word stands.
    ///
    /// ```
    /// use acceptance::{Check, Task};
    /// let command = Task { done_when: Some("test -s a.html"), ..Task::default() };
    /// assert_eq!(Check::of(command).unwrap().how(), Some("done-when: test -s a.html"));
    ///
    /// let foreign = Task { check: Some(("python", "exit(0)")), ..Task::default() };
    /// let reason = "the check is written in `python`, which the shell does not run".to_owned();
    /// assert_eq!(Check::of(foreign), Some(Check::Unfit { reason }));
    ///
    /// assert_eq!(Check::of(Task::default()), None);
    /// ```
    pub fn of<'a>(task: impl Into<Task<'a>>) -> Option<Check> {
        let task = task.into();
        let read = match (task.check_error, task.done_when, task.check) {
            (Some(wrong), _, _) => Err(wrong.to_owned()),
            (None, Some(command), _) => {
                fit(command, "`:done-when:`").map(|script| (script, Dialect::Sh, "done-when: ", command))
            }
            (None, None, Some(("", _))) => Err("the check block names no language".to_owned()),
            (None, None, Some((lang, _))) if !SHELLS.contains(&lang) => Err(format!(
                "the check is written in `{lang}`, which the shell does not run"
            )),
            (None, None, Some((lang, body))) => fit(body, "the check block").map(|script| {
                let dialect = Dialect::named(lang).unwrap_or_default();
                let kind = match dialect {
                    Dialect::Sh => "check: ",
                    Dialect::Bash => "check in bash: ",
                };
                (script, dialect, kind, body.trim())
            }),
            (None, None, None) => return None,
        };
        Some(match read {
            Ok((script, dialect, kind, text)) => Check::Fit {
                script,
                dialect,
                how: format!("{kind}{text}"),
            },
            Err(reason) => Check::Unfit { reason },
        })
    }

    /// How the record of a pass names this check; an unfit one has no such record.
    pub fn how(&self) -> Option<&str> {
        match self {
            Check::Fit { how, .. } => Some(how),
            Check::Unfit { .. } => None,
        }
    }
}

/// The script, if it can confirm anything.
fn fit(script: &str, what: &str) -> Result<String, String> {
    if script.len() > LONGEST {
        return Err(format!("{what} is longer than {LONGEST} bytes"));
    }
    if script.contains('\0') {
        // The shell would pass over it and run another text than a reader sees.
        return Err(format!("{what} has a NUL byte in it"));
    }
    // Only a newline ends a comment. What else is nothing but comments is found when it runs no command.
    let mut lines = script.split('\n').map(str::trim);
    match lines.all(|line| line.is_empty() || line.starts_with('#')) {
        true => Err(format!("{what} is empty")),
        false => Ok(script.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(task: Task) -> String {
        match Check::of(task) {
            Some(Check::Unfit { reason }) => reason,
            other => panic!("{task:?} gives {other:?}"),
        }
    }

    #[test]
    fn a_command_comes_before_a_block() {
        let task = Task {
            done_when: Some("test -s a"),
            check: Some(("sh", "false")),
            check_error: None,
        };
        assert_eq!(Check::of(task).unwrap().how(), Some("done-when: test -s a"));
    }

    #[test]
    fn a_block_in_bash_is_another_check_than_the_same_text_in_sh() {
        let block = |lang| Task {
            check: Some((lang, "true")),
            ..Task::default()
        };
        let read = |lang| match Check::of(block(lang)) {
            Some(Check::Fit { dialect, how, .. }) => (dialect, how),
            other => panic!("{other:?}"),
        };
        assert_eq!(read("sh"), (Dialect::Sh, "check: true".to_owned()));
        assert_eq!(read("shell"), (Dialect::Sh, "check: true".to_owned()));
        assert_eq!(read("bash"), (Dialect::Bash, "check in bash: true".to_owned()));
    }

    #[test]
    fn what_confirms_nothing_is_unfit() {
        for command in ["", " ", "# only a comment", "\n # one\n#two\n", "#\rtrue", "\r"] {
            let task = Task {
                done_when: Some(command),
                check: Some(("sh", "true")),
                ..Task::default()
            };
            assert_eq!(reason(task), "`:done-when:` is empty", "{command:?}");
        }
        let block = |lang, body| Task {
            check: Some((lang, body)),
            ..Task::default()
        };
        assert_eq!(reason(block("sh", "# no\n")), "the check block is empty");
        assert_eq!(reason(block("", "true")), "the check block names no language");
        assert_eq!(reason(block("sh", "tr\0ue")), "the check block has a NUL byte in it");
    }

    #[test]
    fn a_check_that_is_wrong_in_the_plan_cannot_pass() {
        let task = Task {
            done_when: Some("true"),
            check: None,
            check_error: Some("line 3: a second `:done-when:`"),
        };
        assert_eq!(reason(task), "line 3: a second `:done-when:`");
    }

    #[test]
    fn a_row_of_a_plan_is_read_as_it_is() {
        let rows = oql::tasks("* TODO A\n#+begin_src sh :check\n grep -q b f\n#+end_src\n").unwrap();
        assert_eq!(Check::of(&rows[0]).unwrap().how(), Some("check: grep -q b f"));
    }

    #[test]
    fn a_command_that_the_plan_says_twice_cannot_pass() {
        let rows = oql::tasks("* TODO A\n:done-when: true\n:done-when: false\n").unwrap();
        let reason = reason(Task::from(&rows[0]));
        assert_eq!(Some(reason), rows[0].check_error);
        let rows = oql::tasks("* TODO A\n:done-when: true\n:done-when+: && false\n").unwrap();
        assert_eq!(Check::of(&rows[0]).unwrap().how(), Some("done-when: true && false"));
    }
}
