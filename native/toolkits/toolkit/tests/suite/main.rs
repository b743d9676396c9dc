//! Toolkits as whole directories: read, refused, verified, signed, granted.

mod consent;
mod discovery;
mod golden;
mod hostile;
mod kill;
mod manifest;
mod mirror;
mod scratch;
mod signature;
