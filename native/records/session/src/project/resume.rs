//! Finding a session again when the chat is gone: tiers of exact matches, never a score.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::limits;
use crate::text::{TRUNCATED, truncate};
use crate::{NodeId, SessionId};

/// What is known of the session that is looked for. All of it may be absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Query {
    /// Any of the following, in one text.
    pub text: Option<String>,
    /// The commit.
    pub git_head_sha: Option<String>,
    /// The branch, or its beginning.
    pub git_branch: Option<String>,
    /// The workflow.
    pub workflow_id: Option<String>,
}

/// A session that can be gone on with, as the ranking sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject<'e> {
    /// The session.
    pub session: SessionId,
    /// Its preferred tip.
    pub tip: NodeId,
    /// The tip's last activity.
    pub last_activity: u64,
    /// The commit that was last seen.
    pub head_sha: Option<&'e str>,
    /// The branch that was last seen.
    pub branch: Option<&'e str>,
    /// The latest notes on the way to the tip.
    pub notes: Option<&'e str>,
    /// The notes of checkpoints on that way, also of those that the run did not go on from.
    pub checkpoints: &'e [String],
    /// The workflow's id and name.
    pub workflow: &'e str,
    /// The session's title and goal.
    pub about: [&'e str; 2],
}

/// Why a session is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhyMatched {
    /// The commit is the same.
    MatchedHeadSha,
    /// The branch is the same, or begins so.
    MatchedBranch,
    /// Every word is in the notes.
    MatchedNotes,
    /// Every word is in the workflow's id or name.
    MatchedWorkflowId,
    /// Nothing matched; it was active late.
    RecencyFallback,
}

/// A session that is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The session.
    pub session: SessionId,
    /// Its preferred tip.
    pub tip: NodeId,
    /// Why it is offered.
    pub why_matched: Vec<WhyMatched>,
    /// The beginning of its notes.
    pub snippet: Option<String>,
}

