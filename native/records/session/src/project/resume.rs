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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The session.
    pub session: SessionId,
    /// Its preferred tip.
    pub tip: NodeId,
    /// The tip's last activity.
    pub last_activity: u64,
    /// The commit that was last seen.
    pub head_sha: Option<String>,
    /// The branch that was last seen.
    pub branch: Option<String>,
    /// The latest notes on the way to the tip.
    pub notes: Option<String>,
    /// The workflow's id and name.
    pub workflow: String,
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
pub fn rank(query: &Query, subjects: &[Subject]) -> Vec<Candidate> {
    let mut ranked: Vec<(WhyMatched, &Subject, Vec<WhyMatched>)> = subjects
        .iter()
        .map(|subject| {
            let why = matches(query, subject);
            (why[0], subject, why)
        })
        .collect();
    ranked.sort_by(|(a, x, _), (b, y, _)| {
        (a, std::cmp::Reverse(x.last_activity), x.session.to_string()).cmp(&(
            b,
            std::cmp::Reverse(y.last_activity),
            y.session.to_string(),
        ))
    });
    ranked.truncate(limits::CANDIDATES);
    let candidate = |(_, subject, why_matched): (_, &Subject, _)| Candidate {
        session: subject.session,
        tip: subject.tip,
        why_matched,
        snippet: subject.notes.as_deref().map(|notes| truncate(notes, limits::SNIPPET)),
    };
    ranked.into_iter().map(candidate).collect()
}

/// Every tier that matches, the best first; never empty.
fn matches(query: &Query, subject: &Subject) -> Vec<WhyMatched> {
    let asked = |field: &Option<String>| -> Vec<String> {
        [field, &query.text]
            .into_iter()
            .flatten()
            .filter(|t| !t.is_empty())
            .cloned()
            .collect()
    };
    let mut why = Vec::new();
    if subject
        .head_sha
        .as_ref()
        .is_some_and(|sha| asked(&query.git_head_sha).contains(sha))
    {
        why.push(WhyMatched::MatchedHeadSha);
    }
    if subject
        .branch
        .as_ref()
        .is_some_and(|branch| asked(&query.git_branch).iter().any(|b| branch.starts_with(b.as_str())))
    {
        why.push(WhyMatched::MatchedBranch);
    }
    let has_words = |text: &str, wanted: &str| {
        let (found, wanted) = (words(text), words(wanted));
        !wanted.is_empty() && wanted.is_subset(&found)
    };
    if let (Some(notes), Some(text)) = (&subject.notes, &query.text)
        && has_words(notes, text)
    {
        why.push(WhyMatched::MatchedNotes);
    }
    if asked(&query.workflow_id)
        .iter()
        .any(|text| has_words(&subject.workflow, text))
    {
        why.push(WhyMatched::MatchedWorkflowId);
    }
    if why.is_empty() {
        why.push(WhyMatched::RecencyFallback);
    }
    why
}

/// NFKC, lower case, `[a-z0-9_-]+`.
fn words(text: &str) -> BTreeSet<String> {
    let text = text.strip_suffix(TRUNCATED).unwrap_or(text);
    let text = text.nfkc().collect::<String>().to_lowercase();
    let word = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_' | '-');
    text.split(|c| !word(c))
        .filter(|w| !w.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(n: u8, branch: &str, notes: &str, activity: u64) -> Subject {
        Subject {
            session: SessionId::from_bytes([n; 16]),
            tip: NodeId::from_bytes([n; 16]),
            last_activity: activity,
            head_sha: Some(format!("{n:040x}")),
            branch: Some(branch.into()),
            notes: Some(notes.into()),
            workflow: "wb.bug_investigation Bug investigation".into(),
        }
    }

    fn order(query: Query, subjects: &[Subject]) -> Vec<(u8, WhyMatched)> {
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
            git_head_sha: Some(format!("{:040x}", 4)),
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
    fn five_are_offered_and_their_snippets_are_short() {
        let subjects: Vec<Subject> = (1..9).map(|n| subject(n, "b", &"x".repeat(4000), 1)).collect();
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
