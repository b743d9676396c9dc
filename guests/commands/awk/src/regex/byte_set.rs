//! `[,;]`, `[ \t]+`: one character of a set, or a run of them, found by a table.

use regex_syntax::hir::{Class, Hir, HirKind};

/// A set of characters in which those beyond ASCII are either all or none.
#[derive(Debug)]
pub struct ByteSet {
    has: [bool; 256],
    run: bool,
}

impl ByteSet {
    /// The set that an expression is, if it is one.
    pub fn of(hir: &Hir) -> Option<ByteSet> {
        match hir.kind() {
            HirKind::Class(class) => Some(ByteSet {
                has: table(class)?,
                run: false,
            }),
            HirKind::Repetition(repeated) if repeated.min == 1 && repeated.max.is_none() => match repeated.sub.kind() {
                HirKind::Class(class) => Some(ByteSet {
                    has: table(class)?,
                    run: true,
                }),
                HirKind::Literal(literal) if literal.0.len() == 1 => {
                    let mut has = [false; 256];
                    has[usize::from(literal.0[0])] = true;
                    Some(ByteSet { has, run: true })
                }
                _ => None,
            },
            _ => None,
        }
    }

    #[inline]
    fn has(&self, byte: u8) -> bool {
        self.has[usize::from(byte)]
    }

    /// The first match at `from` or later.
    #[inline]
    pub fn find(&self, subject: &[u8], from: usize) -> Option<(usize, usize)> {
        let start = from + subject[from..].iter().position(|&byte| self.has(byte))?;
        let rest = &subject[start..];
        let length = match self.run {
            true => rest.iter().position(|&byte| !self.has(byte)).unwrap_or(rest.len()),
            false => crate::utf8::width(rest),
        };
        Some((start, start + length))
    }
}

fn table(class: &Class) -> Option<[bool; 256]> {
    let mut has = [false; 256];
    let Class::Unicode(class) = class else { return None };
    for range in class.ranges() {
        let (start, end) = (u32::from(range.start()), u32::from(range.end()));
        match (start, end) {
            (0..=0x7f, 0..=0x7f) => has[start as usize..=end as usize].fill(true),
            // Up to the last character there is.
            (0..=0x80, 0x10ffff) => has[start as usize..].fill(true),
            _ => return None,
        }
    }
    Some(has)
}
