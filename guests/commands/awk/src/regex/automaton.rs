//! Expressions that need an automaton.
//!
//! The engines of regex-automata prefer the alternative that is written first, POSIX the longest match. Both agree on where
//! the leftmost match begins. So one automaton finds the beginning, and another one, that follows every alternative at
//! once, goes from there as far as it can.

use super::Span;
use super::parse::Tree;
use regex_automata::hybrid::dfa::{Cache as LazyCache, DFA};
use regex_automata::meta;
use regex_automata::nfa::thompson::{self, pikevm::PikeVM};
use regex_automata::{Anchored, Input, MatchKind};
use std::cell::RefCell;

/// The most memory that the states of one expression may take: `(a{500}){500}` is refused.
const MOST_STATES: usize = 4 << 20;
/// What the states of a lazy automaton may take before it begins anew.
const CACHE: usize = 1 << 20;

pub struct Automaton {
    kind: Kind,
}

#[allow(clippy::large_enum_variant, reason = "an automaton is boxed as a whole")]
enum Kind {
    Search {
        first: meta::Regex,
        cache: RefCell<meta::Cache>,
        /// Absent when the first match found is the longest anyway.
        longest: Option<Longest>,
    },
    /// Knows what the groups took of a match whose ends are known.
    Groups(PikeVM),
}

struct Longest {
    dfa: DFA,
    cache: RefCell<LazyCache>,
}

impl std::fmt::Debug for Automaton {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Automaton")
    }
}

fn states() -> thompson::Config {
    thompson::Config::new().utf8(false).nfa_size_limit(Some(MOST_STATES))
}

impl Automaton {
    pub fn new(tree: &Tree) -> Result<Automaton, String> {
        let config = meta::Config::new()
            .utf8_empty(false)
            .nfa_size_limit(Some(MOST_STATES))
            .hybrid_cache_capacity(CACHE)
            .dfa(false)
            .onepass(false);
        let first = meta::Builder::new()
            .configure(config)
            .build_from_hir(&tree.hir)
            .map_err(|_| too_big())?;
        let longest = match tree.greedy_is_longest() {
            true => None,
            false => Some(Longest::new(tree)?),
        };
        let cache = RefCell::new(first.create_cache());
        Ok(Automaton {
            kind: Kind::Search { first, cache, longest },
        })
    }

    /// For [`Automaton::groups`].
    pub fn whole(tree: &Tree) -> Result<Automaton, String> {
        let nfa = thompson::Compiler::new()
            .configure(states())
            .build_from_hir(&tree.to_the_end())
            .map_err(|_| too_big())?;
        let vm = PikeVM::new_from_nfa(nfa).map_err(|_| too_big())?;
        Ok(Automaton { kind: Kind::Groups(vm) })
    }

    #[inline]
    pub fn is_match(&self, subject: &[u8]) -> bool {
        match &self.kind {
            Kind::Search { first, cache, .. } => {
                let input = Input::new(subject).earliest(true);
                first.search_half_with(&mut cache.borrow_mut(), &input).is_some()
            }
            Kind::Groups(vm) => vm.is_match(&mut vm.create_cache(), subject),
        }
    }

    #[inline]
    pub fn find(&self, subject: &[u8], from: usize) -> Option<Span> {
        let Kind::Search { first, cache, longest } = &self.kind else {
            return None;
        };
        let input = Input::new(subject).range(from..);
        let found = first.search_with(&mut cache.borrow_mut(), &input)?;
        let end = longest
            .as_ref()
            .and_then(|longest| longest.end(subject, found.start()))
            .unwrap_or(found.end());
        Some((found.start(), end))
    }

    /// What the groups took; all of them may be longer than they would be by POSIX, never shorter than the match allows.
    pub fn groups(&self, subject: &[u8], found: Span) -> Vec<Option<Span>> {
        let Kind::Groups(vm) = &self.kind else {
            return vec![Some(found)];
        };
        let mut captures = vm.create_captures();
        let input = Input::new(&subject[..found.1]).range(found.0..).anchored(Anchored::Yes);
        vm.search(&mut vm.create_cache(), &input, &mut captures);
        let spans = (0..captures.group_len()).map(|group| captures.get_group(group).map(|span| (span.start, span.end)));
        let mut spans: Vec<_> = spans.collect();
        spans[0] = Some(found);
        spans
    }
}

impl Longest {
    fn new(tree: &Tree) -> Result<Longest, String> {
        let nfa = thompson::Compiler::new()
            .configure(states().which_captures(thompson::WhichCaptures::None))
            .build_from_hir(&tree.hir)
            .map_err(|_| too_big())?;
        let config = DFA::config()
            .match_kind(MatchKind::All)
            .cache_capacity(CACHE)
            .skip_cache_capacity_check(true);
        let dfa = DFA::builder()
            .configure(config)
            .build_from_nfa(nfa)
            .map_err(|_| too_big())?;
        let cache = RefCell::new(dfa.create_cache());
        Ok(Longest { dfa, cache })
    }

    fn end(&self, subject: &[u8], start: usize) -> Option<usize> {
        let input = Input::new(subject).range(start..).anchored(Anchored::Yes);
        let found = self.dfa.try_search_fwd(&mut self.cache.borrow_mut(), &input).ok()??;
        Some(found.offset())
    }
}

fn too_big() -> String {
    "regular expression too big".into()
}
