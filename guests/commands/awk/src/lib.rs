//! awk.
//!
//! A program goes through here from left to right: the [`lexer`] makes words of it, the [`parser`] a tree, [`resolve`]
//! says which names are arrays, [`compile`] makes steps, and a [`machine::Machine`] runs them.
//!
//! ```
//! use awk::{machine::Setting, program::Program, streams::Standard};
//!
//! let program = Program::new(b"{ sum += $1 } END { exit sum }").unwrap();
//! let standard = Standard {
//!     input: Some(Box::new(&b"1\n2\n"[..])),
//!     output: Box::new(std::io::stdout()),
//!     errors: Box::new(std::io::stderr()),
//! };
//! assert_eq!(program.run(&Setting::default(), standard), Ok(3));
//! ```
#![forbid(unsafe_code)]

pub mod array;
pub mod ast;
pub mod builtin;
pub mod code;
pub mod command_line;
pub mod compile;
pub mod copy;
pub mod error;
pub mod format;
pub mod lexer;
pub mod machine;
pub mod number;
pub mod parser;
pub mod program;
pub mod reader;
pub mod record;
pub mod regex;
pub mod resolve;
mod shell;
pub mod special;
pub mod split;
pub mod streams;
pub mod text;
pub mod token;
pub mod utf8;
pub mod value;
