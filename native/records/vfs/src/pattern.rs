//! `LIKE` and `GLOB`, interruptible.
//!
//! SQLite's own matcher takes time in proportion to text times pattern, and cannot be stopped on the way.

use crate::linear::character_length;

/// SQLite's own limit.
const MAX_PATTERN: usize = 50_000;
/// How many steps pass between two looks at the clock.
const STEPS: u32 = 4_096;

pub(crate) struct Pattern {
    tokens: Vec<Token>,
    ignore_case: bool,
}

enum Token {
    /// Any number of characters.
    Any,
    /// One character.
    One,
    /// This byte.
    Byte(u8),
    /// One character in one of these ranges, or in none of them.
    Set { ranges: Vec<(char, char)>, inside: bool },
    /// Nothing.
    Never,
}

impl Pattern {
    pub fn like(pattern: &[u8], escape: Option<&[u8]>) -> Result<Pattern, &'static str> {
        check_length(pattern)?;
        if escape.is_some_and(|escape| escape.is_empty() || character_length(escape) != escape.len()) {
            return Err("ESCAPE expression must be a single character");
        }
        let mut tokens = Vec::new();
        let mut rest = pattern;
        while let Some(&first) = rest.first() {
            if let Some(literal) = escape.and_then(|escape| rest.strip_prefix(escape)) {
                let length = character_length(literal);
                push_literal(&mut tokens, &literal[..length]);
                if length == 0 {
                    tokens.push(Token::Never);
                }
                rest = &literal[length..];
                continue;
            }
            tokens.push(match first {
                b'%' => Token::Any,
                b'_' => Token::One,
                byte => Token::Byte(byte),
            });
            rest = &rest[1..];
        }
        Ok(Pattern {
            tokens,
            ignore_case: true,
        })
    }

    pub fn glob(pattern: &[u8]) -> Result<Pattern, &'static str> {
        check_length(pattern)?;
        let mut tokens = Vec::new();
        let mut rest = pattern;
        while let Some((&first, after)) = rest.split_first() {
            rest = after;
            tokens.push(match first {
                b'*' => Token::Any,
                b'?' => Token::One,
                b'[' => set(&mut rest),
                byte => Token::Byte(byte),
            });
        }
        Ok(Pattern {
            tokens,
            ignore_case: false,
        })
    }

    /// Whether all of `text` matches; `None` when `interrupted` says so first.
    pub fn matches(&self, text: &[u8], interrupted: impl Fn() -> bool) -> Option<bool> {
        let (mut at, mut token) = (0, 0);
        // After a star fails to match this much, it tries one character more. Only the last star can need that.
        let mut last_star = None;
        let mut steps = 0u32;
        loop {
            steps += 1;
            if steps.is_multiple_of(STEPS) && interrupted() {
                return None;
            }
            match self.tokens.get(token) {
                None if at == text.len() => return Some(true),
                Some(Token::Any) => {
                    token += 1;
                    last_star = Some((token, at));
                    continue;
                }
                Some(one) => {
                    if let Some(length) = self.length(one, &text[at..]) {
                        at += length;
                        token += 1;
                        continue;
                    }
                }
                None => {}
            }
            match &mut last_star {
                Some((after, from)) if *from < text.len() => {
                    *from += character_length(&text[*from..]);
                    (token, at) = (*after, *from);
                }
                _ => return Some(false),
            }
        }
    }

    /// How much of the start of `text` matches one token.
    fn length(&self, token: &Token, text: &[u8]) -> Option<usize> {
        let first = *text.first()?;
        let length = character_length(text);
        let matches = match token {
            Token::Byte(byte) if self.ignore_case => return byte.eq_ignore_ascii_case(&first).then_some(1),
            Token::Byte(byte) => return (*byte == first).then_some(1),
            Token::One => true,
            Token::Set { ranges, inside } => {
                let character = character(&text[..length]);
                let within = |(low, high): &(char, char)| (*low..=*high).contains(&character);
                ranges.iter().any(within) == *inside
            }
            Token::Any | Token::Never => false,
        };
        matches.then_some(length)
    }
}

fn check_length(pattern: &[u8]) -> Result<(), &'static str> {
    match pattern.len() {
        0..=MAX_PATTERN => Ok(()),
        _ => Err("LIKE or GLOB pattern too complex"),
    }
}

fn push_literal(tokens: &mut Vec<Token>, bytes: &[u8]) {
    tokens.extend(bytes.iter().copied().map(Token::Byte));
}

/// Reads a set from behind its `[`. A `]` at the start is a member, and a set without an end matches nothing.
fn set(rest: &mut &[u8]) -> Token {
    let inside = match rest.strip_prefix(b"^") {
        Some(after) => {
            *rest = after;
            false
        }
        None => true,
    };
    let mut ranges: Vec<(char, char)> = Vec::new();
    let mut low = None;
    loop {
        let length = character_length(rest);
        if length == 0 {
            return Token::Never;
        }
        let (one, after) = rest.split_at(length);
        *rest = after;
        match (one, low) {
            (b"]", _) if !ranges.is_empty() => return Token::Set { ranges, inside },
            (b"-", Some(start)) if !matches!(after, [] | [b']', ..]) => {
                let length = character_length(after);
                ranges.push((start, character(&after[..length])));
                *rest = &after[length..];
                low = None;
            }
            _ => {
                // The `]` at the start cannot begin a range.
                low = (one != b"]").then(|| character(one));
                ranges.push((character(one), character(one)));
            }
        }
    }
}

fn character(bytes: &[u8]) -> char {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER),
        Err(_) => char::REPLACEMENT_CHARACTER,
    }
}
