//! `$((..))`: 64-bit integers that wrap, with the operators of C.

use crate::Error;
use crate::ast::{in_name, starts_name};
use std::fmt;

/// How deeply parentheses and operators nest.
const DEEPEST: usize = 200;

/// Where the variables are.
pub(crate) trait Variables {
    /// Whether the language is bash's.
    fn is_bash(&self) -> bool;
    /// Whether an index of this variable is a key, and no expression.
    fn has_keys(&self, name: &[u8]) -> bool;
    /// The value of a variable or of an element, unset being zero.
    fn get(&mut self, name: &[u8], index: Option<&[u8]>) -> Result<Vec<u8>, Wrong>;
    fn set(&mut self, name: &[u8], index: Option<&[u8]>, value: i64) -> Result<(), Wrong>;
    /// Says how deep an expression is that asks, and answers how deep the last one was: the index of an element is an
    /// expression of its own.
    fn deepen(&mut self, depth: usize) -> usize;
    /// Counts work.
    fn work(&self, pieces: u64) -> Result<(), Error>;
}

/// Why an expression has no value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    Syntax(String),
    DivisionByZero,
    /// What the variables say.
    Variable(String),
    /// A variable that has to be set is not.
    Unset(String),
    Bound(Error),
}

impl From<Error> for Wrong {
    fn from(error: Error) -> Wrong {
        Wrong::Bound(error)
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::Syntax(what) => write!(f, "arithmetic expression: {what}"),
            Wrong::DivisionByZero => write!(f, "arithmetic expression: division by zero"),
            Wrong::Variable(what) | Wrong::Unset(what) => write!(f, "{what}"),
            Wrong::Bound(error) => write!(f, "{error}"),
        }
    }
}

pub(crate) fn evaluate(text: &[u8], variables: &mut dyn Variables) -> Result<i64, Wrong> {
    let depth = variables.deepen(0);
    variables.deepen(depth);
    within(text, variables, depth)
}

fn within(text: &[u8], variables: &mut dyn Variables, depth: usize) -> Result<i64, Wrong> {
    variables.work(64 + text.len() as u64)?;
    if depth >= DEEPEST {
        return Err(Wrong::Syntax("nested too deeply".into()));
    }
    let mut evaluation = Evaluation {
        text,
        at: 0,
        variables,
        depth,
        skipping: false,
    };
    evaluation.blanks();
    if evaluation.at == text.len() {
        return Ok(0);
    }
    let value = evaluation.comma()?;
    match evaluation.at == text.len() {
        true => Ok(value),
        false => Err(evaluation.unexpected()),
    }
}

struct Evaluation<'a> {
    text: &'a [u8],
    at: usize,
    variables: &'a mut dyn Variables,
    depth: usize,
    /// The side of `&&`, `||` or `?:` that does not count.
    skipping: bool,
}

/// A variable, or an element of one: the name and the index as it is written.
type Target<'a> = (&'a [u8], Option<Vec<u8>>);

/// Binary operators by how tightly they bind, loosest first. A longer one stands before its own beginning.
const BINARY: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

const ASSIGN: &[&str] = &["<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|="];

impl<'a> Evaluation<'a> {
    fn comma(&mut self) -> Result<i64, Wrong> {
        let mut value = self.assignment()?;
        while self.eat(",") {
            value = self.assignment()?;
        }
        Ok(value)
    }

    fn assignment(&mut self) -> Result<i64, Wrong> {
        self.deeper(|this| {
            let start = this.at;
            let Some(name) = this.target()? else {
                return this.conditional();
            };
            if this.rest().starts_with(b"=") && !this.rest().starts_with(b"==") {
                this.eat("=");
                let name = this.fixed(name)?;
                let value = this.assignment()?;
                return this.store(&name, value);
            }
            for operator in ASSIGN {
                if this.eat(operator) {
                    let name = this.fixed(name)?;
                    let right = this.assignment()?;
                    let left = this.load(&name)?;
                    let value = this.binary(&operator[..operator.len() - 1], left, right)?;
                    return this.store(&name, value);
                }
            }
            this.at = start;
            this.conditional()
        })
    }

