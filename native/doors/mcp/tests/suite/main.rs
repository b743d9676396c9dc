//! The server, asked as a client asks: over a pipe, in messages.

mod budget;
mod frames;
mod http;
mod ledger;
mod looking;
mod sessions;
mod talk;
mod tasks;
mod working;
