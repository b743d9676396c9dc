//! Words into a program.

mod expr;
mod stmt;

use crate::ast::{Expr, Function, Id, Name, Node, Pattern, Program, Rule, Stmt};
use crate::error::Error;
use crate::lexer::Lexer;
use crate::special;
use crate::token::{Keyword, Mark, Token};
use rustc_hash::FxHashMap;

/// How deep statements and parentheses may be nested, and operators chained. The parser and the compiler recurse as deep.
const MOST_NESTED: u32 = 1000;

/// Reads a program.
///
/// ```
/// let program = awk::parser::parse(b"BEGIN { print 1 + 2 }").unwrap();
/// assert_eq!(program.begin.len(), 1);
/// assert!(awk::parser::parse(b"BEGIN {").is_err());
/// ```
///
/// # Errors
///
/// What is wrong with it, and where.
pub fn parse(source: &[u8]) -> Result<Program, Error> {
    let mut parser = Parser::new(source);
    parser.advance()?;
    parser.program()?;
    Ok(parser.program)
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token,
    /// The line of the token.
    line: u32,
    program: Program,
    /// How deep each expression is.
    depths: Vec<u32>,
    globals: FxHashMap<String, u32>,
    functions: FxHashMap<String, u32>,
    scope: Option<Scope>,
    nested: u32,
    loops: u32,
    /// In the arguments of `print`, outside parentheses, `>` is where the output goes.
    greater_redirects: bool,
}

/// The function that is being read.
struct Scope {
    function: u32,
    parameters: Vec<String>,
}

/// Where the parser was, to go back to.
struct Place<'a> {
    lexer: Lexer<'a>,
    token: Token,
    line: u32,
}

impl<'a> Parser<'a> {
    fn new(source: &'a [u8]) -> Parser<'a> {
        let mut parser = Parser {
            lexer: Lexer::new(source),
            token: Token::Newline,
            line: 1,
            program: Program::default(),
            depths: Vec::new(),
            globals: FxHashMap::default(),
            functions: FxHashMap::default(),
            scope: None,
            nested: 0,
            loops: 0,
            greater_redirects: false,
        };
        for name in special::NAMES {
            parser.global(name);
        }
        parser
    }

    fn advance(&mut self) -> Result<(), Error> {
        self.line = self.lexer.line();
        self.token = self.lexer.next()?;
        Ok(())
    }

    fn place(&self) -> Place<'a> {
        Place {
            lexer: self.lexer,
            token: self.token.clone(),
            line: self.line,
        }
    }

    fn back(&mut self, place: Place<'a>) {
        self.lexer = place.lexer;
        self.token = place.token;
        self.line = place.line;
    }

    fn is(&self, mark: Mark) -> bool {
        self.token == Token::Mark(mark)
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.token == Token::Keyword(keyword)
    }

    /// Takes a mark if it is there.
    fn take(&mut self, mark: Mark) -> Result<bool, Error> {
        let is = self.is(mark);
        if is {
            self.advance()?;
        }
        Ok(is)
    }

    fn expect(&mut self, mark: Mark) -> Result<(), Error> {
        match self.take(mark)? {
            true => Ok(()),
            false => Err(self.unexpected()),
        }
    }

    fn skip_newlines(&mut self) -> Result<(), Error> {
        while self.token == Token::Newline {
            self.advance()?;
        }
        Ok(())
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error::at(self.line, message.into())
    }

    fn unexpected(&self) -> Error {
        let token = match &self.token {
            Token::End => "unexpected end of program".to_owned(),
            Token::Newline => "end of line".to_owned(),
            Token::Number(number) => number.to_string(),
            Token::String(text) => format!("\"{}\"", String::from_utf8_lossy(text)),
            Token::Name(name) | Token::Callee(name) => name.clone(),
            Token::Builtin(builtin) => builtin.entry().name.to_owned(),
            Token::Keyword(keyword) => keyword_text(*keyword).to_owned(),
            Token::Mark(mark) => mark_text(*mark),
        };
        Error {
            near: Some(token),
            ..self.error("syntax error")
        }
    }

