//! Extended regular expressions, as `=~` has them.
//!
//! They are written anew for an engine that never backtracks. It finds the first way to match; POSIX wants the longest
//! match, so that is looked for from there on.

use super::field::{Field, Mark};
use crate::Error;
use crate::ast::Bytes;
use crate::meter::Meter;
use regex_lite::Regex;

/// The longest expression; the engine's own bound is about what it becomes.
const LONGEST: usize = 16 << 10;

/// Work of looking at one byte.
const WORK_PER_BYTE: u64 = 32;

pub(crate) struct Expression {
    free: Regex,
    /// The same from one end to the other.
    whole: Regex,
    bytes: bool,
}

impl Expression {
    pub fn new(field: &Field, any_case: bool) -> Result<Expression, String> {
        let source: Vec<(u8, bool)> = field.bytes().map(|(byte, mark)| (byte, mark == Mark::Quoted)).collect();
        if source.len() > LONGEST {
            return Err("the regular expression is too long".into());
        }
        let raw: Bytes = source.iter().map(|(byte, _)| *byte).collect();
        let bytes = std::str::from_utf8(&raw).is_err();
        let chars = characters(&source, bytes);
        let mut text = String::new();
        translate(&chars, &mut text)?;
        let flags = if any_case { "(?si)" } else { "(?s)" };
        let compile = |text: &str| Regex::new(text).map_err(|error| format!("regular expression: {error}"));
        Ok(Expression {
            free: compile(&format!("{flags}{text}"))?,
            whole: compile(&format!("{flags}^(?:{text})$"))?,
            bytes,
        })
    }

    /// What the whole and its groups match, if it matches.
    pub fn find(&self, text: &[u8], meter: &Meter) -> Result<Option<Vec<Bytes>>, Error> {
        meter.work(64 + text.len() as u64 * WORK_PER_BYTE)?;
        let bytes = self.bytes || std::str::from_utf8(text).is_err();
        let haystack: String = match bytes {
            true => text.iter().map(|byte| char::from(*byte)).collect(),
            false => String::from_utf8_lossy(text).into_owned(),
        };
        let Some(found) = self.free.captures(&haystack) else {
            return Ok(None);
        };
        let Some(first) = found.get(0) else { return Ok(None) };
        let mut best = groups(&found, bytes);
        // A longer match from the same place.
        let anchored_start = first.start() == 0;
        for end in (first.end() + 1..=haystack.len()).rev() {
            if !haystack.is_char_boundary(end) {
                continue;
            }
            let stretch = &haystack[first.start()..end];
            meter.work(stretch.len() as u64 * WORK_PER_BYTE)?;
            // `^` and `$` inside would see ends that are none.
            if (!anchored_start || end < haystack.len()) && self.has_anchors() {
                continue;
            }
            if let Some(longer) = self.whole.captures(stretch) {
                best = groups(&longer, bytes);
                break;
            }
        }
        Ok(Some(best))
    }

    fn has_anchors(&self) -> bool {
        let text = self.free.as_str();
        text.contains('^') || text.contains('$')
    }
}

fn groups(found: &regex_lite::Captures<'_>, bytes: bool) -> Vec<Bytes> {
    found
        .iter()
        .map(|group| match group {
            None => Bytes::new(),
            Some(group) if bytes => group.as_str().chars().map(|char| char as u32 as u8).collect(),
            Some(group) => group.as_str().as_bytes().to_vec(),
        })
        .collect()
}

/// The characters of the expression, and whether each is quoted.
fn characters(source: &[(u8, bool)], bytes: bool) -> Vec<(char, bool)> {
    if bytes {
        return source
            .iter()
            .map(|(byte, quoted)| (char::from(*byte), *quoted))
            .collect();
    }
    let raw: Bytes = source.iter().map(|(byte, _)| *byte).collect();
    let text = String::from_utf8_lossy(&raw);
    text.char_indices().map(|(at, char)| (char, source[at].1)).collect()
}

