//! Expressions.

use super::{Compiler, Done, Label};
use crate::ast::{Arith, Expr, Id, Name, Source, Unary};
use crate::builtin::Builtin;
use crate::code::{From, Op, Slot, Test, Wanted};
use crate::value::Value;

impl<'a> Compiler<'a> {
    /// Leaves the value of an expression on the stack.
    pub(super) fn value(&mut self, id: Id) -> Done {
        let line = std::mem::replace(&mut self.line, self.program.line(id));
        self.wanted(id, true)?;
        self.line = line;
        Ok(())
    }

    /// Does what an expression does; its value is for nobody.
    pub(super) fn effect(&mut self, id: Id) -> Done {
        match self.expr_of(id) {
            Expr::Assign(..) | Expr::Update(..) | Expr::Step { .. } => self.wanted(id, false),
            _ => {
                self.value(id)?;
                self.emit(Op::Pop);
                Ok(())
            }
        }
    }

    fn push(&mut self, value: Value) {
        let number = self.constant(value);
        self.emit(Op::Constant(number));
    }

    /// The value, or for what assigns nothing but the assignment.
    fn wanted(&mut self, id: Id, keep: bool) -> Done {
        match self.expr_of(id) {
            Expr::Number(number) => self.push(Value::Number(*number)),
            Expr::String(text) => self.push(Value::text(text)),
            Expr::Regex(source) => {
                let regex = self.regex(source)?;
                self.emit(Op::MatchRecord(regex, false));
            }
            Expr::Name(name) => {
                self.emit(match self.scalar(*name)? {
                    Slot::Global(at) => Op::Global(at),
                    Slot::Local(at) => Op::Local(at),
                    Slot::Special(at) => Op::Special(at),
                });
            }
            Expr::Index(array, keys) => {
                let array = self.array(*array);
                match *keys.as_slice() {
                    [key] if let Some(place) = self.place(key) => self.emit(Op::ElementPlace(array, place)),
                    _ => {
                        self.key(keys)?;
                        self.emit(Op::Element(array));
                    }
                }
            }
            Expr::Field(number) => match self.fixed_field(*number) {
                Some(0) => self.emit(Op::Record),
                Some(number) => self.emit(Op::Field(number)),
                None => {
                    self.value(*number)?;
                    self.emit(Op::FieldAt);
                }
            },
            Expr::Assign(target, value) => self.assign(*target, *value, keep)?,
            Expr::Update(arith, target, value) => self.update(*arith, *target, *value, keep)?,
            Expr::Step { target, by, after } => {
                let wanted = match (keep, after) {
                    (false, _) => Wanted::Nothing,
                    (true, true) => Wanted::Before,
                    (true, false) => Wanted::After,
                };
                self.step(*target, *by, wanted)?;
            }
            Expr::Unary(unary, operand) => self.unary(*unary, *operand)?,
            Expr::Arith(arith, left, right) => match (self.place(*left), self.place(*right)) {
                (Some(left), Some(right)) => self.emit(Op::ArithPlaces(*arith, left, right)),
                (None, Some(right)) => {
                    self.value(*left)?;
                    self.emit(Op::ArithPlace(*arith, right));
                }
                _ => {
                    self.value(*left)?;
                    self.value(*right)?;
                    self.emit(Op::Arith(*arith));
                }
            },
            Expr::Concat(parts) => {
                if let Some(operands) = self.operands(parts) {
                    self.code.operands.push(operands);
                    let number = self.code.operands.len() as u32 - 1;
                    self.emit(Op::ConcatOperands(number));
                    return Ok(());
                }
                for part in parts {
                    self.value(*part)?;
                }
                self.emit(Op::Concat(parts.len() as u32));
            }
            Expr::Compare(compare, left, right) => {
                self.value(*left)?;
                self.value(*right)?;
                self.emit(Op::Compare(*compare));
            }
            Expr::Match {
                subject,
                regex,
                negated,
            } => self.matching(*subject, *regex, *negated)?,
            Expr::And(..) | Expr::Or(..) => self.logic(id)?,
            Expr::Choose(condition, yes, no) => {
                let (otherwise, after) = (self.label(), self.label());
                self.condition(*condition, false, otherwise)?;
                self.value(*yes)?;
                self.emit(Op::Jump(after.0));
                self.put(otherwise);
                self.value(*no)?;
                self.put(after);
            }
            Expr::In(keys, array) => {
                self.key(keys)?;
                let array = self.array(*array);
                self.emit(Op::In(array));
            }
            Expr::Call(function, arguments) => self.call(*function, arguments)?,
            Expr::Builtin(builtin, arguments) => self.builtin(*builtin, arguments)?,
            Expr::Getline { source, target } => self.getline(*source, *target)?,
        }
        Ok(())
    }

    pub(super) fn scalar(&self, name: Name) -> Result<Slot, crate::error::Error> {
        match self.is_array(name) {
            true => Err(self.error("can't use an array as a value")),
            false => Ok(self.slot(name)),
        }
    }

