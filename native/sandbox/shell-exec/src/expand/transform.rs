//! `${x@Q}` and its kin.

use crate::ast::Bytes;
use crate::quote;
use crate::shell::{Shell, Trouble, lossy};
use crate::variables::{Shape, Variable};

impl Shell {
    /// One value, changed as the letter says.
    pub(super) fn transformed(&self, letter: u8, text: &[u8]) -> Result<Bytes, Trouble> {
        Ok(match letter {
            b'Q' | b'K' | b'k' => quote::for_bash(text),
            b'E' => crate::escape::ansi(text),
            b'U' => super::case::changed(text, b'u'),
            b'L' => super::case::changed(text, b'l'),
            b'u' => super::case::converted(text, b'^', false, None, &self.world.meter)?,
            letter => return Err(format!("@{}: not supported here", char::from(letter)).into()),
        })
    }

    /// The attributes of a variable.
    pub(super) fn attributes(&self, name: &[u8]) -> Bytes {
        self.variables
            .entry(name)
            .map(Variable::letters)
            .unwrap_or_default()
            .into()
    }

    /// A command that makes the variable what it is.
    pub(crate) fn declaration(&self, name: &[u8]) -> Option<Bytes> {
        let variable = self.variables.entry(name)?;
        let letters = variable.letters();
        let flags = if letters.is_empty() { "-".to_owned() } else { letters };
        let mut text = format!("declare -{flags} {}", lossy(name)).into_bytes();
        if variable.is_set() {
            text.push(b'=');
            text.extend(self.shown_value(name, variable));
        }
        Some(text)
    }

    /// The value behind `=` in a declaration.
    pub(crate) fn shown_value(&self, name: &[u8], variable: &Variable) -> Bytes {
        if variable.shape == Shape::Text {
            return quote::double(variable.value().unwrap_or_default());
        }
        let associative = variable.shape == Shape::Associative;
        let mut text = b"(".to_vec();
        for (at, (key, value)) in self.entries(name).into_iter().enumerate() {
            if at > 0 && !associative {
                text.push(b' ');
            }
            text.push(b'[');
            text.extend(if associative { quote::key(&key) } else { key });
            text.extend(b"]=");
            text.extend(quote::double(&value));
            if associative {
                text.push(b' ');
            }
        }
        text.push(b')');
        text
    }
}
