//! Runs the steps of a program.

mod arith;
mod builtins;
mod calls;
mod input;
mod output;
mod run;
mod substitute;
mod time;
mod variables;

use crate::array::{Array, Key};
use crate::code::Code;
use crate::error::Error;
use crate::format;
use crate::reader::Terminator;
use crate::record::Record;
use crate::regex::{Cache, Regex};
use crate::special::{NAMES, Special};
use crate::split::Separator;
use crate::streams::{Standard, Streams};
use crate::text::Text;
use crate::value::Value;
use arith::Random;
use input::Main;
pub(crate) use input::assignment;
use std::rc::Rc;

/// The status of a program that an error ended.
pub const FAILED: u8 = 2;

/// What a program is started with.
#[derive(Debug, Default, Clone)]
pub struct Setting {
    /// The name of the command and the operands: ARGV.
    pub arguments: Vec<Vec<u8>>,
    /// ENVIRON.
    pub environment: Vec<(Vec<u8>, Vec<u8>)>,
    /// Assignments of `-v`, made before BEGIN.
    pub assignments: Vec<(String, Vec<u8>)>,
    /// Whether records are comma-separated values.
    pub csv: bool,
}

/// Why the steps ended before their end.
enum Stop {
    Exit,
    Next,
    NextFile,
    /// Boxed, so that what every step answers is small.
    Failed(Box<Error>),
}

type Step<T = ()> = Result<T, Stop>;

/// A function that waits for the one it called.
struct Frame {
    back: u32,
    base: u32,
    handles: u32,
    arrays: u32,
    keys: u32,
}

/// A program that runs.
pub struct Machine<'c> {
    code: &'c Code,
    stack: Vec<Value>,
    globals: Vec<Value>,
    /// Those of the globals, and behind them those that functions made.
    arrays: Vec<Array>,
    /// The arrays that functions were given, by number.
    handles: Vec<u32>,
    frames: Vec<Frame>,
    /// Where the variables of the function are on the stack, and its arrays among the handles.
    base: usize,
    array_base: usize,
    /// What loops over arrays have still to do.
    keys: Vec<std::vec::IntoIter<Key>>,
    record: Record,
    main: Main,
    streams: Streams,
    regexes: Cache,
    /// For the builtin that comes next.
    regex: Option<Rc<Regex>>,
    /// What `getline`, `sub` and `gsub` have for a variable.
    pending: Text,
    line: Vec<u8>,
    ranges: Vec<bool>,
    ofs: Vec<u8>,
    ors: Vec<u8>,
    subsep: Vec<u8>,
    convfmt: Vec<u8>,
    ofmt: Vec<u8>,
    nr: f64,
    fnr: f64,
    terminator: Terminator,
    random: Random,
    /// For the string that `index` looked for last.
    finder: Option<memchr::memmem::Finder<'static>>,
    csv: bool,
    status: u8,
    at: usize,
    warnings: Vec<String>,
}

