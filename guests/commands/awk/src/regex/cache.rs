//! Expressions that a program makes of strings, compiled once.

use super::Regex;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A program that makes more expressions than this makes new ones all the time.
const MOST: usize = 256;

/// Compiled expressions by what they were compiled from.
#[derive(Debug, Default)]
pub struct Cache {
    known: FxHashMap<Vec<u8>, Rc<Regex>>,
}

impl Cache {
    /// The expression, compiled now or before.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn get(&mut self, source: &[u8]) -> Result<Rc<Regex>, String> {
        if let Some(regex) = self.known.get(source) {
            return Ok(regex.clone());
        }
        let regex = Rc::new(Regex::new(source)?);
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(source.to_vec(), regex.clone());
        Ok(regex)
    }
}
