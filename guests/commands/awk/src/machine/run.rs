//! The loop over the steps.

use super::arith::{holds, numbers_hold};
use super::output::Show;
use super::{Machine, Step, Stop};
use crate::array::Key;
use crate::code::{At, Op, Place, Slot, Wanted};
use crate::copy::append;
use crate::text::Text;
use crate::value::Value;

impl Machine<'_> {
    /// A value that lies at hand.
    #[inline]
    fn at_hand(&self, place: Place) -> &Value {
        match place.at() {
            At::Global(at) => &self.globals[at],
            At::Local(at) => &self.stack[self.base + at],
            At::Constant(at) => &self.code.constants[at],
        }
    }

    #[inline]
    fn put(&mut self, place: Place, value: Value) {
        match place.at() {
            At::Global(at) => self.globals[at] = value,
            At::Local(at) => {
                let at = self.base + at;
                self.stack[at] = value;
            }
            // The compiler assigns to no constant.
            At::Constant(_) => {}
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or_default()
    }

    #[inline]
    pub(super) fn pop_number(&mut self) -> f64 {
        match self.stack.pop() {
            Some(Value::Number(number)) => number,
            Some(value) => value.number(),
            None => 0.0,
        }
    }

    #[inline]
    fn pop_key(&mut self) -> Key {
        let value = self.pop();
        Key::of(value, &self.convfmt)
    }

    #[inline]
    pub(super) fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    #[inline]
    pub(super) fn push_number(&mut self, number: f64) {
        self.stack.push(Value::Number(number));
    }

    #[inline]
    fn push_truth(&mut self, is: bool) {
        self.stack.push(Value::truth(is));
    }

    /// Whether the comparison of the two values on top holds.
    #[inline]
    fn compared(&mut self, compare: crate::ast::Compare) -> bool {
        let right = self.pop();
        let left = self.pop();
        self.test(compare, &left, &right)
    }

    /// Whether a comparison holds.
    #[inline]
    fn test(&self, compare: crate::ast::Compare, left: &Value, right: &Value) -> bool {
        if let (Value::Number(left), Value::Number(right)) = (left, right) {
            return numbers_hold(compare, *left, *right);
        }
        holds(compare, left.compare(right, &self.convfmt))
    }

    /// Runs from a step to the end of its phase.
    pub(super) fn steps(&mut self, entry: usize) -> Step {
        let code = self.code;
        let mut next = entry;
        loop {
            let at = next;
            next += 1;
            match code.ops[at] {
                Op::Constant(number) => self.push(code.constants[number as usize].clone()),
                Op::Pop => drop(self.stack.pop()),
                Op::Peek => {
                    let top = self.stack.last().cloned().unwrap_or_default();
                    self.push(top);
                }
                Op::Global(number) => self.push(self.globals[usize::from(number)].clone()),
                Op::Local(number) => self.push(self.stack[self.base + usize::from(number)].clone()),
                Op::Special(number) => {
                    let value = self.special(number);
                    self.push(value);
                }
                Op::Set(slot, keep) => {
                    let value = self.pop();
                    if keep {
                        self.push(value.clone());
                    }
                    self.at = at;
                    self.set(slot, value)?;
                }
                Op::Record => {
                    let value = self.record_value();
                    self.push(value);
                }
                Op::Field(number) => {
                    let value = self.record.field(number as usize);
                    self.push(value);
                }
                Op::FieldAt => {
                    let number = self.pop();
                    self.at = at;
                    let number = self.field_number(&number)?;
                    let value = self.field(number);
                    self.push(value);
                }
                Op::SetField(keep) => {
                    let value = self.pop();
                    let number = self.pop();
                    self.at = at;
                    let number = self.field_number(&number)?;
                    if keep {
                        self.push(value.clone());
                    }
                    self.set_field(number, value);
                }
                Op::Element(array) => {
                    let key = self.pop_key();
                    let array = self.array_number(array);
                    let value = self.arrays[array].element(key).clone();
                    self.push(value);
                }
                Op::SetElement(array, keep) => {
                    let value = self.pop();
                    let key = self.pop_key();
                    let array = self.array_number(array);
                    if keep {
                        self.push(value.clone());
                    }
                    self.arrays[array].set(key, value);
                }
                Op::Update(arith, keep, slot) => {
                    let by = self.pop_number();
                    let before = match slot {
                        Slot::Global(number) => self.globals[usize::from(number)].number(),
                        slot => self.get(slot).number(),
                    };
                    self.at = at;
                    let result = self.calculate(arith, before, by)?;
                    if keep {
                        self.push_number(result);
                    }
                    self.set(slot, Value::Number(result))?;
                }
                Op::UpdateElement(arith, keep, array) => {
                    let by = self.pop_number();
                    let key = self.pop_key();
                    let array = self.array_number(array);
                    let before = self.arrays[array].element(key.clone()).number();
                    self.at = at;
                    let result = self.calculate(arith, before, by)?;
                    *self.arrays[array].element(key) = Value::Number(result);
                    if keep {
                        self.push_number(result);
                    }
                }
                Op::UpdateField(arith, keep) => {
                    let by = self.pop_number();
                    let number = self.pop();
                    self.at = at;
                    let number = self.field_number(&number)?;
                    let before = self.field(number).number();
                    let result = self.calculate(arith, before, by)?;
                    self.set_field(number, Value::Number(result));
                    if keep {
                        self.push_number(result);
                    }
                }
                Op::Step(by, wanted, slot) => {
                    let before = match slot {
                        Slot::Global(number) => self.globals[usize::from(number)].number(),
                        slot => self.get(slot).number(),
                    };
                    self.at = at;
                    self.set(slot, Value::Number(before + f64::from(by)))?;
                    self.push_step(wanted, before, by);
                }
                Op::StepElement(by, wanted, array) => {
                    let key = self.pop_key();
                    let array = self.array_number(array);
                    let element = self.arrays[array].element(key);
                    let before = element.number();
                    *element = Value::Number(before + f64::from(by));
                    self.push_step(wanted, before, by);
                }
                Op::StepField(by, wanted) => {
                    let number = self.pop();
                    self.at = at;
                    let number = self.field_number(&number)?;
                    let before = self.field(number).number();
                    self.set_field(number, Value::Number(before + f64::from(by)));
                    self.push_step(wanted, before, by);
                }
                Op::Join(count) => {
                    let from = self.stack.len() - count as usize;
                    let mut joined = Vec::new();
                    for (number, value) in self.stack[from..].iter().enumerate() {
                        if number > 0 {
                            joined.extend_from_slice(&self.subsep);
                        }
                        joined.extend_from_slice(&value.bytes(&self.convfmt));
                    }
                    self.stack.truncate(from);
                    self.push(Value::Text(Text::from_vec(joined)));
                }
                Op::In(array) => {
                    let key = self.pop_key();
                    let array = self.array_number(array);
                    let is = self.arrays[array].contains(&key);
                    self.push_truth(is);
                }
                Op::Delete(array) => {
                    let key = self.pop_key();
                    let array = self.array_number(array);
                    self.arrays[array].delete(&key);
                }
                Op::Clear(array) => {
                    let array = self.array_number(array);
                    self.arrays[array].clear();
                }
                Op::Count(array) => {
                    let array = self.array_number(array);
                    let count = self.arrays[array].len();
                    self.push_number(count as f64);
                }
                Op::Arith(arith) => {
                    let right = self.pop_number();
                    let left = self.pop_number();
                    self.at = at;
                    let result = self.calculate(arith, left, right)?;
                    self.push_number(result);
                }
                Op::ArithPlace(arith, right) => {
                    let right = self.at_hand(right).number();
                    let left = self.pop_number();
                    self.at = at;
                    let result = self.calculate(arith, left, right)?;
                    self.push_number(result);
                }
                Op::ArithPlaces(arith, left, right) => {
                    let (left, right) = (self.at_hand(left).number(), self.at_hand(right).number());
                    self.at = at;
                    let result = self.calculate(arith, left, right)?;
                    self.push_number(result);
                }
                Op::UpdatePlace(arith, place, by) => {
                    let (before, by) = (self.at_hand(place).number(), self.at_hand(by).number());
                    self.at = at;
                    let result = self.calculate(arith, before, by)?;
                    self.put(place, Value::Number(result));
                }
                Op::StepPlace(by, place) => {
                    let before = self.at_hand(place).number();
                    self.put(place, Value::Number(before + f64::from(by)));
                }
                Op::ElementPlace(array, key) => {
                    let key = Key::of_ref(self.at_hand(key), &self.convfmt);
                    let array = self.array_number(array);
                    let value = self.arrays[array].element(key).clone();
                    self.push(value);
                }
                Op::Negate => {
                    let number = self.pop_number();
                    self.push_number(-number);
                }
                Op::Plus => {
                    let number = self.pop_number();
                    self.push_number(number);
                }
                Op::Not => {
                    let is = self.pop().is_true();
                    self.push_truth(!is);
                }
                Op::Truth => {
                    let is = self.pop().is_true();
                    self.push_truth(is);
                }
                Op::Compare(compare) => {
                    let is = self.compared(compare);
                    self.push_truth(is);
                }
                Op::Concat(count) => self.concatenate(count as usize),
                Op::ConcatOperands(number) => {
                    let mut joined = std::mem::take(&mut self.line);
                    joined.clear();
                    self.show_operands(&mut joined, &code.operands[number as usize], Show::Joined);
                    self.push(Value::text(&joined));
                    self.line = joined;
                }
                Op::Append(count, slot) => self.append(usize::from(count), slot),
                Op::MatchRecord(regex, negated) => {
                    let is = code.regexes[regex as usize].is_match(self.record.text(&self.ofs, &self.convfmt));
                    self.push_truth(is != negated);
                }
                Op::Match(regex, negated) => {
                    let subject = self.pop();
                    let is = code.regexes[regex as usize].is_match(&self.bytes_of(&subject));
                    self.push_truth(is != negated);
                }
                Op::MatchDynamic(negated) => {
                    let regex = self.pop();
                    let subject = self.pop();
                    self.at = at;
                    let regex = self.dynamic(&regex)?;
                    let is = regex.is_match(&self.bytes_of(&subject));
                    self.push_truth(is != negated);
                }
                Op::Jump(to) => next = to as usize,
                Op::JumpIf(when, to) => {
                    if self.pop().is_true() == when {
                        next = to as usize;
                    }
                }
                Op::JumpCompare(compare, when, to) => {
                    if self.compared(compare) == when {
                        next = to as usize;
                    }
                }
                Op::JumpPlace(test, right, to) => {
                    let left = self.pop();
                    if self.test(test.compare(), &left, self.at_hand(right)) == test.when() {
                        next = to.into();
                    }
                }
                Op::JumpPlaces(test, left, right, to) => {
                    if self.test(test.compare(), self.at_hand(left), self.at_hand(right)) == test.when() {
                        next = to.into();
                    }
                }
                Op::JumpMatch(when, regex, to) => {
                    let subject = self.record.text(&self.ofs, &self.convfmt);
                    if code.regexes[usize::from(regex)].is_match(subject) == when {
                        next = to as usize;
                    }
                }
                Op::Print(redirect, count) => {
                    self.at = at;
                    self.print(redirect, count.into())?;
                }
                Op::Printf(redirect, count) => {
                    self.at = at;
                    self.printf(redirect, count.into())?;
                }
                Op::PrintRecord => {
                    self.at = at;
                    self.print_record()?;
                }
                Op::PrintOperands(number) => {
                    self.at = at;
                    self.print_operands(&code.operands[number as usize])?;
                }
                Op::Handle(array) => {
                    let array = self.array_number(array);
                    self.handles.push(array as u32);
                }
                Op::Regex(number) => self.regex = Some(code.regexes[number as usize].clone()),
                Op::RegexOf => {
                    let source = self.pop();
                    self.at = at;
                    self.regex = Some(self.dynamic(&source)?);
                }
                Op::Call(fresh, function) => {
                    self.at = at;
                    next = self.call(function, fresh, next as u32)?;
                }
                Op::Return => next = self.come_back(),
                Op::Builtin(builtin, count, regex) => {
                    self.at = at;
                    self.builtin(builtin, count.into(), regex)?;
                }
                Op::BuiltinOfRecord(builtin, count, regex) => {
                    self.at = at;
                    self.builtin_of_record(builtin, count.into(), regex)?;
                }
                Op::SubstituteRecord(all) => self.substitute_record(all),
                Op::LengthOfRecord => {
                    let length = crate::utf8::length(self.record.text(&self.ofs, &self.convfmt));
                    self.push_number(length as f64);
                }
                Op::Getline(from, record) => {
                    self.at = at;
                    self.getline(from, record)?;
                }
                Op::Pending(slot) => {
                    if self.has_pending() {
                        let text = self.take_pending();
                        self.at = at;
                        self.set(slot, text)?;
                    }
                }
                Op::PendingElement(array) => {
                    let status = self.pop();
                    let key = self.pop_key();
                    self.push(status);
                    if self.has_pending() {
                        let array = self.array_number(array);
                        let text = self.take_pending();
                        self.arrays[array].set(key, text);
                    }
                }
                Op::PendingField => {
                    let status = self.pop();
                    let number = self.pop();
                    self.push(status);
                    if self.has_pending() {
                        self.at = at;
                        let number = self.field_number(&number)?;
                        let text = self.take_pending();
                        self.set_field(number, text);
                    }
                }
                Op::PendingRecord => {
                    if self.has_pending() {
                        let text = self.take_pending();
                        self.set_field(0, text);
                    }
                }
                Op::Over(array) => {
                    let array = self.array_number(array);
                    let keys = self.arrays[array].keys();
                    self.keys.push(keys.into_iter());
                }
                Op::NextKey(done) => match self.keys.last_mut().and_then(Iterator::next) {
                    Some(key) => self.push(key.value()),
                    None => {
                        self.keys.pop();
                        next = done as usize;
                    }
                },
                Op::DropKeys => drop(self.keys.pop()),
                Op::JumpInRange(range, to) => {
                    if self.ranges[usize::from(range)] {
                        next = to as usize;
                    }
                }
                Op::SetRange(range, on) => self.ranges[usize::from(range)] = on,
                Op::Next => {
                    self.at = at;
                    return Err(Stop::Next);
                }
                Op::NextFile => return Err(Stop::NextFile),
                Op::Exit(given) => {
                    if given {
                        self.status = self.pop_number() as i64 as u8;
                    }
                    return Err(Stop::Exit);
                }
                Op::End => return Ok(()),
            }
        }
    }

    #[inline]
    fn push_step(&mut self, wanted: Wanted, before: f64, by: i8) {
        match wanted {
            Wanted::Before => self.push_number(before),
            Wanted::After => self.push_number(before + f64::from(by)),
            Wanted::Nothing => {}
        }
    }

    fn has_pending(&self) -> bool {
        matches!(self.stack.last(), Some(Value::Number(count)) if *count > 0.0)
    }

    fn take_pending(&mut self) -> Value {
        Value::Text(std::mem::replace(&mut self.pending, Text::EMPTY))
    }

    fn concatenate(&mut self, count: usize) {
        let from = self.stack.len() - count;
        let mut joined = std::mem::take(&mut self.line);
        joined.clear();
        for value in &self.stack[from..] {
            match value {
                Value::Text(text) => append(&mut joined, text.bytes()),
                Value::Unset => {}
                Value::Number(number) => crate::format::number(&mut joined, *number, &self.convfmt),
            }
        }
        self.stack.truncate(from);
        self.push(Value::text(&joined));
        self.line = joined;
    }

    /// `x = x a b`, where nobody else has the string without copying it.
    fn append(&mut self, count: usize, slot: Slot) {
        let from = self.stack.len() - count;
        let mut joined = std::mem::take(&mut self.line);
        joined.clear();
        for value in &self.stack[from..] {
            append(&mut joined, &value.bytes(&self.convfmt));
        }
        self.stack.truncate(from);
        let place = match slot {
            Slot::Local(at) => &mut self.stack[self.base + usize::from(at)],
            Slot::Global(at) | Slot::Special(at) => &mut self.globals[usize::from(at)],
        };
        let mut text = std::mem::take(place).into_text(&self.convfmt);
        text.append(&joined);
        *place = Value::Text(text);
        self.line = joined;
    }
}
