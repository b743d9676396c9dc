//! Statements.

use super::{Compiler, Done, Label, Loop, Phase};
use crate::ast::{Expr, Id, Kind, Name, Redirect, Stmt};
use crate::code::{Op, Operand};
use crate::value::Value;

impl<'a> Compiler<'a> {
    pub(super) fn statements(&mut self, body: &'a [Stmt]) -> Done {
        body.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'a Stmt) -> Done {
        self.line = statement.line;
        match &statement.kind {
            Kind::Expr(id) => self.effect(*id),
            Kind::Print {
                args,
                formatted,
                redirect,
                to,
            } => self.print(args, *formatted, *redirect, *to),
            Kind::Block(body) => self.statements(body),
            Kind::If(arms, otherwise) => self.conditional(arms, otherwise.as_deref()),
            Kind::While(condition, body) => {
                let first = self.label();
                self.emit(Op::Jump(first.0));
                self.repeat(first, Some(*condition), body, None)
            }
            Kind::DoWhile(body, condition) => {
                let first = self.label();
                self.repeat(first, Some(*condition), body, None)
            }
            Kind::For {
                first,
                condition,
                step,
                body,
            } => {
                if let Some(first) = first {
                    self.statement(first)?;
                }
                let test = self.label();
                if condition.is_some() {
                    self.emit(Op::Jump(test.0));
                }
                self.repeat(test, *condition, body, step.as_deref())
            }
            Kind::ForIn(variable, array, body) => self.for_in(*variable, *array, body),
            Kind::Next | Kind::NextFile => self.next(&statement.kind),
            Kind::Exit(status) => {
                if let Some(status) = status {
                    self.value(*status)?;
                }
                self.emit(Op::Exit(status.is_some()));
                Ok(())
            }
            Kind::Return(value) => {
                match value {
                    Some(value) => self.value(*value)?,
                    None => {
                        let unset = self.constant(Value::Unset);
                        self.emit(Op::Constant(unset));
                    }
                }
                self.emit(Op::Return);
                Ok(())
            }
            Kind::Break => self.leave(|inner| inner.after),
            Kind::Continue => self.leave(|inner| inner.again),
            Kind::Delete(array, keys) => {
                self.key(keys)?;
                let array = self.array(*array);
                self.emit(Op::Delete(array));
                Ok(())
            }
            Kind::Clear(array) => {
                let array = self.array(*array);
                self.emit(Op::Clear(array));
                Ok(())
            }
        }
    }

    fn next(&mut self, kind: &Kind) -> Done {
        let is_next = matches!(kind, Kind::Next);
        if matches!(self.phase, Phase::Begin | Phase::End) {
            let word = if is_next { "next" } else { "nextfile" };
            let place = if self.phase == Phase::Begin { "BEGIN" } else { "END" };
            return Err(self.error(format!("{word} used in {place}")));
        }
        self.emit(if is_next { Op::Next } else { Op::NextFile });
        Ok(())
    }

    fn conditional(&mut self, arms: &'a [(Id, Stmt)], otherwise: Option<&'a Stmt>) -> Done {
        let after = self.label();
        for (number, (condition, body)) in arms.iter().enumerate() {
            let no = self.label();
            self.condition(*condition, false, no)?;
            self.statement(body)?;
            if number + 1 < arms.len() || otherwise.is_some() {
                self.emit(Op::Jump(after.0));
            }
            self.put(no);
        }
        if let Some(otherwise) = otherwise {
            self.statement(otherwise)?;
        }
        self.put(after);
        Ok(())
    }

    /// The test is at the bottom, so that a round takes one jump.
    fn repeat(&mut self, test: Label, condition: Option<Id>, body: &'a Stmt, step: Option<&'a Stmt>) -> Done {
        let (top, after, again) = (self.label(), self.label(), self.label());
        self.put(top);
        self.loops.push(Loop { after, again });
        self.statement(body)?;
        self.loops.pop();
        self.put(again);
        if let Some(step) = step {
            self.statement(step)?;
        }
        self.put(test);
        match condition {
            Some(condition) => {
                self.line = self.program.line(condition);
                self.condition(condition, true, top)?;
            }
            None => self.emit(Op::Jump(top.0)),
        }
        self.put(after);
        Ok(())
    }

    fn for_in(&mut self, variable: Name, array: Name, body: &'a Stmt) -> Done {
        let (again, after, done) = (self.label(), self.label(), self.label());
        let (slot, array) = (self.slot(variable), self.array(array));
        self.emit(Op::Over(array));
        self.put(again);
        self.emit(Op::NextKey(done.0));
        self.emit(Op::Set(slot, false));
        self.loops.push(Loop { after, again });
        self.statement(body)?;
        self.loops.pop();
        self.emit(Op::Jump(again.0));
        self.put(after);
        self.emit(Op::DropKeys);
        self.put(done);
        Ok(())
    }

    /// `break` and `continue`: a loop over an array ends itself behind its label.
    fn leave(&mut self, to: impl Fn(&Loop) -> Label) -> Done {
        match self.loops.last().map(to) {
            Some(label) => self.emit(Op::Jump(label.0)),
            None => return Err(self.error("not in a loop")),
        }
        Ok(())
    }

    fn print(&mut self, args: &'a [Id], formatted: bool, redirect: Redirect, to: Option<Id>) -> Done {
        if redirect == Redirect::Stdout && !formatted {
            if args.is_empty() {
                self.emit(Op::PrintRecord);
                return Ok(());
            }
            if let Some(operands) = self.operands(args) {
                self.code.operands.push(operands);
                let number = self.code.operands.len() as u32 - 1;
                self.emit(Op::PrintOperands(number));
                return Ok(());
            }
        }
        if args.is_empty() {
            self.emit(Op::Record);
        }
        for arg in args {
            self.value(*arg)?;
        }
        if let Some(to) = to {
            self.value(to)?;
        }
        let count = u16::try_from(args.len().max(1)).map_err(|_| self.error("too many arguments"))?;
        self.emit(match formatted {
            true => Op::Printf(redirect, count),
            false => Op::Print(redirect, count),
        });
        Ok(())
    }

    /// What can be printed without the stack: all of them, or none.
    pub(super) fn operands(&mut self, args: &'a [Id]) -> Option<Vec<Operand>> {
        let mut operands = Vec::with_capacity(args.len());
        for id in args {
            operands.push(match self.expr_of(*id) {
                Expr::Number(number) => Operand::Constant(self.constant(Value::Number(*number))),
                Expr::String(text) => Operand::Constant(self.constant(Value::text(text))),
                Expr::Field(number) => Operand::Field(self.fixed_field(*number)?),
                Expr::Name(name) if !self.is_array(*name) => Operand::Slot(self.slot(*name)),
                _ => return None,
            });
        }
        Some(operands)
    }
}
