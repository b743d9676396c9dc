//! The border between the BEAM and Rust. A function here decodes, hands over, and returns; `jobs` answers by message.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod acceptance;
mod bundle;
mod component;
mod deploy;
mod disk;
mod dock;
mod engine;
mod failure;
mod fit;
mod history;
mod instance;
mod jobs;
mod json;
mod kernel;
mod lanes;
mod live;
mod operation;
mod registry;
mod runtime;
mod server;
mod sessions;
mod shell;
mod terms;
mod transform;

rustler::init!("Elixir.Workbooks.Native");
