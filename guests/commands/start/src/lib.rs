//! What every command does first, and how one command starts another.
//!
//! ```no_run
//! start::enter();
//! let status = start::Child::new(["sort", "-u", "names"]).run();
//! std::process::exit(status.into());
//! ```
#![deny(missing_docs)]

mod child;
mod first_line;
mod mode;

pub use child::Child;
pub use first_line::first_line_as_argument;
pub use mode::{mode, set_mode};

/// Goes to the working directory the host names in `PWD`: WASI itself knows none.
pub fn enter() {
    if let Some(directory) = std::env::var_os("PWD") {
        let _ = std::env::set_current_dir(directory);
    }
}