    fn conditional(&mut self) -> Result<i64, Wrong> {
        let condition = self.level(0)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let then = self.only_if(condition != 0, Self::comma)?;
        if !self.eat(":") {
            return Err(self.unexpected());
        }
        let otherwise = self.only_if(condition == 0, |this| this.deeper(Self::assignment))?;
        Ok(if condition != 0 { then } else { otherwise })
    }

    fn level(&mut self, level: usize) -> Result<i64, Wrong> {
        let Some(operators) = BINARY.get(level) else {
            return self.power();
        };
        let mut left = self.level(level + 1)?;
        loop {
            let Some(operator) = operators.iter().find(|operator| self.at_operator(operator)) else {
                return Ok(left);
            };
            self.eat(operator);
            left = match *operator {
                "&&" => {
                    let right = self.only_if(left != 0, |this| this.level(level + 1))?;
                    i64::from(left != 0 && right != 0)
                }
                "||" => {
                    let right = self.only_if(left == 0, |this| this.level(level + 1))?;
                    i64::from(left != 0 || right != 0)
                }
                _ => {
                    let right = self.level(level + 1)?;
                    self.binary(operator, left, right)?
                }
            };
        }
    }

    /// Whether this binary operator is next, and not a longer one that begins with it.
    fn at_operator(&self, operator: &str) -> bool {
        let Some(behind) = self.rest().strip_prefix(operator.as_bytes()) else {
            return false;
        };
        match operator {
            "|" | "&" => !behind.starts_with(operator.as_bytes()) && !behind.starts_with(b"="),
            "<" | ">" => !behind.starts_with(operator.as_bytes()),
            "*" => !behind.starts_with(b"=") && !behind.starts_with(b"*"),
            "^" | "+" | "-" | "/" | "%" | "<<" | ">>" => !behind.starts_with(b"="),
            _ => true,
        }
    }

    fn binary(&self, operator: &str, left: i64, right: i64) -> Result<i64, Wrong> {
        let shift = (right & 63) as u32;
        Ok(match operator {
            "|" => left | right,
            "^" => left ^ right,
            "&" => left & right,
            "==" => i64::from(left == right),
            "!=" => i64::from(left != right),
            "<=" => i64::from(left <= right),
            ">=" => i64::from(left >= right),
            "<" => i64::from(left < right),
            ">" => i64::from(left > right),
            "<<" => left.wrapping_shl(shift),
            ">>" => left.wrapping_shr(shift),
            "+" => left.wrapping_add(right),
            "-" => left.wrapping_sub(right),
            "*" => left.wrapping_mul(right),
            _ if self.skipping => 0,
            _ if right == 0 => return Err(Wrong::DivisionByZero),
            "/" => left.wrapping_div(right),
            _ => left.wrapping_rem(right),
        })
    }

    /// bash's `**`, which binds tighter than the other operators and to the right.
    fn power(&mut self) -> Result<i64, Wrong> {
        let base = self.unary()?;
        if !self.variables.is_bash() || !self.rest().starts_with(b"**") {
            return Ok(base);
        }
        self.eat("**");
        let exponent = self.deeper(Self::power)?;
        match u64::try_from(exponent) {
            Ok(exponent) => Ok(power(base, exponent)),
            Err(_) if self.skipping => Ok(0),
            Err(_) => Err(Wrong::Syntax("exponent less than 0".into())),
        }
    }

