//! `wbx toolkit`: tools in the sandbox.

mod audit;
mod audit_table;
mod import;
mod table;

pub use table::VERBS;
