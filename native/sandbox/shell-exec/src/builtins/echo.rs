//! `echo`, as XSI has it: escapes count, and `-n` leaves the newline out.

use super::{Done, Out};
use crate::ast::Bytes;
use crate::escape;
use crate::shell::Shell;

pub(super) fn echo(_: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let args = &args[1..];
    let (newline, args) = match args.first() {
        Some(first) if first == b"-n" => (false, &args[1..]),
        _ => (true, args),
    };
    for (at, arg) in args.iter().enumerate() {
        if at > 0 {
            out.bytes.push(b' ');
        }
        let (text, stop) = escape::echo(arg);
        out.bytes.extend(text);
        if stop {
            return Ok(0);
        }
    }
    if newline {
        out.bytes.push(b'\n');
    }
    Ok(0)
}
