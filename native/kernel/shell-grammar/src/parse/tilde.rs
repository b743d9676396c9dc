//! Where a tilde stands for a home directory.

use crate::ast::{Bytes, Part, Word};

impl Word {
    /// A tilde at the beginning of a word.
    pub(super) fn find_tilde(&mut self) {
        self.tildes(false);
    }

    /// In an assignment, also behind each `:`.
    pub(super) fn find_assigned_tildes(&mut self) {
        self.tildes(true);
    }

    fn tildes(&mut self, assigned: bool) {
        let starts = |text: &Bytes| text.first() == Some(&b'~') || (assigned && text.windows(2).any(|w| w == b":~"));
        if !self
            .parts
            .iter()
            .any(|part| matches!(part, Part::Literal(text) if starts(text)))
        {
            return;
        }
        let parts = std::mem::take(&mut self.parts);
        let last = parts.len() - 1;
        for (index, part) in parts.into_iter().enumerate() {
            match part {
                Part::Literal(text) => self.split(text, index == 0, index == last, assigned),
                other => self.parts.push(other),
            }
        }
    }

    /// Splits unquoted text at its tildes. A tilde's name must be unquoted to its end.
    fn split(&mut self, text: Bytes, first: bool, last: bool, assigned: bool) {
        let mut plain = Bytes::new();
        let mut at = 0;
        while at < text.len() {
            let may_start = if at == 0 {
                first
            } else {
                assigned && text[at - 1] == b':'
            };
            let end = text[at..]
                .iter()
                .position(|byte| *byte == b'/' || (assigned && *byte == b':'))
                .map_or(text.len(), |length| at + length);
            let braces = text[at..end].contains(&b'{');
            if may_start && text[at] == b'~' && (end < text.len() || last) && !braces {
                if !plain.is_empty() {
                    self.parts.push(Part::Literal(std::mem::take(&mut plain)));
                }
                self.parts.push(Part::Tilde(text[at + 1..end].to_vec()));
                at = end;
            } else {
                plain.push(text[at]);
                at += 1;
            }
        }
        if !plain.is_empty() {
            self.parts.push(Part::Literal(plain));
        }
    }
}
