//! Functions of the program.

use super::{Frame, Machine, Step};
use crate::array::Array;

/// How deep functions may call each other. What a call needs is on the heap, so this is a bound for programs that would
/// never come back, not one of the machine.
const MOST_CALLS: usize = 200_000;

impl Machine<'_> {
    /// Enters a function whose arguments are on the stack, and answers where it begins.
    pub(super) fn call(&mut self, number: u32, fresh: u8, back: u32) -> Step<usize> {
        if self.frames.len() >= MOST_CALLS {
            return Err(self.failure("function calls nested too deep"));
        }
        let function = &self.code.functions[number as usize];
        self.frames.push(Frame {
            back,
            base: self.base as u32,
            handles: self.array_base as u32,
            arrays: self.arrays.len() as u32,
            keys: self.keys.len() as u32,
        });
        for _ in 0..fresh {
            self.handles.push(self.arrays.len() as u32);
            self.arrays.push(Array::default());
        }
        self.base = self.stack.len() - function.scalars as usize;
        self.array_base = self.handles.len() - function.arrays as usize;
        Ok(function.entry as usize)
    }

    /// Leaves a function with the value on top, and answers where to go on.
    pub(super) fn come_back(&mut self) -> usize {
        let value = self.pop();
        self.stack.truncate(self.base);
        self.push(value);
        self.handles.truncate(self.array_base);
        let Some(frame) = self.frames.pop() else {
            return self.code.end as usize;
        };
        self.arrays.truncate(frame.arrays as usize);
        self.keys.truncate(frame.keys as usize);
        self.base = frame.base as usize;
        self.array_base = frame.handles as usize;
        frame.back as usize
    }
}
