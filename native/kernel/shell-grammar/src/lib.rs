//! The grammar of the shell language: text in, tree out. It runs nothing, expands nothing and opens nothing.
//!
//! The shell reads with it what it runs, and the kernel reads with it what a plan says would be run, so that a check that
//! the one calls well formed is well formed for the other.
//!
//! ```
//! use shell_grammar::{Limits, Script};
//! let script = Script::read(b"sort a | uniq -c", &Limits::default()).unwrap();
//! let names: Vec<_> = script.commands().into_iter().map(|c| c.name).collect();
//! assert_eq!(names, ["sort", "uniq"]);
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod ast;
mod commands;
mod dialect;
pub mod escape;
mod limits;
pub mod parse;
mod script;

pub use commands::Named;
pub use dialect::{BASH_BUILTINS, Dialect};
pub use limits::{Bound, Limits};
pub use script::{Script, SyntaxError};