    fn unary(&mut self) -> Result<i64, Wrong> {
        for step in ["++", "--"] {
            let behind = self.rest().strip_prefix(step.as_bytes()).map(<[u8]>::trim_ascii_start);
            if behind
                .and_then(|text| text.first())
                .is_some_and(|byte| starts_name(*byte))
            {
                self.eat(step);
                let name = self.target()?.unwrap_or_default();
                let name = self.fixed(name)?;
                let value = self.load(&name)?.wrapping_add(if step == "++" { 1 } else { -1 });
                return self.store(&name, value);
            }
        }
        let Some(operator) = self.rest().first().copied().filter(|byte| b"+-!~".contains(byte)) else {
            return self.primary();
        };
        self.at += 1;
        self.blanks();
        let value = self.deeper(Self::unary)?;
        Ok(match operator {
            b'-' => value.wrapping_neg(),
            b'!' => i64::from(value == 0),
            b'~' => !value,
            _ => value,
        })
    }

    fn primary(&mut self) -> Result<i64, Wrong> {
        if self.eat("(") {
            let value = self.comma()?;
            return match self.eat(")") {
                true => Ok(value),
                false => Err(self.unexpected()),
            };
        }
        if let Some(name) = self.target()? {
            let name = self.fixed(name)?;
            let value = self.load(&name)?;
            for (step, by) in [("++", 1), ("--", -1)] {
                if self.rest().starts_with(step.as_bytes()) && !self.operand_follows(2) {
                    self.eat(step);
                    self.store(&name, value.wrapping_add(by))?;
                }
            }
            return Ok(value);
        }
        let bash = self.variables.is_bash();
        let mut base = false;
        let end = self
            .rest()
            .iter()
            .position(|byte| {
                // `base#digits`, where `@` and `_` are digits too.
                let sharp = bash && *byte == b'#' && !base;
                base |= sharp;
                !(in_name(*byte) || sharp || base && *byte == b'@')
            })
            .unwrap_or(self.rest().len());
        let digits = &self.rest()[..end];
        if digits.is_empty() {
            return Err(self.unexpected());
        }
        let value = match base {
            true => based(digits).ok_or_else(|| self.unexpected())?,
            false => number(digits).ok_or_else(|| self.unexpected())?,
        };
        self.at += end;
        self.blanks();
        Ok(value)
    }

    /// Whether what follows that far ahead can be an operand: then `++` is two signs.
    fn operand_follows(&self, ahead: usize) -> bool {
        self.rest()[ahead..]
            .trim_ascii_start()
            .first()
            .is_some_and(|byte| in_name(*byte) || *byte == b'(')
    }