impl<'c> Machine<'c> {
    /// A program before its first step.
    pub fn new(code: &'c Code, setting: &Setting, standard: Standard) -> Machine<'c> {
        let count = code.globals.len().max(NAMES.len());
        let mut machine = Machine {
            code,
            stack: Vec::with_capacity(256),
            globals: vec![Value::Unset; count],
            arrays: std::iter::repeat_with(Array::default).take(count).collect(),
            handles: Vec::new(),
            frames: Vec::new(),
            base: 0,
            array_base: 0,
            keys: Vec::new(),
            record: Record::default(),
            main: Main::default(),
            streams: Streams::new(standard),
            regexes: Cache::default(),
            regex: None,
            pending: Text::EMPTY,
            line: Vec::new(),
            ranges: vec![false; code.ranges],
            ofs: b" ".to_vec(),
            ors: b"\n".to_vec(),
            subsep: vec![0x1c],
            convfmt: format::DEFAULT.to_vec(),
            ofmt: format::DEFAULT.to_vec(),
            nr: 0.0,
            fnr: 0.0,
            terminator: Terminator::Byte(b'\n'),
            random: Random::new(1.0),
            finder: None,
            csv: setting.csv,
            status: 0,
            at: 0,
            warnings: Vec::new(),
        };
        machine.begin(setting);
        machine
    }

    fn begin(&mut self, setting: &Setting) {
        let begin_with: [(Special, &[u8]); 8] = [
            (Special::Fs, b" "),
            (Special::Ofs, b" "),
            (Special::Ors, b"\n"),
            (Special::Rs, b"\n"),
            (Special::Subsep, &[0x1c]),
            (Special::Convfmt, format::DEFAULT),
            (Special::Ofmt, format::DEFAULT),
            (Special::Filename, b""),
        ];
        for (special, text) in begin_with {
            self.globals[special as usize] = Value::text(text);
        }
        self.globals[Special::Rstart as usize] = Value::Number(0.0);
        self.globals[Special::Rlength as usize] = Value::Number(-1.0);
        self.globals[Special::Argc as usize] = Value::Number(setting.arguments.len() as f64);
        for (at, argument) in setting.arguments.iter().enumerate() {
            let key = Key::of_number(at as f64, b"");
            self.arrays[Special::Argv as usize].set(key, Value::input(argument));
        }
        for (name, value) in &setting.environment {
            self.arrays[Special::Environ as usize].set(Key::of_bytes(name), Value::input(value));
        }
        for (name, value) in [
            ("version", env!("CARGO_PKG_VERSION")),
            ("platform", "posix"),
            ("FS", "FS"),
        ] {
            self.arrays[Special::Procinfo as usize].set(Key::of_bytes(name.as_bytes()), Value::text(value.as_bytes()));
        }
        if self.csv {
            self.record.separate_by(Separator::Csv);
            self.terminator = Terminator::Csv;
        }
    }

    /// Runs the program and answers its status. Everything it opened is closed.
    ///
    /// # Errors
    ///
    /// What ended it.
    pub fn run(mut self, setting: &Setting) -> Result<u8, Error> {
        let result = self.phases(setting);
        let closed = self.streams.close_all();
        result?;
        match closed {
            Ok(()) => Ok(self.status),
            Err(error) => Err(Error::new(format!("can't write to standard output: {error}"))),
        }
    }

    fn phases(&mut self, setting: &Setting) -> Result<(), Error> {
        for (name, value) in &setting.assignments {
            self.assign_named(name, value)?;
        }
        let goes_on = self.phase(self.code.begin)?;
        if goes_on && (self.code.has_rules || self.code.has_end) {
            self.records()?;
        }
        // END runs after `exit`, too; an `exit` in END itself is the last.
        if self.code.has_end {
            self.phase(self.code.end)?;
        }
        Ok(())
    }

    /// Runs BEGIN or END; false means that it said `exit`.
    fn phase(&mut self, entry: u32) -> Result<bool, Error> {
        match self.steps(entry as usize) {
            Ok(()) => Ok(true),
            Err(Stop::Failed(error)) => Err(*error),
            Err(_) => {
                self.unwind();
                Ok(false)
            }
        }
    }

    /// Runs the rules for every record, until there is none or one says `exit`.
    fn records(&mut self) -> Result<(), Error> {
        let entry = self.code.rules as usize;
        loop {
            match self.next_record() {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(Stop::Failed(error)) => return Err(*error),
                Err(_) => return Ok(()),
            }
            if !self.code.has_rules {
                continue;
            }
            match self.steps(entry) {
                Ok(()) => {}
                Err(Stop::Next) => self.unwind(),
                Err(Stop::NextFile) => {
                    self.unwind();
                    self.main.skip_file();
                }
                Err(Stop::Exit) => {
                    self.unwind();
                    return Ok(());
                }
                Err(Stop::Failed(error)) => return Err(*error),
            }
        }
    }

    /// Forgets what was under way when the steps stopped.
    fn unwind(&mut self) {
        self.stack.clear();
        self.frames.clear();
        self.handles.clear();
        self.keys.clear();
        let own = self.code.globals.len().max(NAMES.len());
        self.arrays.truncate(own);
        self.base = 0;
        self.array_base = 0;
    }

    /// An error at the step that runs.
    #[cold]
    fn failure(&self, message: impl Into<String>) -> Stop {
        Stop::Failed(Box::new(Error {
            line: self.code.lines.get(self.at).copied().filter(|line| *line > 0),
            ..Error::new(message)
        }))
    }

    fn warn(&mut self, message: String) {
        let _ = self.streams.flush();
        let text = format!("awk: {message}\n");
        let _ = self
            .streams
            .print_to(crate::ast::Redirect::Write, b"/dev/stderr", text.as_bytes());
        self.warnings.push(message);
    }
}
