//! The shell language: grammar, expansion and execution, with a port through which commands are started.
//!
//! A run is a future of no particular runtime. It sees the files below its root and nothing else, it is bounded by its
//! [`Limits`], and whatever is not one of the [`BUILTINS`] is started through [`Commands`].
//!
//! ```
//! use std::sync::{Arc, Mutex};
//!
//! /// Has no commands at all.
//! struct Nothing;
//! impl shell_exec::Commands for Nothing {
//!     fn has(&self, _: &str) -> bool {
//!         false
//!     }
//!     fn run(&self, _: shell_exec::Start) -> futures_util::future::BoxFuture<'static, shell_exec::Ended> {
//!         unreachable!("it has none")
//!     }
//! }
//!
//! let directory = tempfile::tempdir()?;
//! let root = cap_std::fs::Dir::open_ambient_dir(directory.path(), cap_std::ambient_authority())?;
//! let printed = Arc::new(Mutex::new(Vec::<u8>::new()));
//! let sink = printed.clone();
//! let run = shell_exec::run(shell_exec::Run {
//!     script: b"for x in 1 2; do echo $((x * 21)) >> out; done; read a < out; echo $a; nosuch".to_vec(),
//!     name: "sh".into(),
//!     dialect: shell_exec::Dialect::Sh,
//!     args: vec![],
//!     env: vec![],
//!     root: Arc::new(root),
//!     tmp: None,
//!     fence: None,
//!     cwd: "/".into(),
//!     stdin: pipe::Stream::null(),
//!     stdout: pipe::Stream::sink(move |bytes| Ok(sink.lock().unwrap().extend(bytes))),
//!     stderr: pipe::Stream::null(),
//!     commands: Arc::new(Nothing),
//!     allow: None,
//!     limits: shell_exec::Limits::default(),
//!     seal: None,
//! });
//! let outcome = pipe::block_on(run)?;
//! assert_eq!(*printed.lock().unwrap(), b"21\n");
//! assert_eq!((outcome.status, outcome.missing), (127, vec!["nosuch".to_owned()]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod array;
mod assign;
mod builtins;
mod error;
mod exec;
mod expand;
mod files;
mod limits;
mod meter;
mod moment;
mod options;
mod parse_check;
mod port;
mod process;
mod quote;
mod run;
mod shell;
mod shopt;
mod signal;
mod special;
mod tasks;
mod timer;
mod variables;
mod world;

use shell_grammar::{ast, escape, parse};

pub use shell_grammar::Dialect;

pub use builtins::{BASH_BUILTINS, BUILTINS};
pub use error::Error;
pub use exec::nested::Nested;
pub use limits::Limits;
pub use parse_check::{Unreadable, parse_check};
pub use port::{Commands, Ended, Start};
pub use run::{Broken, Outcome, Run, Seal, Stage, run};
