//! The text of a program as words.

use crate::builtin::Builtin;
use crate::error::Error;
use crate::number;
use crate::token::{KEYWORDS, MARKS, Token};
use crate::utf8;

/// Reads words one at a time. It can be copied to look ahead: what is behind it does not change.
#[derive(Clone, Copy)]
pub struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
    line: u32,
}

impl<'a> Lexer<'a> {
    /// At the beginning of a program.
    pub fn new(source: &'a [u8]) -> Lexer<'a> {
        Lexer { source, at: 0, line: 1 }
    }

    /// The line it is at.
    pub fn line(&self) -> u32 {
        self.line
    }

    fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        &self.source[self.at..]
    }

    fn error(&self, message: &str) -> Error {
        Error::at(self.line, message.into())
    }

    /// The next word.
    #[allow(
        clippy::should_implement_trait,
        reason = "reading a word can fail, and the end is a word"
    )]
    pub fn next(&mut self) -> Result<Token, Error> {
        self.skip_blanks();
        let Some(byte) = self.peek() else { return Ok(Token::End) };
        match byte {
            b'\n' => {
                self.at += 1;
                self.line += 1;
                Ok(Token::Newline)
            }
            b'"' => {
                self.at += 1;
                self.string()
            }
            b'0'..=b'9' => Ok(self.number()),
            b'.' if self.rest().get(1).is_some_and(u8::is_ascii_digit) => Ok(self.number()),
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => Ok(self.word()),
            _ => self.mark(),
        }
    }

    /// Blanks, comments, and line ends behind a backslash.
    fn skip_blanks(&mut self) {
        loop {
            match self.rest() {
                [b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c', ..] => self.at += 1,
                [b'\\', b'\n', ..] => {
                    self.at += 2;
                    self.line += 1;
                }
                [b'\\', b'\r', b'\n', ..] => {
                    self.at += 3;
                    self.line += 1;
                }
                [b'#', ..] => self.at += memchr::memchr(b'\n', self.rest()).unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    fn number(&mut self) -> Token {
        let rest = self.rest();
        if let [b'0', b'x' | b'X', digits @ ..] = rest {
            let count = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            if count > 0 {
                let value = digits[..count].iter().fold(0.0, |value, digit| {
                    value * 16.0 + f64::from(char::from(*digit).to_digit(16).unwrap_or(0))
                });
                self.at += 2 + count;
                return Token::Number(value);
            }
        }
        let (value, length) = number::prefix(rest);
        self.at += length;
        Token::Number(value)
    }

    fn word(&mut self) -> Token {
        let rest = self.rest();
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = rest.iter().take_while(is_part).count();
        self.at += length;
        let word = String::from_utf8_lossy(&rest[..length]).into_owned();
        if let Some((_, keyword)) = KEYWORDS.iter().find(|(name, _)| *name == word) {
            return Token::Keyword(*keyword);
        }
        match Builtin::named(&word) {
            Some(entry) if entry.reserved => Token::Builtin(entry.builtin),
            _ if self.peek() == Some(b'(') => Token::Callee(word),
            _ => Token::Name(word),
        }
    }

    fn mark(&mut self) -> Result<Token, Error> {
        let rest = self.rest();
        match MARKS.iter().find(|(text, _)| rest.starts_with(text)) {
            Some((text, mark)) => {
                self.at += text.len();
                Ok(Token::Mark(*mark))
            }
            None => {
                let text = String::from_utf8_lossy(&rest[..utf8::width(rest)]).into_owned();
                Err(Error {
                    near: Some(text),
                    ..self.error("syntax error")
                })
            }
        }
    }

    /// A string, behind its opening quote.
    fn string(&mut self) -> Result<Token, Error> {
        let mut bytes = Vec::new();
        loop {
            match self.rest() {
                [] | [b'\n', ..] => return Err(self.error("non-terminated string")),
                [b'"', ..] => {
                    self.at += 1;
                    return Ok(Token::String(bytes));
                }
                [b'\\', b'\n', ..] => {
                    self.at += 2;
                    self.line += 1;
                }
                [b'\\', escape @ ..] => self.at += 1 + unescape(escape, &mut bytes),
                [byte, ..] => {
                    bytes.push(*byte);
                    self.at += 1;
                }
            }
        }
    }

    /// A regular expression, behind its opening slash, as it is written but for `\/`.
    pub fn regex(&mut self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let mut in_brackets = false;
        loop {
            match self.rest() {
                [] | [b'\n', ..] => return Err(self.error("non-terminated regular expression")),
                [b'\\', b'/', ..] => {
                    bytes.push(b'/');
                    self.at += 2;
                }
                [b'\\', b'\n', ..] => {
                    self.at += 2;
                    self.line += 1;
                }
                [b'\\', next, ..] => {
                    bytes.extend_from_slice(&[b'\\', *next]);
                    self.at += 2;
                }
                [b'/', ..] if !in_brackets => {
                    self.at += 1;
                    return Ok(bytes);
                }
                [byte, rest @ ..] => {
                    // A slash in brackets ends nothing, if the brackets end before the line does.
                    match byte {
                        b'[' if !in_brackets && closes(rest) => {
                            in_brackets = true;
                            bytes.push(b'[');
                            self.at += 1;
                            self.first_members(&mut bytes);
                            continue;
                        }
                        b'[' if in_brackets && rest.first() == Some(&b':') => {
                            let length = memchr::memmem::find(rest, b":]").map_or(0, |end| end + 3);
                            bytes.extend_from_slice(&self.rest()[..length]);
                            self.at += length;
                            if length > 0 {
                                continue;
                            }
                        }
                        b']' => in_brackets = false,
                        _ => {}
                    }
                    bytes.push(*byte);
                    self.at += 1;
                }
            }
        }
    }

    /// `]` right behind `[` or `[^` is a member.
    fn first_members(&mut self, bytes: &mut Vec<u8>) {
        for member in [b'^', b']'] {
            if self.peek() == Some(member) {
                bytes.push(member);
                self.at += 1;
            }
        }
    }
}

/// Whether brackets that were opened are closed on this line, and a slash comes after that.
fn closes(rest: &[u8]) -> bool {
    let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    let inner = line.strip_prefix(b"^").unwrap_or(line);
    let inner = inner.strip_prefix(b"]").unwrap_or(inner);
    let Some(end) = memchr::memchr(b']', inner) else {
        return false;
    };
    memchr::memchr(b'/', &inner[end..]).is_some()
}

/// What a backslash and these bytes stand for; answers how many of them it took. Before any other character it says
/// nothing: `"\q"` is `"q"`.
pub fn unescape(escape: &[u8], to: &mut Vec<u8>) -> usize {
    let Some(&byte) = escape.first() else {
        to.push(b'\\');
        return 0;
    };
    let plain = match byte {
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'0'..=b'7' => {
            let (value, length) = digits(escape, 8, 3);
            to.push(value as u8);
            return length;
        }
        b'x' => {
            let (value, length) = digits(&escape[1..], 16, 2);
            match length {
                0 => to.extend_from_slice(b"\\x"),
                _ => to.push(value as u8),
            }
            return 1 + length;
        }
        b'u' => {
            let (value, length) = digits(&escape[1..], 16, 8);
            match length {
                0 => to.extend_from_slice(b"\\u"),
                _ => utf8::push(to, value),
            }
            return 1 + length;
        }
        _ => byte,
    };
    to.push(plain);
    1
}

fn digits(bytes: &[u8], base: u32, most: usize) -> (u32, usize) {
    let digits = bytes
        .iter()
        .take(most)
        .map_while(|byte| char::from(*byte).to_digit(base));
    digits.fold((0, 0), |(value, length), digit| (value * base + digit, length + 1))
}

/// A text in which every escape is what it stands for: the value of an assignment on the command line.
pub fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'\\' => at += unescape(&text[at..], &mut bytes),
            _ => bytes.push(byte),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::{Keyword, Mark};

    fn tokens(source: &str) -> Vec<Token> {
        let mut lexer = Lexer::new(source.as_bytes());
        std::iter::from_fn(|| Some(lexer.next().expect("a word")).filter(|token| *token != Token::End)).collect()
    }

    #[test]
    fn words() {
        assert_eq!(
            tokens("x += f(.5) # note\n\"a\\tb\" \\\n ** 1e3 func"),
            [
                Token::Name("x".into()),
                Token::Mark(Mark::PlusAssign),
                Token::Callee("f".into()),
                Token::Mark(Mark::LeftParen),
                Token::Number(0.5),
                Token::Mark(Mark::RightParen),
                Token::Newline,
                Token::String(b"a\tb".to_vec()),
                Token::Mark(Mark::Caret),
                Token::Number(1000.0),
                Token::Keyword(Keyword::Function),
            ]
        );
    }

    #[test]
    fn escapes() {
        for (text, expected) in [
            ("a\\n", "a\n"),
            ("\\101\\60", "A0"),
            ("\\x41g", "Ag"),
            ("\\u20ac", "\u{20ac}"),
            ("\\.", "."),
            ("\\\u{e9}", "\u{e9}"),
            ("\\\\", "\\"),
            ("\\\"", "\""),
            ("x\\", "x\\"),
            ("\\xg", "\\xg"),
        ] {
            assert_eq!(unescaped(text.as_bytes()), expected.as_bytes(), "{text}");
        }
    }

    #[test]
    fn a_regular_expression_ends_at_a_slash_outside_brackets() {
        for (source, regex) in [
            ("ab/ x", "ab"),
            ("a\\/b/", "a/b"),
            ("[/]/", "[/]"),
            ("[]/]/", "[]/]"),
            ("x[[]y/", "x[[]y"),
            ("x[][]y/", "x[][]y"),
            ("x[]]y/", "x[]]y"),
            ("[^]/]/", "[^]/]"),
            ("a[/", "a["),
            ("[[:alpha:]/]/", "[[:alpha:]/]"),
            ("\\[/", "\\["),
        ] {
            assert_eq!(
                Lexer::new(source.as_bytes()).regex().expect("an end"),
                regex.as_bytes(),
                "{source}"
            );
        }
        assert!(Lexer::new(b"abc\n/").regex().is_err());
    }
}
