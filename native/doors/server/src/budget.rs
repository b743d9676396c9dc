//! How much is under way at once, and whose it is.
//!
//! A token has at most `each` of `total`. The last quarter is kept for tokens that have nothing under way: however many
//! greedy ones there are, whoever comes with a first request finds a place.

use failure::Failure;
use operations::door::{OVERLOADED, TOO_MANY_REQUESTS};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// How much at once, together and for each token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    total: usize,
    each: usize,
}

impl Share {
    /// At most `total` together, and `each` for one token.
    pub const fn new(total: usize, each: usize) -> Share {
        Share { total, each }
    }

    pub(crate) const fn total(self) -> usize {
        self.total
    }
}

/// Counts what is under way.
pub(crate) struct Budget {
    share: Share,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    all: usize,
    by: HashMap<String, usize>,
}

/// A place among what is under way, until it is dropped.
pub(crate) struct Permit {
    budget: Arc<Budget>,
    who: String,
}

impl Budget {
    pub fn new(share: Share) -> Arc<Budget> {
        Arc::new(Budget {
            share,
            held: Mutex::default(),
        })
    }

    /// A place for this token.
    pub fn admit(self: &Arc<Self>, who: &str) -> Result<Permit, Failure> {
        let mut held = self.held.lock();
        let own = held.by.get(who).copied().unwrap_or(0);
        if own >= self.share.each {
            return Err(Failure::new(
                TOO_MANY_REQUESTS,
                format!("this token has {own} calls under way, which is as many as one may have"),
                "wait until some are answered",
            ));
        }
        let kept = if own == 0 { 0 } else { self.share.total / 4 };
        if held.all >= self.share.total - kept {
            return Err(Failure::new(
                OVERLOADED,
                "the engine has as much under way as it takes at once",
                "try again after the seconds that `retry-after` says",
            ));
        }
        held.all += 1;
        *held.by.entry(who.to_owned()).or_default() += 1;
        Ok(Permit {
            budget: self.clone(),
            who: who.to_owned(),
        })
    }

    #[cfg(test)]
    fn under_way(&self) -> usize {
        self.held.lock().all
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut held = self.budget.held.lock();
        held.all -= 1;
        if let Some(own) = held.by.get_mut(&self.who) {
            *own -= 1;
            if *own == 0 {
                held.by.remove(&self.who);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_token_has_its_share_and_no_more() {
        let budget = Budget::new(Share::new(8, 3));
        let held: Vec<_> = (0..3).map(|_| budget.admit("a").unwrap()).collect();
        assert_eq!(budget.admit("a").err().unwrap().code, TOO_MANY_REQUESTS);
        drop(held);
        assert_eq!(budget.under_way(), 0);
        assert!(budget.admit("a").is_ok());
    }

    #[test]
    fn greedy_tokens_leave_room_for_a_first_request() {
        let budget = Budget::new(Share::new(8, 4));
        let mut held: Vec<_> = (0..4).map(|_| budget.admit("a").unwrap()).collect();
        held.extend((0..2).map(|_| budget.admit("b").unwrap()));
        assert_eq!(budget.admit("b").err().unwrap().code, OVERLOADED);
        held.push(budget.admit("c").unwrap());
        held.push(budget.admit("d").unwrap());
        assert_eq!(budget.admit("e").err().unwrap().code, OVERLOADED);
        held.clear();
        assert_eq!(budget.under_way(), 0);
        assert!(budget.held.lock().by.is_empty());
    }
}
