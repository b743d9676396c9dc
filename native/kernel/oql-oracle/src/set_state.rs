//! `set_state` changes the keyword, the cookies above it, and not one other byte.

use oql::Task;

/// Tasks of one text that are tried; a text may have a hundred thousand.
const TRIED: usize = 8;

/// Sets tasks of a text to states it knows, and compares line by line.
pub(crate) fn changes_only_its_bytes(org: &str) {
    let Ok(tasks) = oql::tasks(org) else {
        return;
    };
    for (index, task) in tasks.iter().enumerate().take(TRIED) {
        for state in ["DONE", "FAILED", ""] {
            let new = oql::set_state(org, &task.id, state).expect("every plan knows the verdicts");
            assert_only_its_bytes(org, &new, &tasks, task, state);
            // With its keyword taken away a title may begin with another one, and be another title.
            if !state.is_empty() {
                let after = oql::tasks(&new).expect("the new text is a plan too");
                assert_eq!(after.len(), tasks.len(), "the outline changed");
                assert_eq!(after[index].state.as_deref(), Some(state));
                assert_eq!(
                    oql::set_state(&new, &task.id, state),
                    Ok(new),
                    "setting it twice is not setting it"
                );
            }
        }
    }
}

fn assert_only_its_bytes(old: &str, new: &str, tasks: &[Task], task: &Task, state: &str) {
    let above = lines_above(tasks, task);
    assert_eq!(
        old.matches('\n').count(),
        new.matches('\n').count(),
        "lines came or went"
    );
    for (number, (was, is)) in old.split('\n').zip(new.split('\n')).enumerate() {
        let number = number + 1;
        if number == task.line {
            assert_eq!(
                without_keyword(was, task.state.as_deref()),
                without_keyword(is, Some(state)),
                "line {number}"
            );
        } else if above.contains(&number) {
            assert_eq!(without_counts(was), without_counts(is), "line {number}");
        } else {
            assert_eq!(was, is, "line {number}");
        }
    }
}

fn lines_above(tasks: &[Task], task: &Task) -> Vec<usize> {
    let parent_of = |task: &Task| tasks.iter().find(|other| Some(&other.id) == task.parent.as_ref());
    std::iter::successors(parent_of(task), |above| parent_of(above))
        .map(|above| above.line)
        .collect()
}

/// The stars, and what follows the keyword.
fn without_keyword<'a>(line: &'a str, keyword: Option<&str>) -> (usize, &'a str) {
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    let title = line.trim_start_matches('*');
    let stars = line.len() - title.len();
    let title = title.trim_start_matches([' ', '\t']);
    let rest = title
        .strip_prefix(keyword.unwrap_or(""))
        .expect("the keyword comes first");
    (stars, rest.trim_start_matches([' ', '\t']))
}

/// The line with the digits of its cookies taken away.
fn without_counts(line: &str) -> String {
    let mut kept = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        kept.push_str(before);
        kept.push('[');
        let count = after
            .find(|c: char| !c.is_ascii_digit() && c != '/' && c != '%')
            .unwrap_or(after.len());
        let (cookie, tail) = after.split_at(count);
        let is_cookie = tail.starts_with(']') && cookie.contains(['/', '%']);
        kept.extend(cookie.chars().filter(|c| !is_cookie || !c.is_ascii_digit()));
        rest = tail;
    }
    kept + rest
}
