//! Who compiles source: a lane for each language, all of them inside WASM.

use ::lanes::{Error, Order, Source, State};
use host::Cancel;
use std::fs;
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

impl Lanes for ::lanes::Lanes {
    fn ready(&self, shape: Shape) -> Vec<String> {
        let Some(shape) = ::lanes::Shape::named(shape.name()) else {
            return Vec::new();
        };
        let ready = self.list().into_iter().filter(|status| status.state == State::Ready);
        ready
            .filter(|status| status.lane.shapes.contains(&shape))
            .map(|status| status.lane.lang.to_owned())
            .collect()
    }

    fn build(
        &self,
        lang: &str,
        dir: &Path,
        shape: Shape,
        caps: &[String],
        cancel: &Cancel,
    ) -> Result<(Vec<u8>, String), LaneError> {
        let failed = |message: String| LaneError::Failed { message };
        let shape = ::lanes::Shape::named(shape.name()).ok_or_else(|| failed("no lane makes this shape".into()))?;
        let order = Order {
            uses: caps.to_vec(),
            ..Order::new(lang, Source::Dir(dir.to_owned()), shape)
        };
        let artifact = ::lanes::Lanes::build(self, &order, cancel).map_err(|error| match error {
            Error::Unavailable { lang, what_to_do } => LaneError::Unavailable { lang, what_to_do },
            other => failed(other.to_string()),
        })?;
        let wasm = fs::read(&artifact.path).map_err(|e| failed(e.to_string()))?;
        Ok((wasm, artifact.lane))
    }
}
