//! What is to be built, and what came of it.

use crate::Shape;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Hears how a build goes on, in short sentences.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// What is to be built.
#[derive(Clone)]
pub struct Order {
    /// The language, by any of its names.
    pub lang: String,
    /// The source.
    pub source: Source,
    /// What it should become.
    pub shape: Shape,
    /// Of a component: what its input is.
    pub input: Format,
    /// Of a component: what its answer is.
    pub output: Format,
    /// The capabilities whose Dock functions a component may import. Names that stand for none are passed over.
    pub uses: Vec<String>,
    /// Packages the source asks for. No lane fetches any: a list that is not empty is refused.
    pub deps: Vec<String>,
    /// What the build may use.
    pub bounds: Bounds,
    /// Hears how it goes on.
    pub tell: Option<Tell>,
}

impl Order {
    /// An order with everything else as most have it.
    pub fn new(lang: &str, source: Source, shape: Shape) -> Order {
        Order {
            lang: lang.into(),
            source,
            shape,
            input: Format::String,
            output: Format::String,
            uses: Vec::new(),
            deps: Vec::new(),
            bounds: Bounds::default(),
            tell: None,
        }
    }

    pub(crate) fn say(&self, text: &str) {
        if let Some(tell) = &self.tell {
            tell(text);
        }
    }
}

/// Where the source is.
#[derive(Debug, Clone)]
pub enum Source {
    /// One file, here.
    Text(String),
    /// A directory.
    Dir(PathBuf),
}

/// What passes in or out of a component: always text, which may be JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// The text itself.
    #[default]
    String,
    /// A value, written as JSON.
    Json,
}

impl Format {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::String => "string",
            Format::Json => "json",
        }
    }
}

/// What one build may use.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// For all of it. Compiling the compiler itself, once on a machine, is not counted.
    pub time: Duration,
    /// Bytes of memory for each compiler.
    pub memory: usize,
    /// Bytes that a compiler may print.
    pub output: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            time: Duration::from_secs(120),
            memory: host::MAX_MEMORY,
            output: 64 << 20,
        }
    }
}

/// What was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// The file.
    pub path: PathBuf,
    /// The SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// The compiler that made it, with its version.
    pub lane: String,
    /// What it is.
    pub shape: Shape,
    /// Whether it was there already.
    pub cached: bool,
}
