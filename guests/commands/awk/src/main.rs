//! `awk`: pattern scanning and processing.

use awk::command_line::{self, Request, Run, USAGE};
use awk::error::Error;
use awk::machine::FAILED;
use awk::program::Program;
use awk::streams::{Standard, path};
use std::io::{self, Read};
#[cfg(unix)]
use std::os::unix::ffi::OsStringExt;
#[cfg(target_os = "wasi")]
use std::os::wasi::ffi::OsStringExt;

fn main() {
    #[cfg(target_os = "wasi")]
    start::enter();
    let words = std::env::args_os().map(OsStringExt::into_vec).collect();
    let status = match command_line::read(words) {
        Ok(Request::Run(request)) => run(*request),
        Ok(Request::Version) => {
            println!("awk (Workbooks) {}", env!("CARGO_PKG_VERSION"));
            0
        }
        Ok(Request::Help) => {
            eprintln!("{USAGE}");
            FAILED
        }
        Err(message) => {
            eprintln!("awk: {message}\n{USAGE}");
            FAILED
        }
    };
    // Nothing is left to do: the memory of the program need not be given back piece by piece.
    std::process::exit(status.into());
}

/// The text of a program in one piece, and the file that each line of it is from.
struct Source {
    text: Vec<u8>,
    /// The first line of each file.
    files: Vec<(u32, String)>,
}

fn run(request: Run) -> u8 {
    let source = match source(&request) {
        Ok(source) => source,
        Err(message) => {
            eprintln!("awk: {message}");
            return FAILED;
        }
    };
    let mut setting = request.setting;
    setting.environment = std::env::vars_os()
        .map(|(name, value)| (name.into_vec(), value.into_vec()))
        .collect();
    let standard = Standard {
        input: Some(Box::new(io::stdin())),
        output: Box::new(io::stdout()),
        errors: Box::new(io::stderr()),
    };
    let result = Program::new(&source.text).and_then(|program| program.run(&setting, standard));
    result.unwrap_or_else(|error| {
        eprintln!("awk: {error}{}", source.place(&error));
        FAILED
    })
}

fn source(request: &Run) -> Result<Source, String> {
    if let Some(text) = &request.text {
        return Ok(Source {
            text: text.clone(),
            files: Vec::new(),
        });
    }
    let mut whole = Source {
        text: Vec::new(),
        files: Vec::new(),
    };
    for name in &request.files {
        let line = whole.text.iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
        let shown = String::from_utf8_lossy(name).into_owned();
        let read = match name.as_slice() {
            b"-" => io::stdin().read_to_end(&mut whole.text).map(drop),
            name => std::fs::read(path(name)).map(|text| whole.text.extend(text)),
        };
        read.map_err(|error| format!("can't open file {shown}: {error}"))?;
        whole.text.push(b'\n');
        whole.files.push((line, shown));
    }
    Ok(whole)
}

impl Source {
    /// Where an error is, behind what it is.
    fn place(&self, error: &Error) -> String {
        let Some(line) = error.line else { return String::new() };
        let near = error
            .near
            .as_ref()
            .map_or_else(String::new, |word| format!(" near {word}"));
        match self.files.iter().rev().find(|(first, _)| *first <= line) {
            Some((first, name)) => format!(" at source line {} source file {name}{near}", line - first + 1),
            None => format!(" at source line {line}{near}"),
        }
    }
}