    /// Runs a part of the parser one level deeper.
    fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.nested >= MOST_NESTED {
            return Err(self.error("nested too deep"));
        }
        self.nested += 1;
        let result = part(self);
        self.nested -= 1;
        result
    }

    /// Adds an expression to the program.
    fn node(&mut self, expr: Expr) -> Result<Id, Error> {
        let mut depth = 0;
        for_each_child(&expr, |child| depth = depth.max(self.depths[child as usize] + 1));
        if depth > MOST_NESTED {
            return Err(self.error("expression nested too deep"));
        }
        self.depths.push(depth);
        self.program.nodes.push(Node {
            expr,
            line: self.line,
            function: self.scope.as_ref().map(|scope| scope.function),
        });
        Ok(self.program.nodes.len() as Id - 1)
    }

    /// The variable of that name, here.
    fn name(&mut self, name: &str) -> Name {
        let parameters = self.scope.as_ref().map(|scope| &scope.parameters);
        match parameters.and_then(|names| names.iter().position(|parameter| parameter == name)) {
            Some(at) => Name::Local(at as u32),
            None => Name::Global(self.global(name)),
        }
    }

    fn global(&mut self, name: &str) -> u32 {
        if let Some(number) = self.globals.get(name) {
            return *number;
        }
        let number = self.program.globals.len() as u32;
        self.program.globals.push(name.to_owned());
        self.globals.insert(name.to_owned(), number);
        number
    }

    /// The number of a function, defined or not.
    fn function(&mut self, name: &str) -> u32 {
        if let Some(number) = self.functions.get(name) {
            return *number;
        }
        let number = self.program.functions.len() as u32;
        self.program.functions.push(Function {
            name: name.to_owned(),
            line: self.line,
            ..Function::default()
        });
        self.functions.insert(name.to_owned(), number);
        number
    }

    fn program(&mut self) -> Result<(), Error> {
        loop {
            while self.token == Token::Newline || self.is(Mark::Semicolon) {
                self.advance()?;
            }
            match self.token {
                Token::End => return self.check(),
                Token::Keyword(Keyword::Function) => self.definition()?,
                Token::Keyword(Keyword::Begin) => {
                    let body = self.special_rule()?;
                    self.program.begin.push(body);
                }
                Token::Keyword(Keyword::End) => {
                    let body = self.special_rule()?;
                    self.program.end.push(body);
                }
                _ => self.rule()?,
            }
        }
    }

    /// `BEGIN { .. }`: the action cannot be left out.
    fn special_rule(&mut self) -> Result<Vec<Stmt>, Error> {
        self.advance()?;
        self.block()
    }

    fn rule(&mut self) -> Result<(), Error> {
        let line = self.line;
        let pattern = if self.is(Mark::LeftBrace) {
            Pattern::Always
        } else {
            let first = self.expr()?;
            if self.take(Mark::Comma)? {
                self.skip_newlines()?;
                Pattern::Range(first, self.expr()?)
            } else {
                Pattern::When(first)
            }
        };
        let action = match self.is(Mark::LeftBrace) {
            true => Some(self.block()?),
            false => match self.token {
                Token::Newline | Token::End | Token::Mark(Mark::Semicolon) => None,
                _ => return Err(self.unexpected()),
            },
        };
        self.program.rules.push(Rule { line, pattern, action });
        Ok(())
    }

    fn definition(&mut self) -> Result<(), Error> {
        self.advance()?;
        let line = self.line;
        let (Token::Name(name) | Token::Callee(name)) = self.token.clone() else {
            return Err(self.unexpected());
        };
        let number = self.function(&name);
        if self.program.functions[number as usize].defined {
            return Err(self.error(format!("you can't define function {name} more than once")));
        }
        self.advance()?;
        self.expect(Mark::LeftParen)?;
        let mut parameters = Vec::new();
        while !self.is(Mark::RightParen) {
            self.skip_newlines()?;
            let Token::Name(parameter) = self.token.clone() else {
                return Err(self.unexpected());
            };
            if parameters.contains(&parameter) {
                return Err(self.error(format!("duplicate argument {parameter}")));
            }
            if parameter == name || special::NAMES.contains(&parameter.as_str()) {
                return Err(self.error(format!("can't use {parameter} as a parameter of function {name}")));
            }
            parameters.push(parameter);
            self.advance()?;
            self.skip_newlines()?;
            if !self.take(Mark::Comma)? {
                break;
            }
        }
        self.expect(Mark::RightParen)?;
        self.skip_newlines()?;
        self.scope = Some(Scope {
            function: number,
            parameters,
        });
        let body = self.block()?;
        let parameters = self.scope.take().map(|scope| scope.parameters).unwrap_or_default();
        self.program.functions[number as usize] = Function {
            name,
            parameters,
            body,
            line,
            defined: true,
        };
        Ok(())
    }

    /// What can only be known when all was read.
    fn check(&self) -> Result<(), Error> {
        for function in &self.program.functions {
            let name = &function.name;
            if !function.defined && crate::builtin::Builtin::named(name).is_none() {
                return Err(Error::at(function.line, format!("calling undefined function {name}")));
            }
            if function.defined && self.globals.contains_key(name) {
                return Err(Error::at(
                    function.line,
                    format!("function {name} is used as a variable"),
                ));
            }
        }
        Ok(())
    }
}

fn for_each_child(expr: &Expr, mut act: impl FnMut(Id)) {
    use crate::ast::Source;
    match expr {
        Expr::Number(_) | Expr::String(_) | Expr::Regex(_) | Expr::Name(_) => {}
        Expr::Index(_, list) | Expr::Concat(list) | Expr::In(list, _) => list.iter().for_each(|id| act(*id)),
        Expr::Call(_, list) | Expr::Builtin(_, list) => list.iter().for_each(|id| act(*id)),
        Expr::Field(id) | Expr::Step { target: id, .. } | Expr::Unary(_, id) => act(*id),
        Expr::Assign(a, b) | Expr::Update(_, a, b) | Expr::Arith(_, a, b) | Expr::Compare(_, a, b) => {
            act(*a);
            act(*b);
        }
        Expr::And(a, b) | Expr::Or(a, b) => {
            act(*a);
            act(*b);
        }
        Expr::Match { subject, regex, .. } => {
            act(*subject);
            act(*regex);
        }
        Expr::Choose(a, b, c) => [a, b, c].into_iter().for_each(|id| act(*id)),
        Expr::Getline { source, target } => {
            if let Source::File(id) | Source::Command(id) = source {
                act(*id);
            }
            target.iter().for_each(|id| act(*id));
        }
    }
}

fn keyword_text(keyword: Keyword) -> &'static str {
    let found = crate::token::KEYWORDS.iter().find(|(_, known)| *known == keyword);
    found.map_or("", |(text, _)| text)
}

fn mark_text(mark: Mark) -> String {
    let found = crate::token::MARKS.iter().rev().find(|(_, known)| *known == mark);
    found.map_or_else(String::new, |(text, _)| String::from_utf8_lossy(text).into_owned())
}
