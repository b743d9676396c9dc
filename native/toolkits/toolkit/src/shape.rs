//! The six shapes: what a toolkit's artifact is called like.

use serde::Serialize;

/// How an artifact is invoked: the value of `#+EXEC:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Arguments and standard input to standard output and a status; a WASI module.
    Command,
    /// A native program on the PATH; only where the operator opted in.
    Posix,
    /// Recipes that run in the WASM shell.
    Task,
    /// A source of rows.
    Federation,
    /// A component of a world of `workbooks:engine`.
    Component,
    /// Bytes to bytes: a core module that is instantiated once and called in a loop.
    Kernel,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Shape; 6] = [
        Shape::Command,
        Shape::Posix,
        Shape::Task,
        Shape::Federation,
        Shape::Component,
        Shape::Kernel,
    ];

    /// The word in the manifest.
    pub const fn name(self) -> &'static str {
        match self {
            Shape::Command => "command",
            Shape::Posix => "posix",
            Shape::Task => "task",
            Shape::Federation => "federation",
            Shape::Component => "component",
            Shape::Kernel => "kernel",
        }
    }

    /// The shape of that name.
    ///
    /// ```
    /// assert_eq!(toolkit::Shape::named("kernel"), Some(toolkit::Shape::Kernel));
    /// assert_eq!(toolkit::Shape::named("daemon"), None);
    /// ```
    pub fn named(name: &str) -> Option<Shape> {
        Shape::ALL.into_iter().find(|shape| shape.name() == name)
    }

    /// Whether it is made of an artifact that is built.
    pub const fn is_built(self) -> bool {
        matches!(self, Shape::Command | Shape::Component | Shape::Kernel)
    }
}
