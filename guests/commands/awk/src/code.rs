//! A program as the machine runs it.

use crate::ast::{Arith, Compare, Redirect};
use crate::builtin::Builtin;
use crate::regex::Regex;
use crate::value::Value;
use std::rc::Rc;

/// An array: a global by its number, or one of those that the function was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayRef {
    Global(u16),
    Local(u16),
}

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Global(u16),
    /// A global that is more than a variable.
    Special(u16),
    Local(u16),
}

/// A value that lies at hand: a variable or a constant, in two bytes, so that a step can name two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u16);

/// What kind of value lies at a [`Place`], and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Global(usize),
    Local(usize),
    Constant(usize),
}

impl Place {
    const KIND: u32 = 14;
    const MOST: usize = (1 << Place::KIND) - 1;

    /// The place, if its number is small enough.
    ///
    /// ```
    /// use awk::code::{At, Place};
    /// assert_eq!(Place::new(At::Local(3)).map(Place::at), Some(At::Local(3)));
    /// assert_eq!(Place::new(At::Constant(20_000)), None);
    /// ```
    pub fn new(at: At) -> Option<Place> {
        let (kind, number) = match at {
            At::Global(number) => (0, number),
            At::Local(number) => (1, number),
            At::Constant(number) => (2, number),
        };
        (number <= Place::MOST).then_some(Place(kind << Place::KIND | number as u16))
    }

    /// What lies there.
    #[inline]
    pub fn at(self) -> At {
        let number = usize::from(self.0) & Place::MOST;
        match self.0 >> Place::KIND {
            0 => At::Global(number),
            1 => At::Local(number),
            _ => At::Constant(number),
        }
    }
}

/// What becomes of the value of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Before,
    After,
    Nothing,
}

/// Where `getline` reads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    Main,
    File,
    Command,
}