    /// The number of a field that is written as a number.
    pub(super) fn fixed_field(&self, number: Id) -> Option<u32> {
        match self.expr_of(number) {
            Expr::Number(number) if (0.0..1e6).contains(number) => Some(*number as u32),
            _ => None,
        }
    }

    /// Leaves the subscript on the stack.
    pub(super) fn key(&mut self, keys: &'a [Id]) -> Done {
        for key in keys {
            self.value(*key)?;
        }
        if keys.len() > 1 {
            self.emit(Op::Join(keys.len() as u32));
        }
        Ok(())
    }

    fn assign(&mut self, target: Id, value: Id, keep: bool) -> Done {
        match self.expr_of(target) {
            Expr::Name(name) => {
                let slot = self.scalar(*name)?;
                if let Some(rest) = self.appended(*name, value).filter(|_| !keep) {
                    for part in rest {
                        self.value(*part)?;
                    }
                    self.emit(Op::Append(rest.len() as u8, slot));
                    return Ok(());
                }
                self.value(value)?;
                self.emit(Op::Set(slot, keep));
            }
            Expr::Index(array, keys) => {
                self.key(keys)?;
                self.value(value)?;
                let array = self.array(*array);
                self.emit(Op::SetElement(array, keep));
            }
            Expr::Field(number) => {
                self.value(*number)?;
                self.value(value)?;
                self.emit(Op::SetField(keep));
            }
            _ => return Err(self.error("can't assign to this")),
        }
        Ok(())
    }