/// The best candidates, the best first: by tier, then by activity, then by name.
pub fn rank(query: &Query, subjects: &[Subject<'_>]) -> Vec<Candidate> {
    let mut best = order(query, subjects);
    best.truncate(limits::CANDIDATES);
    best
}

/// Every candidate, the best first.
pub fn order(query: &Query, subjects: &[Subject<'_>]) -> Vec<Candidate> {
    let query = Asked::of(query);
    let mut ranked: Vec<(&Subject<'_>, Vec<WhyMatched>)> = subjects
        .iter()
        .map(|subject| (subject, query.matches(subject)))
        .collect();
    ranked.sort_by_cached_key(|(subject, why)| {
        (
            why[0],
            std::cmp::Reverse(subject.last_activity),
            subject.session.to_string(),
        )
    });
    let candidate = |(subject, why_matched): (&Subject<'_>, _)| Candidate {
        session: subject.session,
        tip: subject.tip,
        why_matched,
        snippet: subject.notes.map(|notes| truncate(notes, limits::SNIPPET)),
    };
    ranked.into_iter().map(candidate).collect()
}

/// A query with its words found once.
struct Asked<'q> {
    head_sha: Vec<&'q str>,
    branch: Vec<&'q str>,
    text: BTreeSet<String>,
    workflow: Vec<BTreeSet<String>>,
}

impl<'q> Asked<'q> {
    fn of(query: &'q Query) -> Self {
        let asked = |field: &'q Option<String>| -> Vec<&'q str> {
            [field, &query.text]
                .into_iter()
                .flatten()
                .map(String::as_str)
                .filter(|text| !text.is_empty())
                .collect()
        };
        Asked {
            head_sha: asked(&query.git_head_sha),
            branch: asked(&query.git_branch),
            text: query.text.as_deref().map(words).unwrap_or_default(),
            workflow: asked(&query.workflow_id).into_iter().map(words).collect(),
        }
    }

    /// Every tier that matches, the best first; never empty.
    fn matches(&self, subject: &Subject<'_>) -> Vec<WhyMatched> {
        let mut why = Vec::new();
        if subject.head_sha.is_some_and(|sha| self.head_sha.contains(&sha)) {
            why.push(WhyMatched::MatchedHeadSha);
        }
        if subject
            .branch
            .is_some_and(|branch| self.branch.iter().any(|asked| branch.starts_with(asked)))
        {
            why.push(WhyMatched::MatchedBranch);
        }
        let texts = subject
            .notes
            .into_iter()
            .chain(subject.checkpoints.iter().map(String::as_str));
        if has_words(texts.chain(subject.about), &self.text) {
            why.push(WhyMatched::MatchedNotes);
        }
        if self.workflow.iter().any(|asked| has_words([subject.workflow], asked)) {
            why.push(WhyMatched::MatchedWorkflowId);
        }
        if why.is_empty() {
            why.push(WhyMatched::RecencyFallback);
        }
        why
    }
}

/// Whether every wanted word is a word of these texts.
fn has_words<'t>(texts: impl IntoIterator<Item = &'t str>, wanted: &BTreeSet<String>) -> bool {
    let mut left: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
    if left.is_empty() {
        return false;
    }
    for text in texts {
        let text = normal(text);
        for word in split(&text) {
            left.remove(word);
        }
        if left.is_empty() {
            return true;
        }
    }
    false
}

/// NFKC, lower case, `[a-z0-9_-]+`.
fn words(text: &str) -> BTreeSet<String> {
    split(&normal(text)).map(str::to_owned).collect()
}

fn normal(text: &str) -> String {
    let text = text.strip_suffix(TRUNCATED).unwrap_or(text);
    // Most notes are plain, and ten thousand of them are looked through at once.
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkc().collect::<String>().to_lowercase()
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    let word = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_' | '-');
    text.split(move |c| !word(c)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAS: [&str; 9] = ["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"];

    fn subject<'e>(n: u8, branch: &'e str, notes: &'e str, activity: u64) -> Subject<'e> {
        Subject {
            session: SessionId::from_bytes([n; 16]),
            tip: NodeId::from_bytes([n; 16]),
            last_activity: activity,
            head_sha: Some(SHAS[usize::from(n)]),
            branch: Some(branch),
            notes: Some(notes),
            checkpoints: &[],
            workflow: "wb bug_investigation Bug investigation",
            about: ["", ""],
        }
    }

    fn order(query: Query, subjects: &[Subject<'_>]) -> Vec<(u8, WhyMatched)> {
        rank(&query, subjects)
            .iter()
            .map(|c| (c.session.bytes()[0], c.why_matched[0]))
            .collect()
    }

    #[test]
    fn tiers_come_before_activity() {
        let subjects = [
            subject(1, "main", "nothing", 900),
            subject(2, "fix/login", "nothing", 5),
            subject(3, "main", "the LOGIN page \u{ff46}ix", 10),
            subject(4, "main", "nothing", 20),
        ];
        let sha = Query {
            git_head_sha: Some(SHAS[4].into()),
            ..Query::default()
        };
        assert_eq!(order(sha, &subjects)[0], (4, WhyMatched::MatchedHeadSha));
        let branch = Query {
            text: Some("fix".into()),
            ..Query::default()
        };
        assert_eq!(
            order(branch, &subjects)[..2],
            [(2, WhyMatched::MatchedBranch), (3, WhyMatched::MatchedNotes)]
        );
        let workflow = Query {
            workflow_id: Some("wb.bug_investigation".into()),
            ..Query::default()
        };
        assert_eq!(order(workflow, &subjects)[0], (1, WhyMatched::MatchedWorkflowId));
        assert_eq!(
            order(Query::default(), &subjects),
            [
                (1, WhyMatched::RecencyFallback),
                (4, WhyMatched::RecencyFallback),
                (3, WhyMatched::RecencyFallback),
                (2, WhyMatched::RecencyFallback),
            ]
        );
    }

    #[test]
    fn every_word_must_be_there_as_a_word() {
        let subjects = [subject(1, "b", "fixed the log-in page", 1)];
        for (text, want) in [
            ("page fixed", WhyMatched::MatchedNotes),
            ("log-in", WhyMatched::MatchedNotes),
            ("log", WhyMatched::RecencyFallback),
            ("page missing", WhyMatched::RecencyFallback),
            ("!!", WhyMatched::RecencyFallback),
        ] {
            let query = Query {
                text: Some(text.into()),
                ..Query::default()
            };
            assert_eq!(order(query, &subjects)[0].1, want, "{text}");
        }
    }

    #[test]
    fn the_notes_of_a_checkpoint_count_also_when_the_run_went_on_without_it() {
        let checkpoints = ["the answer is in the attic".to_owned()];
        let subjects = [Subject {
            checkpoints: &checkpoints,
            ..subject(1, "b", "something else", 1)
        }];
        let query = Query {
            text: Some("attic".into()),
            ..Query::default()
        };
        assert_eq!(order(query, &subjects)[0].1, WhyMatched::MatchedNotes);
    }

    #[test]
    fn five_are_offered_and_their_snippets_are_short() {
        let long = "x".repeat(4000);
        let subjects: Vec<Subject<'_>> = (1..9).map(|n| subject(n, "b", &long, 1)).collect();
        let found = rank(&Query::default(), &subjects);
        assert_eq!(found.len(), 5);
        assert!(found.iter().all(|c| {
            c.snippet
                .as_ref()
                .is_some_and(|s| s.len() == 2048 && s.ends_with(TRUNCATED))
        }));
        // Equal activity: by name, as text.
        let mut names: Vec<String> = subjects.iter().map(|s| s.session.to_string()).collect();
        names.sort();
        assert!(
            found
                .iter()
                .map(|c| c.session.to_string())
                .eq(names.into_iter().take(5))
        );
    }
}
