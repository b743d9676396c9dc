//! A program from its text to its status.

use crate::code::Code;
use crate::compile;
use crate::error::Error;
use crate::machine::{Machine, Setting};
use crate::parser;
use crate::streams::Standard;

/// A program that is ready to run.
#[derive(Debug)]
pub struct Program {
    code: Code,
}

impl Program {
    /// Reads and compiles a program.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and where.
    pub fn new(source: &[u8]) -> Result<Program, Error> {
        let tree = parser::parse(source)?;
        let code = compile::compile(&tree)?;
        Ok(Program { code })
    }

    /// Runs it to its end and answers its status.
    ///
    /// # Errors
    ///
    /// What ended it before that.
    pub fn run(&self, setting: &Setting, standard: Standard) -> Result<u8, Error> {
        Machine::new(&self.code, setting, standard).run(setting)
    }
}
