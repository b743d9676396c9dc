//! The built binary, run as people and programs run it.

mod bundles;
mod deploys;
mod engines;
mod envelopes;
mod exits;
mod hostile;
mod imports;
mod looking_back;
mod past;
mod people;
mod program;
mod reference;
mod runs;
mod sessions;
mod sources;
mod terminal;
mod toolkits;
mod tricks;
mod worked_examples;
