//! Why there is no artifact.

use lane_table::Shape;
use std::time::Duration;

/// The closed set of refusals.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The language cannot be built here.
    #[error("the lane `{lang}` is not available: {what_to_do}")]
    Unavailable {
        /// The language.
        lang: String,
        /// What to do instead.
        what_to_do: String,
    },
    /// The lane makes other things.
    #[error("{lang} cannot be built to a {}, only to a {}", .shape.name(), names(.shapes))]
    Shape {
        /// The language.
        lang: &'static str,
        /// What was asked for.
        shape: Shape,
        /// What can be had.
        shapes: &'static [Shape],
    },
    /// The source cannot be read as a project.
    #[error("{0}")]
    Source(String),
    /// The compiler refused the source; what it said.
    #[error("{said}")]
    Rejected {
        /// What the compiler said, bounded.
        said: String,
    },
    /// What was built does not fit its shape.
    #[error("the artifact does not fit: {0}")]
    Unfit(String),
    /// A compiler is not what was installed.
    #[error("{0} is not what was installed")]
    Tampered(String),
    /// The build used up its time.
    #[error("the build did not finish within {} s", .0.as_secs_f32())]
    Deadline(Duration),
    /// The compiler or the artifact is larger than it may be.
    #[error("{0}")]
    TooLarge(String),
    /// The sandbox refused.
    #[error(transparent)]
    Host(#[from] host::Error),
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// Which one.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Error {
    /// A stable name.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Unavailable { .. } => "lane_unavailable",
            Error::Shape { .. } => "bad_option",
            Error::Source(_) => "bad_source",
            Error::Rejected { .. } => "build_failed",
            Error::Unfit(_) => "unfit",
            Error::Tampered(_) => "corrupt",
            Error::Deadline(_) | Error::Host(host::Error::Deadline(_)) => "timeout",
            Error::Host(host::Error::Memory(_)) => "memory",
            Error::Host(host::Error::Cancelled) => "cancelled",
            Error::Host(host::Error::Busy(_)) => "busy",
            Error::TooLarge(_) => "output_too_large",
            Error::Host(_) => "build_failed",
            Error::File { .. } => "io",
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self.code() {
            "bad_option" => "see docs/lanes.md for what each lane makes",
            "bad_source" => "see docs/lanes.md for what a project looks like",
            "build_failed" => "fix what the compiler names",
            "timeout" => "make the source smaller, or give the build more time",
            "memory" | "output_too_large" => "make the source smaller",
            "corrupt" => "remove priv/wasm/lanes and run `make lanes`",
            "lane_unavailable" => "see docs/lanes.md",
            _ => "try again",
        }
    }

    pub(crate) fn file(path: &std::path::Path, source: std::io::Error) -> Error {
        Error::File {
            path: path.display().to_string(),
            source,
        }
    }
}

fn names(shapes: &[Shape]) -> String {
    let names: Vec<&str> = shapes.iter().map(|shape| shape.name()).collect();
    names.join(" or a ")
}
