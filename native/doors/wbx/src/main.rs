//! wbx, the Workbooks command line.
//!
//! The way of a call: [`command_line`] reads the arguments by the [`table`], the verb returns an [`answer`], and
//! [`print`] shows it. Verbs parse nothing and print nothing.
#![forbid(unsafe_code)]

mod answer;
mod call;
mod command_line;
mod engine;
mod exit;
mod facts;
mod failure;
mod live;
mod man;
mod markdown;
mod mode;
mod moment;
mod parts;
mod place;
mod print;
mod replace;
mod reports;
mod revision;
mod root;
mod source;
mod table;
mod verb;
mod verbs;
mod verdict;
mod worker;

use answer::Answer;
use command_line::Request;
use exit::Exit;
use failure::Failure;
use mode::Mode;
use print::{Colour, Shown};
use std::{
    env,
    ffi::OsString,
    io::{self, ErrorKind, IsTerminal, Write},
    process::ExitCode,
};

fn main() -> ExitCode {
    let args: Vec<OsString> = env::args_os().collect();
    let (stdout, stderr) = (io::stdout().is_terminal(), io::stderr().is_terminal());
    let mode = Mode::of_process();
    let wanted = colour_is_wanted();
    let colour = Colour {
        stdout: stdout && wanted,
        stderr: stderr && wanted,
    };
    let verb = command_line::verb_of(&args).map(|verb| verb.name);
    // A spinner would run over what a person types into standard input.
    let quiet = mode != Mode::Human || terminal_is_dumb() || args.iter().any(|arg| arg == "-");
    // A run shows its own progress, and what a script shows is its own.
    let progress = verb.filter(|verb| !quiet && !["mcp", "run", "serve", "shell"].contains(verb));
    let shown = worker::run(progress, move || {
        let (verb, outcome) = perform(&args);
        print::show(mode, colour, verb, outcome)
    });
    let shown = shown.unwrap_or_else(|failure| print::show(mode, colour, verb, Err(failure)));
    ExitCode::from(put(&shown) as u8)
}

/// The verb that was meant, and what became of it.
fn perform(args: &[OsString]) -> (Option<&'static str>, Result<Answer, Failure>) {
    match command_line::read(args) {
        Ok(Request::Run(verb, work, call)) => (Some(verb.name), work(&call)),
        Ok(Request::Help(verb)) => (Some("help"), Ok(verbs::help::explain(verb))),
        Ok(Request::Version) => {
            let version = concat!("wbx ", env!("CARGO_PKG_VERSION"), "\n");
            (None, Ok(Answer::text(version.to_owned())))
        }
        Err(failure) => (command_line::verb_of(args).map(|verb| verb.name), Err(failure)),
    }
}

fn colour_is_wanted() -> bool {
    env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && !terminal_is_dumb()
}

fn terminal_is_dumb() -> bool {
    env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Writes what is shown. A reader that went away is no failure of ours; a full disk is.
fn put(shown: &Shown) -> Exit {
    let written = [
        write(&mut io::stdout().lock(), &shown.stdout),
        write(&mut io::stderr().lock(), &shown.stderr),
    ];
    match written.into_iter().find_map(Result::err) {
        None => shown.exit,
        Some(error) => {
            let _ = writeln!(io::stderr(), "error: cannot write the answer: {error}");
            Exit::Other
        }
    }
}

fn write(stream: &mut impl Write, text: &str) -> io::Result<()> {
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
