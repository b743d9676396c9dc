//! Components of the `workbooks:engine` worlds: loaded once, called in a fresh instance each time.

mod call;
mod command;
mod dock;
mod grant;
mod output;
mod program;
mod programs;
mod state;

pub use call::{Answered, Call, Rest};
pub use dock::{Bridge, Question};
pub use grant::{Capability, DockImport, Grant};
pub use output::{Channel, Sink};
pub use program::Program;
pub use programs::{Programs, Source, read_component};
pub(crate) use state::{State, wasi_context};
