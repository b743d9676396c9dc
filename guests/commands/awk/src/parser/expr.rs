//! Expressions, by precedence.

use super::Parser;
use crate::ast::{Arith, Compare, Expr, Id, Source, Unary};
use crate::builtin::Builtin;
use crate::error::Error;
use crate::token::{Keyword, Mark, Token};

/// How tight an operator of two operands binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Tightness {
    Or,
    And,
    In,
    Match,
    Compare,
    Concat,
    Sum,
    Product,
    Operand,
}

enum Operator {
    Or,
    And,
    In,
    Match(bool),
    Compare(Compare),
    /// `command | getline`
    Pipe,
    Concat,
    Arith(Arith),
}

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expr(&mut self) -> Result<Id, Error> {
        self.deeper(Self::choice)
    }

    /// An expression in parentheses or brackets, where `>` compares again.
    fn inner<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let outer = std::mem::replace(&mut self.greater_redirects, false);
        let result = part(self);
        self.greater_redirects = outer;
        result
    }

    /// `a ? b : c`, from the right.
    fn choice(&mut self) -> Result<Id, Error> {
        let condition = self.binary(Tightness::Or)?;
        if !self.is(Mark::Question) {
            return Ok(condition);
        }
        self.advance()?;
        self.skip_newlines()?;
        let yes = self.expr()?;
        self.skip_newlines()?;
        self.expect(Mark::Colon)?;
        self.skip_newlines()?;
        let no = self.expr()?;
        self.node(Expr::Choose(condition, yes, no))
    }

    /// Operators of two operands that bind at least so tight, from the left.
    pub(super) fn binary(&mut self, least: Tightness) -> Result<Id, Error> {
        let mut left = self.unary()?;
        while let Some((operator, tightness)) = self.operator()?.filter(|(_, tightness)| *tightness >= least) {
            left = match operator {
                Operator::Concat => self.concatenation(left)?,
                Operator::Pipe => {
                    self.advance()?;
                    self.advance()?;
                    let target = self.getline_target()?;
                    self.node(Expr::Getline {
                        source: Source::Command(left),
                        target,
                    })?
                }
                Operator::In => {
                    self.advance()?;
                    let array = self.array_name()?;
                    self.node(Expr::In(vec![left], array))?
                }
                operator => {
                    self.advance()?;
                    if matches!(operator, Operator::And | Operator::Or) {
                        self.skip_newlines()?;
                    }
                    let right = self.deeper(|parser| parser.binary(tightness.tighter()))?;
                    self.node(match operator {
                        Operator::Or => Expr::Or(left, right),
                        Operator::And => Expr::And(left, right),
                        Operator::Match(negated) => Expr::Match {
                            subject: left,
                            regex: right,
                            negated,
                        },
                        Operator::Compare(compare) => Expr::Compare(compare, left, right),
                        Operator::Arith(arith) => Expr::Arith(arith, left, right),
                        Operator::In | Operator::Pipe | Operator::Concat => unreachable!("handled above"),
                    })?
                }
            };
        }
        Ok(left)
    }

    /// The operator that the token is, after an operand.
    fn operator(&mut self) -> Result<Option<(Operator, Tightness)>, Error> {
        let compare = |compare| (Operator::Compare(compare), Tightness::Compare);
        let found = match &self.token {
            Token::Mark(mark) => match mark {
                Mark::Or => (Operator::Or, Tightness::Or),
                Mark::And => (Operator::And, Tightness::And),
                Mark::Tilde => (Operator::Match(false), Tightness::Match),
                Mark::NotTilde => (Operator::Match(true), Tightness::Match),
                Mark::Greater if self.greater_redirects => return Ok(None),
                Mark::Greater => compare(Compare::Greater),
                Mark::GreaterEqual => compare(Compare::GreaterEqual),
                Mark::Less => compare(Compare::Less),
                Mark::LessEqual => compare(Compare::LessEqual),
                Mark::Equal => compare(Compare::Equal),
                Mark::NotEqual => compare(Compare::NotEqual),
                Mark::Bar => {
                    let mut ahead = self.lexer;
                    match ahead.next()? {
                        Token::Keyword(Keyword::Getline) => (Operator::Pipe, Tightness::Compare),
                        _ => return Ok(None),
                    }
                }
                Mark::Plus => (Operator::Arith(Arith::Add), Tightness::Sum),
                Mark::Minus => (Operator::Arith(Arith::Sub), Tightness::Sum),
                Mark::Star => (Operator::Arith(Arith::Mul), Tightness::Product),
                Mark::Slash => (Operator::Arith(Arith::Div), Tightness::Product),
                Mark::Percent => (Operator::Arith(Arith::Mod), Tightness::Product),
                Mark::Dollar | Mark::Not | Mark::LeftParen | Mark::Increment | Mark::Decrement => {
                    (Operator::Concat, Tightness::Concat)
                }
                _ => return Ok(None),
            },
            Token::Keyword(Keyword::In) => (Operator::In, Tightness::In),
            Token::Number(_) | Token::String(_) | Token::Name(_) | Token::Callee(_) | Token::Builtin(_) => {
                (Operator::Concat, Tightness::Concat)
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    /// `a b c`: one list, however long.
    fn concatenation(&mut self, first: Id) -> Result<Id, Error> {
        let mut parts = vec![first];
        while let Some((Operator::Concat, _)) = self.operator()? {
            parts.push(self.deeper(|parser| parser.binary(Tightness::Sum))?);
        }
        self.node(Expr::Concat(parts))
    }

    fn unary(&mut self) -> Result<Id, Error> {
        let unary = match self.token {
            Token::Mark(Mark::Not) => Unary::Not,
            Token::Mark(Mark::Minus) => Unary::Minus,
            Token::Mark(Mark::Plus) => Unary::Plus,
            _ => return self.power(),
        };
        self.advance()?;
        let operand = self.deeper(Self::unary)?;
        self.node(Expr::Unary(unary, operand))
    }

    /// `a ^ b`, from the right; the exponent may have a sign.
    fn power(&mut self) -> Result<Id, Error> {
        let base = self.assignment()?;
        if !self.take(Mark::Caret)? {
            return Ok(base);
        }
        let exponent = self.deeper(Self::unary)?;
        self.node(Expr::Arith(Arith::Pow, base, exponent))
    }

    /// An operand, or an assignment to it: `a && b = 1` assigns.
    fn assignment(&mut self) -> Result<Id, Error> {
        let target = self.postfix()?;
        let update = match self.token {
            Token::Mark(Mark::Assign) => None,
            Token::Mark(Mark::PlusAssign) => Some(Arith::Add),
            Token::Mark(Mark::MinusAssign) => Some(Arith::Sub),
            Token::Mark(Mark::StarAssign) => Some(Arith::Mul),
            Token::Mark(Mark::SlashAssign) => Some(Arith::Div),
            Token::Mark(Mark::PercentAssign) => Some(Arith::Mod),
            Token::Mark(Mark::CaretAssign) => Some(Arith::Pow),
            _ => return Ok(target),
        };
        if !self.is_target(target) {
            return Err(self.unexpected());
        }
        self.advance()?;
        self.skip_newlines()?;
        let value = self.expr()?;
        self.node(match update {
            None => Expr::Assign(target, value),
            Some(arith) => Expr::Update(arith, target, value),
        })
    }

    /// Whether it can be assigned to.
    fn is_target(&self, id: Id) -> bool {
        matches!(self.program.expr(id), Expr::Name(_) | Expr::Index(..) | Expr::Field(_))
    }

    fn postfix(&mut self) -> Result<Id, Error> {
        let operand = self.primary()?;
        let by = match self.token {
            Token::Mark(Mark::Increment) => 1,
            Token::Mark(Mark::Decrement) => -1,
            _ => return Ok(operand),
        };
        if !self.is_target(operand) {
            return Ok(operand);
        }
        self.advance()?;
        self.node(Expr::Step {
            target: operand,
            by,
            after: true,
        })
    }

    fn primary(&mut self) -> Result<Id, Error> {
        match self.token.clone() {
            Token::Number(number) => {
                self.advance()?;
                self.node(Expr::Number(number))
            }
            Token::String(text) => {
                self.advance()?;
                self.node(Expr::String(text))
            }
            Token::Name(name) => self.named(&name),
            Token::Callee(name) => {
                self.advance()?;
                self.call(&name)
            }
            Token::Builtin(builtin) => self.builtin(builtin),
            Token::Keyword(Keyword::Getline) => {
                self.advance()?;
                self.getline()
            }
            Token::Mark(Mark::Slash) => self.regex(Vec::new()),
            Token::Mark(Mark::SlashAssign) => self.regex(b"=".to_vec()),
            Token::Mark(Mark::Dollar) => {
                self.advance()?;
                let number = self.deeper(Self::field_number)?;
                self.node(Expr::Field(number))
            }
            Token::Mark(mark @ (Mark::Increment | Mark::Decrement)) => {
                self.advance()?;
                let target = self.deeper(Self::primary)?;
                if !self.is_target(target) {
                    return Err(self.unexpected());
                }
                self.node(Expr::Step {
                    target,
                    by: if mark == Mark::Increment { 1 } else { -1 },
                    after: false,
                })
            }
            Token::Mark(Mark::LeftParen) => {
                self.advance()?;
                self.inner(Self::group)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// What is behind `$`: it binds tighter than everything but `++i` and a sign.
    fn field_number(&mut self) -> Result<Id, Error> {
        let sign = match self.token {
            Token::Mark(Mark::Minus) => Unary::Minus,
            Token::Mark(Mark::Plus) => Unary::Plus,
            Token::Mark(Mark::Not) => Unary::Not,
            _ => return self.primary(),
        };
        self.advance()?;
        let operand = self.deeper(Self::field_number)?;
        self.node(Expr::Unary(sign, operand))
    }

    fn regex(&mut self, mut source: Vec<u8>) -> Result<Id, Error> {
        source.extend(self.lexer.regex()?);
        if let Err(message) = crate::regex::Regex::new(&source) {
            let shown = String::from_utf8_lossy(&source).into_owned();
            return Err(self.error(format!("{message} in regular expression /{shown}/")));
        }
        self.advance()?;
        self.node(Expr::Regex(source))
    }

    /// `(a)`, or `(a, b) in array`.
    fn group(&mut self) -> Result<Id, Error> {
        let mut list = self.list(Mark::RightParen)?;
        self.expect(Mark::RightParen)?;
        if list.len() == 1 {
            return Ok(list.remove(0));
        }
        if list.is_empty() || !self.is_keyword(Keyword::In) {
            return Err(self.unexpected());
        }
        self.advance()?;
        let array = self.array_name()?;
        self.node(Expr::In(list, array))
    }

    /// Expressions with commas between them, up to a mark.
    pub(super) fn list(&mut self, end: Mark) -> Result<Vec<Id>, Error> {
        let mut list = Vec::new();
        self.skip_newlines()?;
        if self.is(end) {
            return Ok(list);
        }
        loop {
            list.push(self.expr()?);
            self.skip_newlines_before(end)?;
            if !self.take(Mark::Comma)? {
                return Ok(list);
            }
            self.skip_newlines()?;
        }
    }

    /// A list in parentheses may be closed on a line of its own.
    fn skip_newlines_before(&mut self, end: Mark) -> Result<(), Error> {
        if self.token == Token::Newline {
            let place = self.place();
            self.skip_newlines()?;
            if !self.is(end) && !self.is(Mark::Comma) {
                self.back(place);
            }
        }
        Ok(())
    }

    fn named(&mut self, name: &str) -> Result<Id, Error> {
        self.advance()?;
        if self.is(Mark::LeftParen)
            && Builtin::named(name).is_some()
            && !self.globals.contains_key(name)
            && !self.functions.contains_key(name)
        {
            return self.call(name);
        }
        let name = self.name(name);
        if !self.take(Mark::LeftBracket)? {
            return self.node(Expr::Name(name));
        }
        let keys = self.inner(|parser| parser.list(Mark::RightBracket))?;
        if keys.is_empty() {
            return Err(self.unexpected());
        }
        self.expect(Mark::RightBracket)?;
        self.node(Expr::Index(name, keys))
    }

    /// The name of an array, as in `x in array`.
    pub(super) fn array_name(&mut self) -> Result<crate::ast::Name, Error> {
        let Token::Name(name) = self.token.clone() else {
            return Err(self.unexpected());
        };
        self.advance()?;
        Ok(self.name(&name))
    }

    fn arguments(&mut self) -> Result<Vec<Id>, Error> {
        self.expect(Mark::LeftParen)?;
        let arguments = self.inner(|parser| parser.list(Mark::RightParen))?;
        self.expect(Mark::RightParen)?;
        Ok(arguments)
    }

    fn call(&mut self, name: &str) -> Result<Id, Error> {
        let function = self.function(name);
        let arguments = self.arguments()?;
        self.node(Expr::Call(function, arguments))
    }

    fn builtin(&mut self, builtin: Builtin) -> Result<Id, Error> {
        self.advance()?;
        let arguments = match self.is(Mark::LeftParen) {
            true => self.arguments()?,
            // `length` alone is that of the record.
            false if builtin == Builtin::Length => Vec::new(),
            false => return Err(self.unexpected()),
        };
        let entry = builtin.entry();
        if arguments.len() < entry.fewest || arguments.len() > entry.most {
            return Err(self.error(entry.wrong_count(arguments.len())));
        }
        self.node(Expr::Builtin(builtin, arguments))
    }

    /// `getline`, `getline x`, `getline < file`, `getline x < file`.
    fn getline(&mut self) -> Result<Id, Error> {
        let target = self.getline_target()?;
        let source = match self.take(Mark::Less)? {
            true => Source::File(self.deeper(Self::postfix)?),
            false => Source::Main,
        };
        self.node(Expr::Getline { source, target })
    }

    fn getline_target(&mut self) -> Result<Option<Id>, Error> {
        match self.token {
            Token::Name(_) | Token::Mark(Mark::Dollar) => {
                let target = self.deeper(Self::primary)?;
                match self.is_target(target) {
                    true => Ok(Some(target)),
                    false => Err(self.unexpected()),
                }
            }
            _ => Ok(None),
        }
    }
}

impl Tightness {
    /// What the right operand of an operator from the left has to have.
    fn tighter(self) -> Tightness {
        match self {
            Tightness::Or => Tightness::And,
            Tightness::And => Tightness::In,
            Tightness::In => Tightness::Match,
            Tightness::Match => Tightness::Compare,
            Tightness::Compare => Tightness::Concat,
            Tightness::Concat => Tightness::Sum,
            Tightness::Sum => Tightness::Product,
            Tightness::Product | Tightness::Operand => Tightness::Operand,
        }
    }
}
