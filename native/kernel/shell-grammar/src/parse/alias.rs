//! Aliases.

use super::command::is_reserved;
use super::token::Token;
use super::{Parsed, Parser};

impl Parser {
    /// Puts an alias's value in place of the word ahead, if it is an alias.
    pub(super) fn expand_alias(&mut self) -> Parsed<()> {
        if self.aliases.is_empty() {
            return Ok(());
        }
        loop {
            self.read_ahead()?;
            let Some(Token::Word(word)) = &self.ahead else {
                return Ok(());
            };
            let name = match word.literal() {
                Some(name) if !is_reserved(name, self.dialect) && !self.within.iter().any(|alias| alias == name) => {
                    name.to_vec()
                }
                _ => return Ok(()),
            };
            let Some(value) = self.aliases.get(&name).cloned() else {
                return Ok(());
            };
            self.ahead = None;
            self.input.after_blank = false;
            self.input.substitute(&name, &value)?;
        }
    }
}
