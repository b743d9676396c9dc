//! The border between the BEAM and Rust. A function here decodes, hands over, and returns; `jobs` answers by message.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod bundle;
mod component;
mod deploy;
mod disk;
mod dock;
mod failure;
mod fit;
mod history;
mod import;
mod instance;
mod jobs;
mod json;
mod kernel;
mod lanes;
mod registry;
mod runtime;
mod schedule;
mod session;
mod shell;
mod toolkit;

rustler::init!("Elixir.Workbooks.Native");
