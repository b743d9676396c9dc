//! S-expressions: the text of a query as nested lists of atoms, each with its column.

use super::bad_query;
use crate::error::Error;

/// The longest query that is read, in bytes.
pub(super) const MAX_LENGTH: usize = 64 * 1024;
/// The deepest nesting of lists that is read.
pub(super) const MAX_DEPTH: usize = 100;

pub(super) struct Expr {
    pub(super) column: usize,
    pub(super) form: Form,
}

pub(super) enum Form {
    List(Vec<Expr>),
    /// Text in double quotes, without them.
    Text(String),
    /// A bare word: a name, a number, a date.
    Symbol(String),
    /// A word with a colon in front, with it: `:before`, `:tag:`.
    Keyword(String),
}

const UNCLOSED: &str = "close it with `)`";

/// The one expression that the text must be.
pub(super) fn read(text: &str) -> Result<Expr, Error> {
    if text.len() > MAX_LENGTH {
        let message = format!("the query is longer than {MAX_LENGTH} bytes");
        return Err(bad_query(1, message, "ask for less at once"));
    }
    let mut reader = Reader {
        chars: text.chars().peekable(),
        column: 1,
    };
    reader.spaces();
    let expr = reader.expr(0)?;
    reader.spaces();
    match reader.chars.peek() {
        None => Ok(expr),
        Some(found) => Err(bad_query(
            reader.column,
            format!("unexpected `{found}` after the query"),
            "write one expression: put several into (and ..) or (or ..)",
        )),
    }
}

struct Reader<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
    /// Column of the next character.
    column: usize,
}

impl Reader<'_> {
    fn expr(&mut self, depth: usize) -> Result<Expr, Error> {
        let column = self.column;
        let form = match self.chars.peek() {
            None => {
                return Err(bad_query(
                    column,
                    "the query ends too early",
                    "write a query such as (todo)",
                ));
            }
            Some(')') => return Err(bad_query(column, "`)` closes nothing", "remove it")),
            Some('(') => self.list(depth)?,
            Some('"') => self.text()?,
            Some(_) => self.word(),
        };
        Ok(Expr { column, form })
    }

    fn list(&mut self, depth: usize) -> Result<Form, Error> {
        let opened = self.column;
        if depth == MAX_DEPTH {
            let message = format!("the query nests deeper than {MAX_DEPTH} lists");
            return Err(bad_query(opened, message, "ask for less at once"));
        }
        self.next();
        let mut items = Vec::new();
        loop {
            self.spaces();
            match self.chars.peek() {
                None => return Err(bad_query(opened, "`(` is never closed", UNCLOSED)),
                Some(')') => {
                    self.next();
                    return Ok(Form::List(items));
                }
                Some(_) => items.push(self.expr(depth + 1)?),
            }
        }
    }

    fn text(&mut self) -> Result<Form, Error> {
        let opened = self.column;
        self.next();
        let mut text = String::new();
        loop {
            let column = self.column;
            match self.next() {
                None => {
                    return Err(bad_query(opened, "`\"` is never closed", "close it with `\"`"));
                }
                Some('"') => return Ok(Form::Text(text)),
                Some('\\') => match self.next() {
                    Some(c @ ('"' | '\\')) => text.push(c),
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    // Dropping the backslash would quietly turn the pattern `\d` into `d`.
                    Some(c) => {
                        let message = format!("`\\{c}` is not an escape");
                        return Err(bad_query(
                            column,
                            message,
                            "a backslash is written twice in a string: `\\\\`",
                        ));
                    }
                    None => {}
                },
                Some(c) => text.push(c),
            }
        }
    }

    fn word(&mut self) -> Form {
        let mut word = String::new();
        while let Some(&c) = self.chars.peek() {
            if c.is_whitespace() || matches!(c, '(' | ')' | '"') {
                break;
            }
            word.push(c);
            self.next();
        }
        match word.starts_with(':') {
            true => Form::Keyword(word),
            false => Form::Symbol(word),
        }
    }

    fn spaces(&mut self) {
        while self.chars.peek().is_some_and(|c| c.is_whitespace()) {
            self.next();
        }
    }

    fn next(&mut self) -> Option<char> {
        self.column += 1;
        self.chars.next()
    }
}