    /// What `x = x a b` adds to `x`, if nothing of it changes `x` on the way.
    fn appended(&self, name: Name, value: Id) -> Option<&'a [Id]> {
        let Expr::Concat(parts) = self.expr_of(value) else {
            return None;
        };
        let (first, rest) = parts.split_first()?;
        let same = matches!(self.expr_of(*first), Expr::Name(first) if *first == name);
        let plain = |id: &Id| match self.expr_of(*id) {
            Expr::Number(_) | Expr::String(_) | Expr::Name(_) => true,
            Expr::Field(number) => self.fixed_field(*number).is_some(),
            Expr::Builtin(builtin, arguments) => {
                let pure = matches!(
                    builtin,
                    Builtin::Substr | Builtin::Sprintf | Builtin::Tolower | Builtin::Toupper
                );
                pure && arguments.iter().all(|id| {
                    matches!(
                        self.expr_of(*id),
                        Expr::Number(_) | Expr::String(_) | Expr::Name(_) | Expr::Field(_)
                    )
                })
            }
            Expr::Index(_, keys) => keys
                .iter()
                .all(|key| matches!(self.expr_of(*key), Expr::Number(_) | Expr::String(_) | Expr::Name(_))),
            _ => false,
        };
        let ordinary = !matches!(self.slot(name), Slot::Special(_));
        (same && ordinary && rest.len() <= usize::from(u8::MAX) && rest.iter().all(plain)).then_some(rest)
    }

    fn update(&mut self, arith: Arith, target: Id, value: Id, keep: bool) -> Done {
        match self.expr_of(target) {
            Expr::Name(name) => {
                let slot = self.scalar(*name)?;
                if let (false, Some(place), Some(by)) = (keep, self.place(target), self.place(value)) {
                    self.emit(Op::UpdatePlace(arith, place, by));
                    return Ok(());
                }
                self.value(value)?;
                self.emit(Op::Update(arith, keep, slot));
            }
            Expr::Index(array, keys) => {
                self.key(keys)?;
                self.value(value)?;
                let array = self.array(*array);
                self.emit(Op::UpdateElement(arith, keep, array));
            }
            Expr::Field(number) => {
                self.value(*number)?;
                self.value(value)?;
                self.emit(Op::UpdateField(arith, keep));
            }
            _ => return Err(self.error("can't assign to this")),
        }
        Ok(())
    }

    fn step(&mut self, target: Id, by: i8, wanted: Wanted) -> Done {
        match self.expr_of(target) {
            Expr::Name(name) => {
                let slot = self.scalar(*name)?;
                if let (Wanted::Nothing, Some(place)) = (wanted, self.place(target)) {
                    self.emit(Op::StepPlace(by, place));
                    return Ok(());
                }
                self.emit(Op::Step(by, wanted, slot));
            }
            Expr::Index(array, keys) => {
                self.key(keys)?;
                let array = self.array(*array);
                self.emit(Op::StepElement(by, wanted, array));
            }
            Expr::Field(number) => {
                self.value(*number)?;
                self.emit(Op::StepField(by, wanted));
            }
            _ => return Err(self.error("can't assign to this")),
        }
        Ok(())
    }

    fn unary(&mut self, unary: Unary, operand: Id) -> Done {
        if let (Unary::Minus, Expr::Number(number)) = (unary, self.expr_of(operand)) {
            self.push(Value::Number(-*number));
            return Ok(());
        }
        self.value(operand)?;
        self.emit(match unary {
            Unary::Not => Op::Not,
            Unary::Minus => Op::Negate,
            Unary::Plus => Op::Plus,
        });
        Ok(())
    }

    fn matching(&mut self, subject: Id, regex: Id, negated: bool) -> Done {
        let Expr::Regex(source) = self.expr_of(regex) else {
            self.value(subject)?;
            self.value(regex)?;
            self.emit(Op::MatchDynamic(negated));
            return Ok(());
        };
        let regex = self.regex(source)?;
        if self.is_record(subject) {
            self.emit(Op::MatchRecord(regex, negated));
        } else {
            self.value(subject)?;
            self.emit(Op::Match(regex, negated));
        }
        Ok(())
    }

    pub(super) fn is_record(&self, id: Id) -> bool {
        matches!(self.expr_of(id), Expr::Field(number) if self.fixed_field(*number) == Some(0))
    }

    /// The value of `&&` and `||`: 0 or 1.
    fn logic(&mut self, id: Id) -> Done {
        let (no, after) = (self.label(), self.label());
        self.condition(id, false, no)?;
        self.push(Value::Number(1.0));
        self.emit(Op::Jump(after.0));
        self.put(no);
        self.push(Value::Number(0.0));
        self.put(after);
        Ok(())
    }

    /// Jumps if the truth of an expression is `when`, and goes on otherwise.
    pub(super) fn condition(&mut self, id: Id, when: bool, to: Label) -> Done {
        match self.expr_of(id) {
            Expr::Unary(Unary::Not, operand) => self.condition(*operand, !when, to),
            Expr::Compare(compare, left, right) => {
                let test = Test::new(*compare, when);
                match (self.place(*left), self.place(*right), self.short(to)) {
                    (Some(left), Some(right), Some(to)) => self.emit(Op::JumpPlaces(test, left, right, to)),
                    (None, Some(right), Some(to)) => {
                        self.value(*left)?;
                        self.emit(Op::JumpPlace(test, right, to));
                    }
                    _ => {
                        self.value(*left)?;
                        self.value(*right)?;
                        self.emit(Op::JumpCompare(*compare, when, to.0));
                    }
                }
                Ok(())
            }
            Expr::Regex(source) => self.jump_match(source, when, to),
            Expr::Match {
                subject,
                regex,
                negated,
            } if self.is_record(*subject) => match self.expr_of(*regex) {
                Expr::Regex(source) => self.jump_match(source, when != *negated, to),
                _ => self.jump(id, when, to),
            },
            // `a && b` is false as soon as `a` is; `a || b` is true as soon as `a` is.
            Expr::And(left, right) => self.both(*left, *right, false, when, to),
            Expr::Or(left, right) => self.both(*left, *right, true, when, to),
            _ => self.jump(id, when, to),
        }
    }

    fn both(&mut self, left: Id, right: Id, decided: bool, when: bool, to: Label) -> Done {
        if when == decided {
            self.condition(left, when, to)?;
            return self.condition(right, when, to);
        }
        let on = self.label();
        self.condition(left, decided, on)?;
        self.condition(right, when, to)?;
        self.put(on);
        Ok(())
    }

    fn jump(&mut self, id: Id, when: bool, to: Label) -> Done {
        self.value(id)?;
        self.emit(Op::JumpIf(when, to.0));
        Ok(())
    }

    fn jump_match(&mut self, source: &'a [u8], when: bool, to: Label) -> Done {
        let regex = self.regex(source)?;
        match u16::try_from(regex) {
            Ok(regex) => self.emit(Op::JumpMatch(when, regex, to.0)),
            Err(_) => {
                self.emit(Op::MatchRecord(regex, false));
                self.emit(Op::JumpIf(when, to.0));
            }
        }
        Ok(())
    }

    fn getline(&mut self, source: Source, target: Option<Id>) -> Done {
        if let Some(target) = target {
            self.address(target)?;
        }
        let from = match source {
            Source::Main => From::Main,
            Source::File(name) => {
                self.value(name)?;
                From::File
            }
            Source::Command(name) => {
                self.value(name)?;
                From::Command
            }
        };
        self.emit(Op::Getline(from, target.is_none()));
        match target {
            Some(target) => self.pending(target),
            None => Ok(()),
        }
    }

    /// Leaves what says where a target is: nothing, a subscript or the number of a field.
    pub(super) fn address(&mut self, target: Id) -> Done {
        match self.expr_of(target) {
            Expr::Index(_, keys) => self.key(keys),
            Expr::Field(number) if !self.is_record(target) => self.value(*number),
            _ => Ok(()),
        }
    }

    /// Assigns the pending text to a target whose address is on the stack.
    pub(super) fn pending(&mut self, target: Id) -> Done {
        match self.expr_of(target) {
            Expr::Name(name) => {
                let slot = self.scalar(*name)?;
                self.emit(Op::Pending(slot));
            }
            Expr::Index(array, _) => {
                let array = self.array(*array);
                self.emit(Op::PendingElement(array));
            }
            Expr::Field(_) if self.is_record(target) => self.emit(Op::PendingRecord),
            Expr::Field(_) => self.emit(Op::PendingField),
            _ => {}
        }
        Ok(())
    }
}