/// Writes a character that means itself.
fn literal(char: char, text: &mut String) {
    // Others must not be escaped: `\<` would be the beginning of a word.
    if "\\.+*?()|[]{}^$-&~#".contains(char) {
        text.push('\\');
    }
    text.push(char);
}

fn translate(chars: &[(char, bool)], text: &mut String) -> Result<(), String> {
    let mut at = 0;
    while let Some((char, quoted)) = chars.get(at).copied() {
        at += 1;
        match char {
            _ if quoted => literal(char, text),
            '\\' => match chars.get(at).copied() {
                Some((digit @ '1'..='9', false)) => {
                    return Err(format!("\\{digit}: back-references are not supported here"));
                }
                Some((class @ ('w' | 'W' | 's' | 'S' | 'b' | 'B'), false)) => {
                    text.push('\\');
                    text.push(class);
                    at += 1;
                }
                Some(('<', false)) => {
                    text.push_str("\\b");
                    at += 1;
                }
                Some(('>', false)) => {
                    text.push_str("\\b");
                    at += 1;
                }
                Some((escaped, _)) => {
                    literal(escaped, text);
                    at += 1;
                }
                None => return Err("trailing backslash".into()),
            },
            '[' => at += bracket(&chars[at..], text)?,
            // A repetition of a repetition is one; the engine would read it as a lazy one.
            '?' | '+' | '*' if text.ends_with(['?', '+', '*']) && !text.ends_with("\\?") => {
                let last = text.pop().unwrap_or('*');
                text.push(if last == char { last } else { '*' });
            }
            '{' if !is_repetition(&chars[at..]) => literal('{', text),
            '*' | '+' | '?' if text.is_empty() || text.ends_with(['(', '|']) => literal(char, text),
            '.' | '*' | '+' | '?' | '(' | ')' | '|' | '^' | '$' | '{' | '}' => match char {
                '}' if !text.rsplit(['}', '\\']).next().is_some_and(|open| open.contains('{')) => literal('}', text),
                char => text.push(char),
            },
            char => literal(char, text),
        }
    }
    Ok(())
}

/// Whether what follows `{` is a repetition.
fn is_repetition(chars: &[(char, bool)]) -> bool {
    let inside: String = chars
        .iter()
        .take_while(|(char, _)| *char != '}')
        .map(|(char, _)| char)
        .collect();
    inside.len() < chars.len() && inside.starts_with(|char: char| char.is_ascii_digit())
}

/// Behind `[`: the set, and how many characters it has.
fn bracket(chars: &[(char, bool)], text: &mut String) -> Result<usize, String> {
    let unclosed = || "brackets ([ ]) not balanced".to_owned();
    let mut at = 0;
    text.push('[');
    if chars.first() == Some(&('^', false)) {
        text.push('^');
        at = 1;
    }
    let start = at;
    loop {
        let (char, quoted) = *chars.get(at).ok_or_else(unclosed)?;
        match char {
            ']' if at > start && !quoted => {
                text.push(']');
                return Ok(at + 1);
            }
            '[' if matches!(chars.get(at + 1), Some((':' | '.' | '=', _))) && !quoted => {
                let kind = chars[at + 1].0;
                let rest = &chars[at + 2..];
                let end = rest.windows(2).position(|two| two[0].0 == kind && two[1].0 == ']');
                let end = end.ok_or_else(unclosed)?;
                let name: String = rest[..end].iter().map(|(char, _)| char).collect();
                match kind {
                    ':' => {
                        let known = [
                            "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
                            "upper", "xdigit",
                        ];
                        if !known.contains(&name.as_str()) {
                            return Err(format!("[:{name}:]: invalid character class"));
                        }
                        text.push_str(&format!("[:{name}:]"));
                    }
                    _ => name.chars().for_each(|char| literal(char, text)),
                }
                at += 2 + end + 2;
            }
            '-' => {
                // A range, unless it stands at an end.
                let ends = at == start || matches!(chars.get(at + 1), Some((']', false)));
                if ends || quoted {
                    text.push('\\');
                }
                text.push('-');
                at += 1;
            }
            char => {
                literal(char, text);
                at += 1;
            }
        }
    }
}
