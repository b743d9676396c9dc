//! The built binary, run as people and programs run it.

mod envelopes;
mod exits;
mod hostile;
mod people;
mod program;
mod reference;
mod sources;
mod terminal;
mod worked_examples;
