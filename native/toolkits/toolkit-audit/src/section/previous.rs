//! The plan as it stands: what was ticked, what state the tasks are in, and what others wrote between the lines.

use super::lines::Line;
use super::plan::{file, is_task, own, step};
use std::collections::HashMap;

/// The plan of the audit before.
#[derive(Debug, Default)]
pub(super) struct Previous<'a> {
    pub headline: Option<&'a str>,
    /// Somebody's lines around the words that introduce the plan.
    pub kept: Kept<'a>,
    pub tasks: Vec<Task<'a>>,
    /// Where the task about a file is.
    by_file: HashMap<&'a str, usize>,
}

/// One of its tasks.
#[derive(Debug)]
pub(super) struct Task<'a> {
    pub headline: &'a str,
    /// The steps with their marks.
    pub steps: Vec<(&'a str, &'a str)>,
    pub kept: Kept<'a>,
}

/// Somebody's lines: before the first of ours, and the others.
#[derive(Debug, Default)]
pub(super) struct Kept<'a> {
    pub before: Vec<&'a str>,
    pub after: Vec<&'a str>,
}

impl Previous<'_> {
    /// The task about a file, by the name that a headline shows.
    pub fn task(&self, shown: &str) -> Option<&Task<'_>> {
        self.by_file.get(shown).map(|at| &self.tasks[*at])
    }
}

impl Task<'_> {
    pub fn mark(&self, words: &str) -> Option<&str> {
        let found = self.steps.iter().find(|(_, step)| *step == words);
        found.map(|(mark, _)| *mark)
    }
}

/// Reads the lines of the plan, the headline first.
pub(super) fn read<'a>(lines: &[Line<'a>]) -> Previous<'a> {
    let Some((headline, below)) = lines.split_first() else {
        return Previous::default();
    };
    let own = own(below);
    let starts: Vec<usize> = (0..below.len()).filter(|at| is_task(below[*at].text)).collect();
    let first = starts.first().copied().unwrap_or(below.len());
    let ends = starts.iter().skip(1).copied().chain([below.len()]);
    let tasks: Vec<Task<'a>> = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| Task {
            headline: below[*start].text,
            steps: (start + 1..end)
                .filter(|at| own[*at])
                .filter_map(|at| step(below[at].text))
                .collect(),
            kept: kept(&below[start + 1..end], &own[start + 1..end]),
        })
        .collect();
    let mut by_file = HashMap::new();
    for (at, task) in tasks.iter().enumerate() {
        file(task.headline).into_iter().for_each(|file| {
            by_file.entry(file).or_insert(at);
        });
    }
    Previous {
        headline: Some(headline.text),
        kept: kept(&below[..first], &own[..first]),
        tasks,
        by_file,
    }
}

fn kept<'a>(lines: &[Line<'a>], own: &[bool]) -> Kept<'a> {
    let first = own.iter().position(|own| *own).unwrap_or(0);
    let mut kept = Kept::default();
    for (at, line) in lines.iter().enumerate().filter(|(at, _)| !own[*at]) {
        if at < first { &mut kept.before } else { &mut kept.after }.push(line.text);
    }
    kept
}
