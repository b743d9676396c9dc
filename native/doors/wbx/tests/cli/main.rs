//! The built binary, run as people and programs run it.

mod attached;
mod bundles;
mod deploys;
mod engines;
mod envelopes;
mod exits;
mod hostile;
mod imports;
mod looking_back;
mod mcp;
mod past;
mod people;
mod program;
mod reference;
mod runs;
mod serving;
mod sessions;
mod sources;
mod terminal;
mod toolkits;
mod tricks;
mod worked_examples;
