//! What a plan is held against: what was sealed, and what is known since.

use crate::{Amendment, Change, Headline, Outline};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// The plan as it was promised: every task as it was when it was last sealed or accepted.
///
/// It is made from a run's log: [`Baseline::restore`] what was sealed, then each [`Baseline::verdict`] and
/// [`Baseline::accept`] in the order of the lines.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    outline: Outline,
    /// Tasks that are kept as they were, because their amendments are not accepted.
    carried: HashSet<String>,
}

/// What a run writes into its log before it begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    /// The plan as it is.
    pub headlines: Vec<Headline>,
    /// Amended tasks, as they were before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carried: Vec<Headline>,
}

impl Baseline {
    /// The baseline that a sealed outline stands for.
    pub fn restore(sealed: Sealed) -> Baseline {
        let mut outline = Outline::new(sealed.headlines);
        let carried = sealed.carried.iter().map(|h| h.id.clone()).collect();
        sealed.carried.into_iter().for_each(|h| outline.put(h));
        Baseline { outline, carried }
    }

    /// Holds a plan against it.
    pub fn compare(&self, now: &Outline) -> Vec<Amendment> {
        let held = self.held();
        let headlines = self.outline.headlines().iter();
        headlines
            .filter(|was| held.contains(was.id.as_str()))
            .filter_map(|was| self.amended(was, now))
            .collect()
    }

    /// Makes a plan the baseline, but keeps every amended task as it was. Gives what to write into the log.
    pub fn seal(&mut self, mut now: Outline) -> Sealed {
        let amendments = self.compare(&now);
        // A task whose DONE is only claimed stays to be earned if it was: the claim proves nothing.
        let open: HashMap<&str, bool> = self
            .outline
            .headlines()
            .iter()
            .map(|h| (h.id.as_str(), h.open))
            .collect();
        let ids: Vec<String> = now.headlines().iter().map(|h| h.id.clone()).collect();
        for id in ids {
            if let Some(headline) = now.get_mut(&id)
                && open.get(id.as_str()) == Some(&true)
                && headline.keyword.is_some()
                && !headline.cancelled
            {
                headline.open = true;
            }
        }
        let sealed = Sealed {
            headlines: now.headlines().to_vec(),
            carried: amendments.into_iter().map(|amendment| amendment.was).collect(),
        };
        *self = Baseline::restore(sealed.clone());
        sealed
    }

    /// A run gave a verdict on a task. While the task is amended it says nothing about what was promised.
    pub fn verdict(&mut self, id: &str, state: &str) {
        if !self.carried.contains(id)
            && let Some(headline) = self.outline.get_mut(id)
        {
            headline.open = state != "DONE";
        }
    }

    /// A person accepted an amendment: the task is as it is now.
    pub fn accept(&mut self, id: &str, now: Option<Headline>) {
        self.carried.remove(id);
        match now {
            Some(now) => self.outline.put(now),
            None => self.outline.remove(id),
        }
    }

    /// The tasks that are still to be earned, and everything above them: moving what stands above moves them.
    fn held(&self) -> HashSet<&str> {
        let mut held = HashSet::new();
        for headline in self.outline.headlines().iter().filter(|h| h.open) {
            if held.insert(headline.id.as_str()) {
                for above in self.outline.above(&headline.id) {
                    // Whatever is above this one is held already.
                    if !held.insert(above.id.as_str()) {
                        break;
                    }
                }
            }
        }
        held
    }

    fn amended(&self, was: &Headline, now: &Outline) -> Option<Amendment> {
        let found = now.get(&was.id);
        let changes = match (was.open, found) {
            (true, None) => vec![Change::Gone],
            (true, Some(found)) => changes(was, found),
            // Not to be earned itself: only its place counts. If it is gone, those below it stand elsewhere.
            (false, Some(found)) if found.parent != was.parent => vec![Change::Moved],
            (false, _) => Vec::new(),
        };
        (!changes.is_empty()).then(|| Amendment::new(was, found, changes, self.above(was, now)))
    }

    fn above(&self, was: &Headline, now: &Outline) -> Vec<String> {
        let mut above: Vec<String> = Vec::new();
        for headline in self.outline.above(&was.id).chain(now.above(&was.id)) {
            if !above.contains(&headline.id) {
                above.push(headline.id.clone());
            }
        }
        above
    }
}

fn changes(was: &Headline, now: &Headline) -> Vec<Change> {
    let other_check = match (&was.check, &now.check) {
        // Structure has no check; that it lost its keyword says it all.
        _ if now.keyword.is_none() => false,
        (Some(was), Some(now)) => was.sha256 != now.sha256,
        (Some(_), None) => true,
        // A check where the worker's word stood asks for more, not for less.
        (None, _) => false,
    };
    [
        (was.keyword.is_some() && now.keyword.is_none(), Change::Keyword),
        (now.cancelled && !was.cancelled, Change::Cancelled),
        (was.title != now.title, Change::Title),
        (was.parent != now.parent, Change::Moved),
        (other_check, Change::Check),
    ]
    .into_iter()
    .filter_map(|(changed, change)| changed.then_some(change))
    .collect()
}
