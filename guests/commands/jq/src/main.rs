//! `jq`: the command line of jq over the filters of jaq.

mod filter;
mod inputs;
mod messages;
mod number;
mod options;
mod output;

use jaq_all::data::{self, Runner};
use jaq_all::jaq_core::{ValT, Vars};
use options::{Options, Parsed};
use output::Printer;
use std::cell::Cell;
use std::process::exit;

const FALSE_OR_NULL: i32 = 1;
const MISUSED: i32 = 2;
const BAD_INPUT: i32 = 2;
const NOT_COMPILED: i32 = 3;
const NO_OUTPUT: i32 = 4;
const FAILED: i32 = 5;

fn main() {
    start::enter();
    messages::install();
    let words = start::first_line_as_argument().into_iter().skip(1).collect();
    let status = match options::parse(words) {
        Ok(Parsed::Run(options)) => run(&options),
        Ok(Parsed::Print(text)) => {
            println!("{text}");
            0
        }
        Err(message) => {
            eprintln!("jq: error: {message}\n{}", options::USAGE);
            MISUSED
        }
    };
    exit(status);
}

fn run(options: &Options) -> i32 {
    let (filter, values) = match filter::compile(options) {
        Ok(compiled) => compiled,
        Err((status, message)) => {
            eprint!("jq: error: {message}");
            return status;
        }
    };
    let runner = Runner {
        null_input: options.null_input,
        ..Runner::default()
    };
    let status = Cell::new(0);
    let inputs = inputs::values(options, &status);
    let name = inputs::name(options);
    let mut printer = Printer::new(options);
    let mut last = None;
    let ran = data::run(
        &runner,
        &filter,
        Vars::new(values),
        (&name, inputs),
        |message| {
            eprintln!("jq: error (at {}): {message}", inputs::place(options));
            BAD_INPUT
        },
        |value| match value {
            Ok(value) => {
                last = Some(value.as_bool());
                printer.print(&number::plain(value)).map_err(|_| FAILED)
            }
            Err(exception) => match exception.get_err() {
                Ok(error) => {
                    let _ = printer.flush();
                    eprintln!("jq: error (at {}): {error}", inputs::place(options));
                    status.set(FAILED);
                    Ok(())
                }
                Err(exception) => Err(exception.get_halt().unwrap_or(FAILED)),
            },
        },
    );
    let flushed = printer.flush();
    match ran {
        Err(status) => status,
        Ok(()) if flushed.is_err() => FAILED,
        Ok(()) if status.get() != 0 => status.get(),
        Ok(()) if options.exit_status => match last {
            Some(true) => 0,
            Some(false) => FALSE_OR_NULL,
            None => NO_OUTPUT,
        },
        Ok(()) => 0,
    }
}
