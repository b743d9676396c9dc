//! Statements.

use super::Parser;
use super::expr::Tightness;
use crate::ast::{Id, Kind, Name, Redirect, Stmt};
use crate::error::Error;
use crate::token::{Keyword, Mark, Token};

impl Parser<'_> {
    /// `{ .. }`.
    pub(super) fn block(&mut self) -> Result<Vec<Stmt>, Error> {
        self.expect(Mark::LeftBrace)?;
        let mut body = Vec::new();
        loop {
            self.skip_terminators()?;
            if self.take(Mark::RightBrace)? {
                return Ok(body);
            }
            body.push(self.deeper(Self::statement)?);
        }
    }

    fn skip_terminators(&mut self) -> Result<(), Error> {
        while self.token == Token::Newline || self.is(Mark::Semicolon) {
            self.advance()?;
        }
        Ok(())
    }

    /// The body of a loop or a condition, which may stand on the next line, or be empty.
    fn body(&mut self) -> Result<Stmt, Error> {
        self.skip_newlines()?;
        if self.is(Mark::Semicolon) {
            let line = self.line;
            self.advance()?;
            return Ok(Stmt {
                line,
                kind: Kind::Block(Vec::new()),
            });
        }
        self.deeper(Self::statement)
    }

    fn looped(&mut self) -> Result<Box<Stmt>, Error> {
        self.loops += 1;
        let body = self.body();
        self.loops -= 1;
        body.map(Box::new)
    }

    /// A statement with what ends it.
    fn statement(&mut self) -> Result<Stmt, Error> {
        let line = self.line;
        let kind = match self.token {
            Token::Mark(Mark::LeftBrace) => Kind::Block(self.block()?),
            Token::Keyword(Keyword::If) => self.if_statement()?,
            Token::Keyword(Keyword::While) => {
                let condition = self.condition()?;
                Kind::While(condition, self.looped()?)
            }
            Token::Keyword(Keyword::For) => self.for_statement()?,
            Token::Keyword(Keyword::Do) => self.do_statement()?,
            _ => {
                let kind = self.simple()?;
                self.terminator()?;
                kind
            }
        };
        Ok(Stmt { line, kind })
    }

    fn terminator(&mut self) -> Result<(), Error> {
        match self.token {
            Token::Newline | Token::Mark(Mark::Semicolon) => self.advance(),
            Token::Mark(Mark::RightBrace) | Token::End => Ok(()),
            _ => Err(self.unexpected()),
        }
    }

    /// The keyword, and `( condition )`.
    fn condition(&mut self) -> Result<Id, Error> {
        self.advance()?;
        self.expect(Mark::LeftParen)?;
        let condition = self.expr()?;
        self.expect(Mark::RightParen)?;
        Ok(condition)
    }

    fn if_statement(&mut self) -> Result<Kind, Error> {
        let mut arms = Vec::new();
        loop {
            let condition = self.condition()?;
            arms.push((condition, self.body()?));
            // `else` may be behind semicolons and line ends.
            let place = self.place();
            self.skip_terminators()?;
            if !self.is_keyword(Keyword::Else) {
                self.back(place);
                return Ok(Kind::If(arms, None));
            }
            self.advance()?;
            self.skip_newlines()?;
            if !self.is_keyword(Keyword::If) {
                let otherwise = self.body()?;
                return Ok(Kind::If(arms, Some(Box::new(otherwise))));
            }
        }
    }

    fn do_statement(&mut self) -> Result<Kind, Error> {
        self.advance()?;
        let body = self.looped()?;
        self.skip_terminators()?;
        if !self.is_keyword(Keyword::While) {
            return Err(self.unexpected());
        }
        let condition = self.condition()?;
        self.terminator()?;
        Ok(Kind::DoWhile(body, condition))
    }

    fn for_statement(&mut self) -> Result<Kind, Error> {
        self.advance()?;
        self.expect(Mark::LeftParen)?;
        if let Some((variable, array)) = self.for_in()? {
            let function = self.scope.as_ref().map(|scope| scope.function);
            self.program.scalars.push((variable, self.line, function));
            self.program.arrays.push((array, self.line, function));
            return Ok(Kind::ForIn(variable, array, self.looped()?));
        }
        let first = self.for_part(Mark::Semicolon)?;
        self.expect(Mark::Semicolon)?;
        self.skip_newlines()?;
        let condition = match self.is(Mark::Semicolon) {
            true => None,
            false => Some(self.expr()?),
        };
        self.expect(Mark::Semicolon)?;
        self.skip_newlines()?;
        let step = self.for_part(Mark::RightParen)?;
        self.expect(Mark::RightParen)?;
        Ok(Kind::For {
            first,
            condition,
            step,
            body: self.looped()?,
        })
    }

    fn for_part(&mut self, end: Mark) -> Result<Option<Box<Stmt>>, Error> {
        if self.is(end) {
            return Ok(None);
        }
        let line = self.line;
        let kind = self.simple()?;
        Ok(Some(Box::new(Stmt { line, kind })))
    }

    /// `x in array )`, if that is what comes.
    fn for_in(&mut self) -> Result<Option<(Name, Name)>, Error> {
        let place = self.place();
        if let Token::Name(variable) = self.token.clone() {
            self.advance()?;
            if self.is_keyword(Keyword::In) {
                self.advance()?;
                if let Token::Name(array) = self.token.clone() {
                    self.advance()?;
                    if self.take(Mark::RightParen)? {
                        return Ok(Some((self.name(&variable), self.name(&array))));
                    }
                }
            }
        }
        self.back(place);
        Ok(None)
    }

    /// A statement that holds no other.
    fn simple(&mut self) -> Result<Kind, Error> {
        let Token::Keyword(keyword) = self.token else {
            return Ok(Kind::Expr(self.expr()?));
        };
        match keyword {
            Keyword::Print | Keyword::Printf => {
                self.advance()?;
                self.print(keyword == Keyword::Printf)
            }
            Keyword::Next | Keyword::Nextfile => {
                self.advance()?;
                Ok(match keyword {
                    Keyword::Next => Kind::Next,
                    _ => Kind::NextFile,
                })
            }
            Keyword::Exit => {
                self.advance()?;
                Ok(Kind::Exit(self.optional()?))
            }
            Keyword::Return => {
                if self.scope.is_none() {
                    return Err(self.error("return not in function"));
                }
                self.advance()?;
                Ok(Kind::Return(self.optional()?))
            }
            Keyword::Break | Keyword::Continue => {
                if self.loops == 0 {
                    let word = if keyword == Keyword::Break { "break" } else { "continue" };
                    return Err(self.error(format!("{word} illegal outside of loops")));
                }
                self.advance()?;
                Ok(match keyword {
                    Keyword::Break => Kind::Break,
                    _ => Kind::Continue,
                })
            }
            Keyword::Delete => {
                self.advance()?;
                self.delete()
            }
            _ => Ok(Kind::Expr(self.expr()?)),
        }
    }

    /// The value of `exit` and `return`.
    fn optional(&mut self) -> Result<Option<Id>, Error> {
        match self.token {
            Token::Newline | Token::End | Token::Mark(Mark::Semicolon | Mark::RightBrace) => Ok(None),
            _ => self.expr().map(Some),
        }
    }

    fn delete(&mut self) -> Result<Kind, Error> {
        let grouped = self.take(Mark::LeftParen)?;
        let line = self.line;
        let array = self.array_name()?;
        let function = self.scope.as_ref().map(|scope| scope.function);
        self.program.arrays.push((array, line, function));
        let kind = if self.take(Mark::LeftBracket)? {
            let keys = self.list(Mark::RightBracket)?;
            self.expect(Mark::RightBracket)?;
            if keys.is_empty() {
                return Err(self.unexpected());
            }
            Kind::Delete(array, keys)
        } else {
            Kind::Clear(array)
        };
        if grouped {
            self.expect(Mark::RightParen)?;
        }
        Ok(kind)
    }

    fn print(&mut self, formatted: bool) -> Result<Kind, Error> {
        let args = self.print_arguments()?;
        if formatted && args.is_empty() {
            return Err(self.unexpected());
        }
        let redirect = match self.token {
            Token::Mark(Mark::Greater) => Redirect::Write,
            Token::Mark(Mark::Append) => Redirect::Append,
            Token::Mark(Mark::Bar) => Redirect::Pipe,
            _ => Redirect::Stdout,
        };
        let to = match redirect {
            Redirect::Stdout => None,
            _ => {
                self.advance()?;
                let outer = std::mem::replace(&mut self.greater_redirects, true);
                let to = self.deeper(|parser| parser.binary(Tightness::Concat));
                self.greater_redirects = outer;
                Some(to?)
            }
        };
        Ok(Kind::Print {
            args,
            formatted,
            redirect,
            to,
        })
    }

    /// A list, in parentheses or not. `print (a)(b)` begins with a parenthesis and is no list in parentheses.
    fn print_arguments(&mut self) -> Result<Vec<Id>, Error> {
        if self.ends_print() {
            return Ok(Vec::new());
        }
        if self.is(Mark::LeftParen) {
            let place = self.place();
            self.advance()?;
            let list = self.list(Mark::RightParen)?;
            self.expect(Mark::RightParen)?;
            if self.ends_print() {
                return Ok(list);
            }
            self.back(place);
        }
        let outer = std::mem::replace(&mut self.greater_redirects, true);
        let list = self.list(Mark::Semicolon);
        self.greater_redirects = outer;
        list
    }

    fn ends_print(&self) -> bool {
        use Mark::{Append, Bar, Greater, RightBrace, RightParen, Semicolon};
        match self.token {
            Token::Newline | Token::End => true,
            Token::Mark(mark) => matches!(mark, Semicolon | RightBrace | RightParen | Greater | Append | Bar),
            _ => false,
        }
    }
}
