//! Which rows a query selects.

use super::date::Moment;
use super::{Bound, Entry, Query};
use crate::answer::Row;
use crate::error::{Code, Error};
use std::collections::BTreeSet;

/// The most visits of rows and tags in one call.
const MAX_VISITS: u64 = 200_000_000;
/// The most work on regular expressions in one call, in steps of the pattern times bytes of the titles.
const MAX_MATCHING: u64 = 100_000_000;

pub(super) fn eval(
    query: &Query,
    rows: &[Row],
    parents: &[Option<usize>],
    done: &dyn Fn(&str) -> bool,
) -> Result<Vec<bool>, Error> {
    let plan = Plan { rows, parents, done };
    plan.afford(query)?;
    Ok(plan.decide(query))
}

struct Plan<'a> {
    rows: &'a [Row],
    parents: &'a [Option<usize>],
    done: &'a dyn Fn(&str) -> bool,
}

impl Plan<'_> {
    /// Refuses a query that would take too long.
    fn afford(&self, query: &Query) -> Result<(), Error> {
        let visits: u64 = self.rows.iter().map(|row| 1 + row.tags.len() as u64).sum();
        let titles: u64 = self.rows.iter().map(|row| 1 + row.title.len() as u64).sum();
        let (mut nodes, mut matching) = (0u64, 0u64);
        let mut open = vec![query];
        while let Some(query) = open.pop() {
            nodes += 1;
            match query {
                Query::All(inner) | Query::Any(inner) => open.extend(inner),
                Query::Not(inner) | Query::Ancestors(inner) | Query::Descendants(inner) => open.push(inner),
                Query::Planned { bounds, .. } => nodes += bounds.len() as u64,
                Query::Title(patterns) => {
                    let cost = patterns.iter().map(|pattern| pattern.cost(titles));
                    matching = cost.fold(matching, u64::saturating_add);
                }
                _ => {}
            }
        }
        if nodes.saturating_mul(visits) <= MAX_VISITS && matching <= MAX_MATCHING {
            return Ok(());
        }
        let message = format!("the query is too much work for {} headlines", self.rows.len());
        Err(Error::new(
            Code::TooComplex,
            message,
            "use fewer predicates or simpler regular expressions",
        ))
    }

    /// One answer for each row.
    fn decide(&self, query: &Query) -> Vec<bool> {
        match query {
            Query::Tags(tags) => {
                let tags: BTreeSet<&String> = tags.iter().collect();
                let named = |tag: &String| tags.is_empty() || tags.contains(tag);
                self.each(|row| row.tags.iter().any(named))
            }
            Query::Todo(names) if names.is_empty() => {
                self.each(|row| row.state.as_deref().is_some_and(|state| !(self.done)(state)))
            }
            Query::Todo(names) => {
                let names: BTreeSet<&String> = names.iter().collect();
                self.each(|row| row.state.as_ref().is_some_and(|state| names.contains(state)))
            }
            Query::Done => self.each(|row| row.state.as_deref().is_some_and(self.done)),
            Query::Level(levels) => {
                let levels: BTreeSet<usize> = levels.iter().copied().collect();
                self.each(|row| levels.contains(&row.level))
            }
            Query::Title(patterns) => self.each(|row| patterns.iter().any(|pattern| pattern.is_match(&row.title))),
            Query::Property { key, value } => self.each(|row| match (row.props.get(key), value) {
                (Some(found), Some(value)) => found == value,
                (found, _) => found.is_some(),
            }),
            Query::Planned { entry, bounds } => self.each(|row| planned(row, *entry, bounds)),
            Query::Ancestors(inner) => self.below(self.decide(inner)),
            Query::Descendants(inner) => self.above(self.decide(inner)),
            Query::All(inner) => self.fold(inner, true, |all, one| all && one),
            Query::Any(inner) => self.fold(inner, false, |any, one| any || one),
            Query::Not(inner) => {
                let mut answers = self.decide(inner);
                answers.iter_mut().for_each(|answer| *answer = !*answer);
                answers
            }
        }
    }

    fn each(&self, holds: impl FnMut(&Row) -> bool) -> Vec<bool> {
        self.rows.iter().map(holds).collect()
    }

    fn fold(&self, inner: &[Query], start: bool, join: impl Fn(bool, bool) -> bool) -> Vec<bool> {
        inner.iter().fold(vec![start; self.rows.len()], |mut answers, query| {
            for (answer, one) in answers.iter_mut().zip(self.decide(query)) {
                *answer = join(*answer, one);
            }
            answers
        })
    }

    /// The rows below one that holds. A parent stands before its children, so one pass is enough.
    fn below(&self, holds: Vec<bool>) -> Vec<bool> {
        let mut below = vec![false; holds.len()];
        for index in 0..holds.len() {
            if let Some(parent) = self.parent(index) {
                below[index] = holds[parent] || below[parent];
            }
        }
        below
    }

    /// The rows above one that holds.
    fn above(&self, holds: Vec<bool>) -> Vec<bool> {
        let mut above = vec![false; holds.len()];
        for index in (0..holds.len()).rev() {
            if let Some(parent) = self.parent(index) {
                above[parent] |= holds[index] || above[index];
            }
        }
        above
    }

    fn parent(&self, index: usize) -> Option<usize> {
        self.parents
            .get(index)
            .copied()
            .flatten()
            .filter(|&parent| parent < index)
    }
}

fn planned(row: &Row, entry: Entry, bounds: &[(Bound, Moment)]) -> bool {
    let timestamp = match entry {
        Entry::Scheduled => &row.scheduled,
        Entry::Deadline => &row.deadline,
    };
    let Some(timestamp) = timestamp else {
        return false;
    };
    let Some(at) = Moment::parse(&timestamp.at) else {
        // A day that does not exist is on no side of any other.
        return bounds.is_empty();
    };
    bounds.iter().all(|&(bound, date)| {
        let order = at.compare(date);
        match bound {
            Bound::Before => order.is_lt(),
            Bound::To => order.is_le(),
            Bound::On => order.is_eq(),
            Bound::From => order.is_ge(),
            Bound::After => order.is_gt(),
        }
    })
}
