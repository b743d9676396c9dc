//! Calls.

use super::{Compiler, Done};
use crate::ast::{Expr, Id};
use crate::builtin::Builtin;
use crate::code::Op;
use crate::value::Value;

impl<'a> Compiler<'a> {
    pub(super) fn call(&mut self, function: u32, arguments: &'a [Id]) -> Done {
        let callee = &self.program.functions[function as usize];
        if !callee.defined {
            let Some(entry) = Builtin::named(&callee.name) else {
                return Err(self.error(format!("calling undefined function {}", callee.name)));
            };
            if arguments.len() < entry.fewest || arguments.len() > entry.most {
                return Err(self.error(entry.wrong_count(arguments.len())));
            }
            return self.builtin(entry.builtin, arguments);
        }
        let mut fresh = 0;
        for parameter in 0..callee.parameters.len() {
            let is_array = self.names.is_array_parameter(function, parameter);
            match (arguments.get(parameter), is_array) {
                (Some(id), true) => self.handle(*id)?,
                (Some(id), false) => self.value(*id)?,
                (None, true) => fresh += 1,
                (None, false) => {
                    let unset = self.constant(Value::Unset);
                    self.emit(Op::Constant(unset));
                }
            }
        }
        self.emit(Op::Call(fresh, function));
        Ok(())
    }

    /// Hands over an array.
    fn handle(&mut self, id: Id) -> Done {
        match self.expr_of(id) {
            Expr::Name(name) if self.is_array(*name) => {
                let array = self.array(*name);
                self.emit(Op::Handle(array));
                Ok(())
            }
            _ => Err(self.error("an array is wanted here")),
        }
    }

    /// The regular expression of the builtin that comes next. It is made ready last, so that nothing in between needs
    /// another one.
    fn expression(&mut self, id: Id) -> Done {
        match self.expr_of(id) {
            Expr::Regex(source) => {
                let regex = self.regex(source)?;
                self.emit(Op::Regex(regex));
            }
            _ => {
                self.value(id)?;
                self.emit(Op::RegexOf);
            }
        }
        Ok(())
    }

    pub(super) fn builtin(&mut self, builtin: Builtin, arguments: &'a [Id]) -> Done {
        match (builtin, arguments) {
            (Builtin::Length, []) => self.emit(Op::LengthOfRecord),
            (Builtin::Length, [id]) if self.is_record(*id) => self.emit(Op::LengthOfRecord),
            (Builtin::Length, [id]) => {
                if let Expr::Name(name) = self.expr_of(*id)
                    && self.is_array(*name)
                {
                    let array = self.array(*name);
                    self.emit(Op::Count(array));
                } else {
                    self.value(*id)?;
                    self.emit(Op::Builtin(builtin, 1, false));
                }
            }
            (Builtin::Sub | Builtin::Gsub, [regex, replacement, rest @ ..]) => {
                self.substitution(builtin, *regex, *replacement, rest.first().copied())?;
            }
            (Builtin::Gensub, [regex, replacement, how, rest @ ..]) => {
                match rest.first() {
                    Some(target) => self.value(*target)?,
                    None => self.emit(Op::Record),
                }
                self.value(*replacement)?;
                self.value(*how)?;
                self.expression(*regex)?;
                self.emit(Op::Builtin(builtin, 3, true));
            }
            (Builtin::Match, [subject, regex, rest @ ..]) => {
                let of_record = self.subject(*subject, std::slice::from_ref(regex))?;
                for array in rest {
                    self.handle(*array)?;
                }
                self.expression(*regex)?;
                self.of_text(of_record, builtin, 1 + rest.len(), true);
            }
            (Builtin::Split, [subject, array, rest @ ..]) => {
                let of_record = self.subject(*subject, rest)?;
                self.handle(*array)?;
                match rest.first().map(|id| (*id, self.expr_of(*id))) {
                    // An empty expression lies between any two characters, as the empty string does.
                    Some((id, Expr::Regex(source))) if !source.is_empty() => {
                        self.expression(id)?;
                        self.of_text(of_record, builtin, 1, true);
                    }
                    Some((_, Expr::Regex(_))) => {
                        let nothing = self.constant(Value::text(b""));
                        self.emit(Op::Constant(nothing));
                        self.of_text(of_record, builtin, 2, false);
                    }
                    Some((id, _)) => {
                        self.value(id)?;
                        self.of_text(of_record, builtin, 2, false);
                    }
                    None => self.of_text(of_record, builtin, 1, false),
                }
            }
            (Builtin::Asort | Builtin::Asorti, arrays) => {
                for array in arrays {
                    self.handle(*array)?;
                }
                self.emit(Op::Builtin(builtin, arrays.len() as u8, false));
            }
            (Builtin::Index, [_, pattern]) if matches!(self.expr_of(*pattern), Expr::Regex(_)) => {
                return Err(self.error("index doesn't permit regular expressions"));
            }
            (Builtin::Substr | Builtin::Index | Builtin::Tolower | Builtin::Toupper, [subject, rest @ ..]) => {
                let of_record = self.subject(*subject, rest)?;
                for argument in rest {
                    self.value(*argument)?;
                }
                self.of_text(of_record, builtin, arguments.len(), false);
            }
            _ => {
                for argument in arguments {
                    self.value(*argument)?;
                }
                let count = u8::try_from(arguments.len()).map_err(|_| self.error("too many arguments"))?;
                self.emit(Op::Builtin(builtin, count, false));
            }
        }
        Ok(())
    }

