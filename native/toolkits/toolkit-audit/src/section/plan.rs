//! The fix-up plan: a task for each script that is not ready, a step for each recipe, and a check that believes only
//! the audit itself.

use super::lines::{Line, headline, level};
use super::previous::{Previous, Task};
use crate::{Class, Report, Script, name};
use std::fmt::Write as _;

const NOTHING_TO_FIX: &str = "nothing to fix — every script is sandbox-ready";
const DONE: [&str; 3] = ["DONE", "CANCELLED", "CANCELED"];

/// The plan. A toolkit without scripts has none.
pub(super) fn text(id: &str, report: &Report, previous: &Previous<'_>) -> String {
    if report.scripts.is_empty() {
        return String::new();
    }
    let open: Vec<&Script> = report
        .scripts
        .iter()
        .filter(|script| script.class != Class::Ready)
        .collect();
    if open.is_empty() {
        return format!(
            "** fix-up plan\n   {NOTHING_TO_FIX}\n   prove it: =wbx toolkit push {id} <dir>= · =wbx toolkit build {id}= · =wbx toolkit verify {id}=\n"
        );
    }
    let tasks: Vec<New> = open.iter().map(|script| New::of(script, previous)).collect();
    let mut text = head(previous, &tasks) + "\n";
    previous.kept.before.iter().for_each(|line| keep(&mut text, line));
    let _ = write!(
        text,
        "   The agent manual: work each item, check it off, then prove the whole
   toolkit — done when =wbx toolkit push {id} <dir>= · =wbx toolkit build {id}=
   · =wbx toolkit verify {id}= all pass. With an engine reachable,
   =wbx toolkit audit <dir> --fix= runs that push→build→verify for you.
   :done-when: audit scripts{} --expect ready
",
        if tasks.iter().any(|task| task.script.file.contains('/')) {
            " --deep"
        } else {
            ""
        },
    );
    previous.kept.after.iter().for_each(|line| keep(&mut text, line));
    tasks.iter().for_each(|task| task.put(&mut text));
    text
}

/// The plan's own headline. It stays as it is while its tasks do.
fn head(previous: &Previous<'_>, tasks: &[New<'_>]) -> String {
    let same =
        !tasks.is_empty() && tasks.len() == previous.tasks.len() && tasks.iter().all(|task| task.unchanged().is_some());
    match previous.headline {
        Some(line) if same => line.to_owned(),
        _ => {
            let done = tasks.iter().filter(|task| task.is_done()).count();
            format!("** TODO fix-up plan [{done}/{}]", tasks.len())
        }
    }
}

/// A task as it will be, next to what it was.
struct New<'a> {
    script: &'a Script,
    title: String,
    steps: Vec<String>,
    was: Option<&'a Task<'a>>,
}

impl<'a> New<'a> {
    fn of(script: &'a Script, previous: &'a Previous<'a>) -> Self {
        let file = name::shown(&script.file);
        let title = format!("{file} ({} — {})", script.class, script.interpreter);
        let mut steps: Vec<String> = Vec::new();
        let open = script.findings.iter().filter(|finding| finding.class != Class::Ready);
        for step in open.flat_map(|finding| &finding.steps) {
            if !steps.contains(step) {
                steps.push(step.clone());
            }
        }
        steps.push(format!("re-run =wbx toolkit audit= — {file} must classify ready"));
        New {
            script,
            title,
            steps,
            was: previous.task(&file),
        }
    }

    /// What it was, if it is still that.
    fn unchanged(&self) -> Option<&'a Task<'a>> {
        let steps = |task: &&Task<'_>| {
            task.steps
                .iter()
                .map(|(_, step)| *step)
                .eq(self.steps.iter().map(String::as_str))
        };
        self.was
            .filter(|task| headline(task.headline).1 == self.title)
            .filter(steps)
    }

    fn is_done(&self) -> bool {
        let keyword = self.unchanged().and_then(|task| headline(task.headline).0);
        keyword.is_some_and(|keyword| DONE.contains(&keyword))
    }

    fn put(&self, text: &mut String) {
        match self.unchanged() {
            Some(task) => keep(text, task.headline),
            None => keep(text, &format!("*** TODO {}", self.title)),
        }
        self.was
            .iter()
            .flat_map(|task| &task.kept.before)
            .for_each(|line| keep(text, line));
        for step in &self.steps {
            let mark = self.was.and_then(|task| task.mark(step)).unwrap_or(" ");
            let _ = writeln!(text, "    - [{mark}] {step}");
        }
        let path = name::quoted(&format!("scripts/{}", self.script.file));
        let _ = writeln!(text, "    {DONE_WHEN}{path} --expect ready");
        self.was
            .iter()
            .flat_map(|task| &task.kept.after)
            .for_each(|line| keep(text, line));
    }
}

/// How the check of a task begins.
const DONE_WHEN: &str = ":done-when: audit ";

fn keep(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Which of the lines below the plan's headline are the audit's: the first paragraph, and in each task the steps up to
/// its check.
pub(super) fn own(lines: &[Line<'_>]) -> Vec<bool> {
    let mut reading = Reading::Introduction;
    let own = lines.iter().map(|line| {
        let check = line.text.trim().starts_with(DONE_WHEN);
        let (own, next) = match reading {
            _ if is_task(line.text) => (true, Reading::Steps),
            _ if level(line.text).is_some() => (false, Reading::Others),
            Reading::Introduction | Reading::Steps if check => (true, Reading::Others),
            Reading::Introduction if is_property(line.text) => (false, Reading::Introduction),
            Reading::Introduction if line.text.starts_with("   ") => (true, Reading::Introduction),
            Reading::Steps => (step(line.text).is_some(), Reading::Steps),
            _ => (false, Reading::Others),
        };
        reading = next;
        own
    });
    own.collect()
}

/// What the lines are read as.
enum Reading {
    Introduction,
    Steps,
    /// Somebody's, up to the next task.
    Others,
}

fn is_property(line: &str) -> bool {
    line.trim_start().starts_with(':')
}

/// `*** TODO calc.py (blocked — python3)`.
pub(super) fn is_task(line: &str) -> bool {
    level(line) == Some(3) && file(line).is_some()
}

/// The file that a task is about.
pub(super) fn file(line: &str) -> Option<&str> {
    let title = headline(line).1.strip_suffix(')')?;
    let (file, rest) = title.rsplit_once(" (")?;
    let class = rest.split_once(" — ")?.0;
    class.parse::<Class>().is_ok().then_some(file)
}

/// `    - [x] ..`, with the mark and the words.
pub(super) fn step(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("    - [")?;
    let (mark, words) = rest.split_once("] ")?;
    [" ", "x", "X", "-"].contains(&mark).then_some((mark, words))
}
