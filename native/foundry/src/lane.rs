//! Who compiles source: a lane for each language, all of them inside WASM.

use host::Cancel;
use std::path::Path;
use toolkit::Shape;

/// Why a lane gave no artifact.
#[derive(Debug, thiserror::Error)]
pub enum LaneError {
    /// There is no lane for the language here.
    #[error("there is no lane for `{lang}` here: {what_to_do}")]
    Unavailable {
        /// The language.
        lang: String,
        /// What to do instead.
        what_to_do: String,
    },
    /// The build failed.
    #[error("{message}")]
    Failed {
        /// What the compiler said.
        message: String,
    },
}

/// The lanes that are there.
pub trait Lanes: Send + Sync {
    /// The languages that can be built to this shape now.
    fn ready(&self, shape: Shape) -> Vec<String>;

    /// Builds the source in a directory. Gives the artifact and the compiler that made it.
    ///
    /// # Errors
    ///
    /// See [`LaneError`].
    fn build(
        &self,
        lang: &str,
        dir: &Path,
        shape: Shape,
        caps: &[String],
        cancel: &Cancel,
    ) -> Result<(Vec<u8>, String), LaneError>;
}

/// No lane at all: only what is built already can be used.
pub struct NoLanes;

impl Lanes for NoLanes {
    fn ready(&self, _: Shape) -> Vec<String> {
        Vec::new()
    }

    fn build(&self, lang: &str, _: &Path, _: Shape, _: &[String], _: &Cancel) -> Result<(Vec<u8>, String), LaneError> {
        Err(LaneError::Unavailable {
            lang: lang.to_owned(),
            what_to_do: "compile it elsewhere and declare it as wasm: with #+SHA256:".to_owned(),
        })
    }
}