/// One step of the machine. What it takes and leaves on the stack is said as `before -> after`.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// `-> constant`
    Constant(u32),
    /// `value ->`
    Pop,
    /// `value -> value value`
    Peek,
    /// `-> value`
    Global(u16),
    /// `-> value`
    Local(u16),
    /// `-> value`
    Special(u16),
    /// `value -> value`, or nothing.
    Set(Slot, bool),
    /// `-> $0`
    Record,
    /// `-> field`
    Field(u32),
    /// `number -> field`
    FieldAt,
    /// `number value -> value`, or nothing.
    SetField(bool),
    /// `key -> element`
    Element(ArrayRef),
    /// `key value -> value`, or nothing.
    SetElement(ArrayRef, bool),
    /// `value -> result`, or nothing: `x += value`.
    Update(Arith, bool, Slot),
    /// `key value -> result`, or nothing.
    UpdateElement(Arith, bool, ArrayRef),
    /// `number value -> result`, or nothing.
    UpdateField(Arith, bool),
    /// `-> value`, or nothing: `x++`.
    Step(i8, Wanted, Slot),
    /// `key -> value`, or nothing.
    StepElement(i8, Wanted, ArrayRef),
    /// `number -> value`, or nothing.
    StepField(i8, Wanted),
    /// `keys -> key`
    Join(u32),
    /// `key -> 0 or 1`
    In(ArrayRef),
    /// `key ->`
    Delete(ArrayRef),
    Clear(ArrayRef),
    /// `-> how many elements`
    Count(ArrayRef),
    /// `a b -> result`
    Arith(Arith),
    /// `a -> result`
    ArithPlace(Arith, Place),
    /// `-> result`
    ArithPlaces(Arith, Place, Place),
    /// Nothing on the stack: `x += y`.
    UpdatePlace(Arith, Place, Place),
    /// Nothing on the stack: `x++`.
    StepPlace(i8, Place),
    /// `-> element`
    ElementPlace(ArrayRef, Place),
    /// `a -> result`
    Negate,
    /// `a -> number`
    Plus,
    /// `a -> 0 or 1`
    Not,
    /// `a -> 0 or 1`
    Truth,
    /// `a b -> 0 or 1`
    Compare(Compare),
    /// `values -> text`
    Concat(u32),
    /// `-> text`, of what lies at hand.
    ConcatOperands(u32),
    /// `values ->`: `x = x values`.
    Append(u8, Slot),
    /// `-> 0 or 1`
    MatchRecord(u32, bool),
    /// `subject -> 0 or 1`
    Match(u32, bool),
    /// `subject regex -> 0 or 1`
    MatchDynamic(bool),
    Jump(u32),
    /// `a ->`, and jumps if it is so.
    JumpIf(bool, u32),
    /// `a b ->`, and jumps if the comparison has that outcome.
    JumpCompare(Compare, bool, u32),
    /// `a ->`, the same with what lies at hand on the right.
    JumpPlace(Test, Place, u16),
    /// The same with both at hand.
    JumpPlaces(Test, Place, Place, u16),
    /// Jumps if the record matches, or does not.
    JumpMatch(bool, u16, u32),
    /// `values -> `, with the name of a redirection last.
    Print(Redirect, u16),
    Printf(Redirect, u16),
    PrintRecord,
    /// Prints what lies at hand, past the stack.
    PrintOperands(u32),
    /// Hands an array to what is called next.
    Handle(ArrayRef),
    /// The regular expression for what is called next.
    Regex(u32),
    /// The same, `value ->`.
    RegexOf,
    /// `arguments -> value`; how many arrays the function makes for itself.
    Call(u8, u32),
    /// `value ->` here, `-> value` at the call.
    Return,
    /// `arguments -> value`; whether a regular expression is at hand.
    Builtin(Builtin, u8, bool),
    /// The same of the record, which is the first argument and not on the stack.
    BuiltinOfRecord(Builtin, u8, bool),
    /// `replacement -> count`: `sub` and, if so, `gsub` of the record.
    SubstituteRecord(bool),
    /// `-> length`
    LengthOfRecord,
    /// `name ->`, except for the main input, `-> status`; whether the record takes the line.
    Getline(From, bool),
    /// If the number on top is positive, the text that is pending goes there.
    Pending(Slot),
    /// `key number -> number`
    PendingElement(ArrayRef),
    /// `number number -> number`
    PendingField,
    PendingRecord,
    /// Begins to go over an array.
    Over(ArrayRef),
    /// `-> key`, or jumps when there is none left.
    NextKey(u32),
    /// Ends going over an array.
    DropKeys,
    /// Jumps if the range is on.
    JumpInRange(u16, u32),
    SetRange(u16, bool),
    Next,
    NextFile,
    /// `status ->` if there is one.
    Exit(bool),
    /// The end of BEGIN, of the rules, or of END.
    End,
}

// The steps of a loop should lie close together.
const _: () = assert!(size_of::<Op>() == 8);

/// A comparison and the outcome that a jump waits for, in one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test(u8);

impl Test {
    const ALL: [Compare; 6] = [
        Compare::Less,
        Compare::LessEqual,
        Compare::Equal,
        Compare::NotEqual,
        Compare::Greater,
        Compare::GreaterEqual,
    ];

    /// The test.
    pub fn new(compare: Compare, when: bool) -> Test {
        Test((compare as u8) << 1 | u8::from(when))
    }

    /// The comparison.
    #[inline]
    pub fn compare(self) -> Compare {
        Test::ALL[usize::from(self.0 >> 1)]
    }

    /// The outcome.
    #[inline]
    pub fn when(self) -> bool {
        self.0 & 1 == 1
    }
}

/// What [`Op::PrintOperands`] prints.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    Constant(u32),
    Field(u32),
    Slot(Slot),
}

/// A function.
#[derive(Debug)]
pub struct Function {
    pub entry: u32,
    /// How many parameters are no arrays.
    pub scalars: u32,
    /// How many are.
    pub arrays: u32,
}

/// A program.
#[derive(Debug, Default)]
pub struct Code {
    pub ops: Vec<Op>,
    /// The line of each step.
    pub lines: Vec<u32>,
    pub constants: Vec<Value>,
    pub regexes: Vec<Rc<Regex>>,
    pub operands: Vec<Vec<Operand>>,
    pub functions: Vec<Function>,
    pub begin: u32,
    pub rules: u32,
    pub end: u32,
    pub has_rules: bool,
    pub has_end: bool,
    pub ranges: usize,
    /// The names of the globals.
    pub globals: Vec<String>,
    /// For each global whether it is an array.
    pub arrays: Vec<bool>,
}
