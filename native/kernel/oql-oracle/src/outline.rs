//! The functions that read the same outline say the same about it.

use oql::{Facts, Level, wire};
use std::collections::BTreeSet;

/// Holds the answers of the reading functions against each other, and against their JSON.
pub(crate) fn answers_agree(org: &str) {
    if let (Ok(rows), Ok(tasks)) = (oql::parse_headlines(org), oql::tasks(org)) {
        let seen = |line: usize, level: usize, state: &Option<String>| (line, level, state.clone());
        assert!(
            rows.iter()
                .map(|row| seen(row.line, row.level, &row.state))
                .eq(tasks.iter().map(|task| seen(task.line, task.level, &task.state))),
            "headlines and tasks disagree",
        );
        let ids: BTreeSet<_> = tasks.iter().map(|task| &task.id).collect();
        assert_eq!(ids.len(), tasks.len(), "two tasks share an id");
    }
    if let (Ok(found), Ok(wider)) = (oql::validate(org), oql::lint(org, &Facts::default())) {
        assert!(found.iter().all(|one| one.level == Level::Error));
        assert!(
            found
                .iter()
                .map(|one| (&one.message, &one.scope))
                .eq(wider.iter().take(found.len()).map(|one| (&one.message, &one.scope))),
            "lint does not begin with what validate says",
        );
    }
    for (name, answer) in [
        ("parse-headlines", wire::parse_headlines(org)),
        ("lint", wire::lint(org, "{}")),
        ("tangle-plan", wire::tangle_plan(org)),
        ("validate", wire::validate(org)),
        ("tasks", wire::tasks(org)),
    ] {
        let (Ok(json) | Err(json)) = answer;
        let read: Result<serde_json::Value, _> = serde_json::from_str(&json);
        assert!(read.is_ok(), "{name} answers {json}");
    }
}