    /// The string that a builtin is about. It stays where it is when it is the record and no other argument can change
    /// that; true says so.
    fn subject(&mut self, id: Id, others: &[Id]) -> Result<bool, crate::error::Error> {
        if self.is_record(id) && others.iter().all(|id| self.is_quiet(*id)) {
            return Ok(true);
        }
        self.value(id)?;
        Ok(false)
    }

    /// Whether an expression reads variables and does nothing else.
    fn is_quiet(&self, id: Id) -> bool {
        match self.expr_of(id) {
            Expr::Number(_) | Expr::String(_) | Expr::Regex(_) | Expr::Name(_) => true,
            Expr::Field(operand) | Expr::Unary(_, operand) => self.is_quiet(*operand),
            Expr::Arith(_, left, right) => self.is_quiet(*left) && self.is_quiet(*right),
            Expr::Index(_, list) | Expr::Concat(list) => list.iter().all(|id| self.is_quiet(*id)),
            Expr::Builtin(builtin, list) => {
                let reads = matches!(
                    builtin,
                    Builtin::Index | Builtin::Int | Builtin::Length | Builtin::Substr
                );
                reads && list.iter().all(|id| self.is_quiet(*id))
            }
            _ => false,
        }
    }

    fn of_text(&mut self, of_record: bool, builtin: Builtin, count: usize, regex: bool) {
        self.emit(match of_record {
            true => Op::BuiltinOfRecord(builtin, count as u8, regex),
            false => Op::Builtin(builtin, count as u8, regex),
        });
    }

    /// The target is where the result goes, unless it is only a value.
    fn substitution(&mut self, builtin: Builtin, regex: Id, replacement: Id, target: Option<Id>) -> Done {
        if target.is_none_or(|target| self.is_record(target)) {
            self.value(replacement)?;
            self.expression(regex)?;
            self.emit(Op::SubstituteRecord(builtin == Builtin::Gsub));
            return Ok(());
        }
        let assignable =
            target.filter(|id| matches!(self.expr_of(*id), Expr::Name(_) | Expr::Index(..) | Expr::Field(_)));
        if let Some(target) = assignable {
            self.address(target)?;
        }
        match (assignable.map(|id| self.expr_of(id)), target) {
            (Some(Expr::Index(array, _)), _) => {
                let array = self.array(*array);
                self.emit(Op::Peek);
                self.emit(Op::Element(array));
            }
            (Some(Expr::Field(_)), _) => {
                self.emit(Op::Peek);
                self.emit(Op::FieldAt);
            }
            (_, Some(target)) => self.value(target)?,
            (_, None) => {}
        }
        self.value(replacement)?;
        self.expression(regex)?;
        self.emit(Op::Builtin(builtin, 2, true));
        match assignable {
            Some(target) => self.pending(target),
            None => Ok(()),
        }
    }
}
