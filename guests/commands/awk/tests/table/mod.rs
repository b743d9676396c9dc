//! Programs with what they are given and what they print.
#![allow(dead_code, reason = "not every test file needs all of it")]

use awk::machine::Setting;
use awk::program::Program;
use awk::streams::Standard;
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// Output that can be looked at afterwards.
#[derive(Clone, Default)]
struct Kept(Rc<RefCell<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What became of a program.
#[derive(Debug, PartialEq)]
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    /// The status, or the message and the line of an error.
    pub status: Result<u8, (String, Option<u32>)>,
}

/// Runs a program.
pub fn run_with(program: &str, input: &str, setting: &Setting) -> Ran {
    let (output, errors) = (Kept::default(), Kept::default());
    let standard = Standard {
        input: Some(Box::new(io::Cursor::new(input.as_bytes().to_vec()))),
        output: Box::new(output.clone()),
        errors: Box::new(errors.clone()),
    };
    let status = Program::new(program.as_bytes()).and_then(|program| program.run(setting, standard));
    let text = |kept: &Kept| String::from_utf8_lossy(&kept.0.borrow()).into_owned();
    Ran {
        stdout: text(&output),
        stderr: text(&errors),
        status: status.map_err(|error| (error.message, error.line)),
    }
}

/// Runs a program without arguments.
pub fn run(program: &str, input: &str) -> Ran {
    let setting = Setting {
        arguments: vec![b"awk".to_vec()],
        ..Setting::default()
    };
    run_with(program, input, &setting)
}

/// Runs every program and compares what it prints.
pub fn check(table: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (program, input, expected) in table {
        let ran = run(program, input);
        if ran.stdout != *expected || ran.status.is_err() {
            wrong.push(format!(
                "{program}\n  wanted {expected:?}\n  got    {:?} {:?}",
                ran.stdout, ran.status
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs every program, which has no input, and compares what it prints, without the last line end.
pub fn check_begin(table: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (body, expected) in table {
        let program = format!("BEGIN {{ {body} }}");
        let ran = run(&program, "");
        if ran.stdout.trim_end_matches('\n') != *expected || ran.status.is_err() {
            wrong.push(format!(
                "{body}\n  wanted {expected:?}\n  got    {:?} {:?}",
                ran.stdout, ran.status
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
