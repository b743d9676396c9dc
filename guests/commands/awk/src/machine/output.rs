//! `print` and `printf`.

use super::input::reason;
use super::{Machine, Step};
use crate::ast::Redirect;
use crate::code::{Operand, Slot};
use crate::copy::append;
use crate::format::{self, Trouble};
use crate::value::Value;
use std::io;

/// How values are put together.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Show {
    /// As `print` does: with OFS between them, and numbers by OFMT.
    Printed,
    /// As a concatenation does: with nothing between them, and numbers by CONVFMT.
    Joined,
}

/// Adds a value, numbers by the format.
#[inline]
fn add(to: &mut Vec<u8>, value: &Value, format: &[u8]) {
    match value {
        Value::Text(text) => append(to, text.bytes()),
        Value::Number(number) => format::number(to, *number, format),
        Value::Unset => {}
    }
}

impl Machine<'_> {
    fn written(&mut self, result: io::Result<()>) -> Step {
        result.map_err(|error| self.failure(format!("can't write: {error}")))
    }

    pub(super) fn print_record(&mut self) -> Step {
        let printed = &mut self.streams.printed;
        printed.extend_from_slice(self.record.text(&self.ofs, &self.convfmt));
        append(printed, &self.ors);
        let result = self.streams.settle();
        self.written(result)
    }

    pub(super) fn print_operands(&mut self, operands: &[Operand]) -> Step {
        // Taken out for as long as it takes: reading a variable may need all of the machine.
        let mut printed = std::mem::take(&mut self.streams.printed);
        self.show_operands(&mut printed, operands, Show::Printed);
        append(&mut printed, &self.ors);
        self.streams.printed = printed;
        let result = self.streams.settle();
        self.written(result)
    }

    /// Adds what lies at hand, as `print` shows it or as one string.
    pub(super) fn show_operands(&mut self, to: &mut Vec<u8>, operands: &[Operand], show: Show) {
        for (number, operand) in operands.iter().enumerate() {
            if number > 0 && show == Show::Printed {
                append(to, &self.ofs);
            }
            let format = match show {
                Show::Printed => &self.ofmt,
                Show::Joined => &self.convfmt,
            };
            match *operand {
                Operand::Field(0) => append(to, self.record.text(&self.ofs, &self.convfmt)),
                Operand::Field(number) => self.record.write_field(number as usize, to, format),
                Operand::Constant(at) => add(to, &self.code.constants[at as usize], format),
                Operand::Slot(Slot::Global(at)) => add(to, &self.globals[usize::from(at)], format),
                Operand::Slot(slot) => {
                    let value = self.get(slot);
                    let format = match show {
                        Show::Printed => &self.ofmt,
                        Show::Joined => &self.convfmt,
                    };
                    add(to, &value, format);
                }
            }
        }
    }

    pub(super) fn print(&mut self, redirect: Redirect, count: usize) -> Step {
        let name = self.destination(redirect)?;
        let from = self.stack.len() - count;
        let mut shown = match redirect {
            Redirect::Stdout => std::mem::take(&mut self.streams.printed),
            _ => Vec::new(),
        };
        for (number, value) in self.stack[from..].iter().enumerate() {
            if number > 0 {
                append(&mut shown, &self.ofs);
            }
            add(&mut shown, value, &self.ofmt);
        }
        append(&mut shown, &self.ors);
        self.stack.truncate(from);
        self.deliver(redirect, &name, shown)
    }

    pub(super) fn printf(&mut self, redirect: Redirect, count: usize) -> Step {
        let name = self.destination(redirect)?;
        let from = self.stack.len() - count;
        let mut shown = match redirect {
            Redirect::Stdout => std::mem::take(&mut self.streams.printed),
            _ => Vec::new(),
        };
        let before = shown.len();
        let arguments = self.stack.split_off(from);
        let format = arguments[0].bytes(&self.convfmt);
        let result = format::print(&mut shown, &format, &arguments[1..], &self.convfmt);
        if let Err(trouble) = result {
            let failure = self.format_failure(&trouble, &format);
            if redirect == Redirect::Stdout {
                shown.truncate(before);
                self.streams.printed = shown;
            }
            return Err(failure);
        }
        self.deliver(redirect, &name, shown)
    }

    pub(super) fn format_failure(&self, trouble: &Trouble, format: &[u8]) -> super::Stop {
        let format = String::from_utf8_lossy(format);
        self.failure(match trouble {
            Trouble::TooFewArguments => format!("not enough args in printf({format})"),
            Trouble::Unknown(conversion) => {
                format!("weird printf conversion {}", String::from_utf8_lossy(conversion))
            }
            Trouble::TooWide => format!("width or precision too large in printf({format})"),
        })
    }

    fn destination(&mut self, redirect: Redirect) -> Step<Vec<u8>> {
        if redirect == Redirect::Stdout {
            return Ok(Vec::new());
        }
        let name = self.pop();
        let name = self.bytes_of(&name).into_owned();
        match name.is_empty() {
            true => Err(self.failure("null file name in print or getline")),
            false => Ok(name),
        }
    }

    fn deliver(&mut self, redirect: Redirect, name: &[u8], shown: Vec<u8>) -> Step {
        if redirect == Redirect::Stdout {
            self.streams.printed = shown;
            let result = self.streams.settle();
            return self.written(result);
        }
        let result = self.streams.print_to(redirect, name, &shown);
        result.map_err(|error| {
            let name = String::from_utf8_lossy(name);
            self.failure(format!("can't open file {name}: {}", reason(&error)))
        })
    }
}
