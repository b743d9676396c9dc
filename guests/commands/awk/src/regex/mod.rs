//! Extended regular expressions of POSIX: of all matches the leftmost, and of those the longest.

mod automaton;
mod byte_set;
mod cache;
mod parse;

pub use cache::Cache;

use automaton::Automaton;
use byte_set::ByteSet;
use memchr::memmem::Finder;
use parse::{Dialect, Tree};
use std::cell::OnceCell;

/// Where a match begins and ends, in bytes.
pub type Span = (usize, usize);

/// A compiled expression.
#[derive(Debug)]
pub struct Regex {
    plan: Plan,
    /// Whether a byte that is no UTF-8 makes a difference to it.
    wants_utf8: bool,
    source: Vec<u8>,
    /// For subjects that are not UTF-8; made when the first one comes.
    bytewise: OnceCell<Option<Box<Automaton>>>,
    groups: OnceCell<Option<Box<Automaton>>>,
}

/// The quickest way to find a match.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "there are few expressions, and each is used often"
)]
enum Plan {
    /// A string.
    Literal(Finder<'static>),
    /// A string at the beginning.
    Prefix(Vec<u8>),
    /// One character of a set, or as many of them as there are.
    Set(ByteSet),
    Automaton(Box<Automaton>),
}

impl Regex {
    /// Compiles an expression.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn new(source: &[u8]) -> Result<Regex, String> {
        let tree = parse::parse(source, Dialect::Utf8)?;
        let plan = match Regex::shortcut(&tree) {
            Some(plan) => plan,
            None => Plan::Automaton(Box::new(Automaton::new(&tree)?)),
        };
        Ok(Regex {
            wants_utf8: tree.wants_utf8 && matches!(plan, Plan::Automaton(_)),
            plan,
            source: source.to_vec(),
            bytewise: OnceCell::new(),
            groups: OnceCell::new(),
        })
    }

    fn shortcut(tree: &Tree) -> Option<Plan> {
        if let Some(literal) = tree.literal() {
            return Some(Plan::Literal(Finder::new(&literal).into_owned()));
        }
        if let Some(prefix) = tree.prefix() {
            return Some(Plan::Prefix(prefix));
        }
        ByteSet::of(&tree.hir).map(Plan::Set)
    }

    /// The automaton that fits the subject.
    fn automaton<'a>(&'a self, usual: &'a Automaton, subject: &[u8]) -> &'a Automaton {
        if !self.wants_utf8 || std::str::from_utf8(subject).is_ok() {
            return usual;
        }
        let bytewise = self.bytewise.get_or_init(|| {
            let tree = parse::parse(&self.source, Dialect::Bytes).ok()?;
            Automaton::new(&tree).ok().map(Box::new)
        });
        bytewise.as_deref().unwrap_or(usual)
    }

    /// Whether it matches anywhere.
    #[inline]
    pub fn is_match(&self, subject: &[u8]) -> bool {
        match &self.plan {
            Plan::Literal(finder) => finder.find(subject).is_some(),
            Plan::Prefix(prefix) => subject.starts_with(prefix),
            Plan::Set(set) => set.find(subject, 0).is_some(),
            Plan::Automaton(usual) => self.automaton(usual, subject).is_match(subject),
        }
    }

    /// The leftmost longest match that begins at `from` or later.
    #[inline]
    pub fn find(&self, subject: &[u8], from: usize) -> Option<Span> {
        match &self.plan {
            Plan::Literal(finder) => {
                let at = from + finder.find(&subject[from..])?;
                Some((at, at + finder.needle().len()))
            }
            Plan::Prefix(prefix) => (from == 0 && subject.starts_with(prefix)).then_some((0, prefix.len())),
            Plan::Set(set) => set.find(subject, from),
            Plan::Automaton(usual) => self.automaton(usual, subject).find(subject, from),
        }
    }

    /// What the groups took of a match that [`Regex::find`] found, the whole of it first.
    pub fn groups(&self, subject: &[u8], found: Span) -> Vec<Option<Span>> {
        let groups = self.groups.get_or_init(|| {
            let tree = parse::parse(&self.source, Dialect::Bytes).ok()?;
            Automaton::whole(&tree).ok().map(Box::new)
        });
        match groups {
            Some(automaton) => automaton.groups(subject, found),
            None => vec![Some(found)],
        }
    }
}

#[cfg(test)]
mod tests;
