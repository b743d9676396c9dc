//! Why there is no artifact.

use failure::codes::{
    BAD_OPTION, BUILD_FAILED, BUSY, CANCELLED, CORRUPT, IO, LANE_UNAVAILABLE, MEMORY, OUTPUT_TOO_LARGE, TIMEOUT, UNFIT,
};
use failure::{Code, fails};
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

fails! {
    Error {
        Error::Unavailable { what_to_do, .. } => LANE_UNAVAILABLE, what_to_do;
        Error::Shape { .. } => BAD_OPTION, "see docs/lanes.md for what each lane makes";
        Error::Source(_) => Code::usage("bad_source", "a lane cannot read the source as a project"),
            "see docs/lanes.md for what a project looks like";
        Error::Rejected { .. } => BUILD_FAILED, "fix what the compiler names";
        Error::Unfit(_) => UNFIT, "see docs/lanes.md for what each lane makes";
        Error::Tampered(_) => CORRUPT, "remove priv/wasm/lanes and run `make lanes`";
        Error::Deadline(_) | Error::Host(host::Error::Deadline(_)) => TIMEOUT,
            "make the source smaller, or give the build more time";
        Error::Host(host::Error::Memory(_)) => MEMORY, "make the source smaller";
        Error::Host(host::Error::Cancelled) => CANCELLED, "build again";
        Error::Host(host::Error::Busy(_)) => BUSY, "try again";
        Error::Host(_) => BUILD_FAILED, "fix what the compiler names";
        Error::TooLarge(_) => OUTPUT_TOO_LARGE, "make the source smaller";
        Error::File { .. } => IO, "check the path, its permissions and the room left";
    }
    details facts
}

/// The language of a lane that is not there.
fn facts(error: &Error) -> Option<serde_json::Value> {
    match error {
        Error::Unavailable { lang, .. } => Some(serde_json::json!({"lang": lang})),
        _ => None,
    }
}

impl Error {
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