    /// A name, and in bash the index behind it.
    fn target(&mut self) -> Result<Option<Target<'a>>, Wrong> {
        let Some(name) = self.name() else { return Ok(None) };
        if !self.variables.is_bash() || self.rest().first() != Some(&b'[') {
            return Ok(Some((name, None)));
        }
        let rest = &self.text[self.at..];
        let mut open = 0usize;
        let end = rest.iter().position(|byte| {
            match byte {
                b'[' => open += 1,
                b']' => open -= 1,
                _ => {}
            }
            open == 0
        });
        let Some(end) = end else {
            return Err(self.unexpected());
        };
        let index = rest[1..end].trim_ascii();
        // What quotes are left are those around a key.
        let index = match index {
            [b'\'', key @ .., b'\''] | [b'"', key @ .., b'"'] => key.to_vec(),
            index => index.to_vec(),
        };
        self.at += end + 1;
        self.blanks();
        Ok(Some((name, Some(index))))
    }

    /// The same with the index evaluated, which counts once though an element may be read and then written.
    fn fixed(&mut self, (name, index): Target<'a>) -> Result<Target<'a>, Wrong> {
        let index = match index {
            Some(index) if !self.skipping && !self.variables.has_keys(name) => {
                Some(within(&index, self.variables, self.depth + 1)?.to_string().into())
            }
            index => index,
        };
        Ok((name, index))
    }

    fn load(&mut self, (name, index): &Target<'_>) -> Result<i64, Wrong> {
        if self.skipping {
            return Ok(0);
        }
        if self.depth >= DEEPEST {
            return Err(Wrong::Syntax("nested too deeply".into()));
        }
        let before = self.variables.deepen(self.depth + 1);
        let text = self.variables.get(name, index.as_deref());
        self.variables.deepen(before);
        let text = text?;
        let text = text.trim_ascii();
        let (negative, digits) = match text {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        let value = match self.variables.is_bash() && digits.contains(&b'#') {
            true => based(digits),
            false => number(digits),
        };
        if let Some(value) = value {
            return Ok(if negative { value.wrapping_neg() } else { value });
        }
        // A value that is an expression is evaluated in its turn.
        if self.depth >= DEEPEST {
            return Err(Wrong::Syntax("nested too deeply".into()));
        }
        within(text, self.variables, self.depth + 1)
    }

    fn store(&mut self, (name, index): &Target<'_>, value: i64) -> Result<i64, Wrong> {
        if !self.skipping {
            let before = self.variables.deepen(self.depth + 1);
            let stored = self.variables.set(name, index.as_deref(), value);
            self.variables.deepen(before);
            stored?;
        }
        Ok(value)
    }

    fn only_if(&mut self, counts: bool, evaluate: impl FnOnce(&mut Self) -> Result<i64, Wrong>) -> Result<i64, Wrong> {
        let before = self.skipping;
        self.skipping |= !counts;
        let value = evaluate(self);
        self.skipping = before;
        value
    }

    fn deeper(&mut self, evaluate: impl FnOnce(&mut Self) -> Result<i64, Wrong>) -> Result<i64, Wrong> {
        if self.depth >= DEEPEST {
            return Err(Wrong::Syntax("nested too deeply".into()));
        }
        self.depth += 1;
        let value = evaluate(self);
        self.depth -= 1;
        value
    }

    fn name(&mut self) -> Option<&'a [u8]> {
        let rest = &self.text[self.at..];
        rest.first().filter(|byte| starts_name(**byte))?;
        let end = rest.iter().position(|byte| !in_name(*byte)).unwrap_or(rest.len());
        self.at += end;
        self.blanks();
        Some(&rest[..end])
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token.as_bytes());
        if found {
            self.at += token.len();
            self.blanks();
        }
        found
    }

    fn blanks(&mut self) {
        while self.rest().first().is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn unexpected(&self) -> Wrong {
        let whole = String::from_utf8_lossy(self.text);
        Wrong::Syntax(match self.rest() {
            [] => format!("`{whole}` ends too early"),
            rest => format!("`{whole}` goes wrong at `{}`", String::from_utf8_lossy(rest)),
        })
    }
}

/// A constant: decimal, octal with a leading zero, hexadecimal with `0x`. Too large a number wraps.
fn number(digits: &[u8]) -> Option<i64> {
    let (base, digits) = match digits {
        [b'0', b'x' | b'X', hex @ ..] => (16, hex),
        [b'0', octal @ ..] if !octal.is_empty() => (8, octal),
        decimal => (10, decimal),
    };
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0i64, |value, byte| {
        let digit = char::from(*byte).to_digit(base)?;
        Some(value.wrapping_mul(i64::from(base)).wrapping_add(i64::from(digit)))
    })
}

/// bash's `base#digits`, with bases up to 64.
fn based(text: &[u8]) -> Option<i64> {
    let sharp = text.iter().position(|byte| *byte == b'#')?;
    let base: i64 = std::str::from_utf8(&text[..sharp]).ok()?.parse().ok()?;
    let digits = &text[sharp + 1..];
    if !(2..=64).contains(&base) || digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0i64, |value, byte| {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'z' => byte - b'a' + 10,
            // Up to 36 the case of a letter does not matter.
            b'A'..=b'Z' if base <= 36 => byte - b'A' + 10,
            b'A'..=b'Z' => byte - b'A' + 36,
            b'@' => 62,
            b'_' => 63,
            _ => return None,
        };
        (i64::from(digit) < base).then(|| value.wrapping_mul(base).wrapping_add(i64::from(digit)))
    })
}

/// A power that wraps.
fn power(mut base: i64, mut exponent: u64) -> i64 {
    let mut value = 1i64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            value = value.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    value
}
