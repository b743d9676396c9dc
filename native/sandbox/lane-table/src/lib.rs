//! Which languages can be built inside WASM, by which compiler, to which shapes; and what to do about the others.
//!
//! Data and lookup, without a dependency: whoever only wants to know links no WebAssembly engine. Crate `lanes` does the
//! building. `docs/lanes.md` is held against this table by a test.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod table;

pub use table::{LANES, WITHOUT};

/// What a build results in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A component of the world `workbooks:engine`: text in, text out.
    Component,
    /// A WASI program: arguments and input in, output and a status out.
    Command,
    /// A core module called in a loop: bytes in, bytes out.
    Kernel,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Shape; 3] = [Shape::Component, Shape::Command, Shape::Kernel];

    /// The name in a manifest.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Component => "component",
            Shape::Command => "command",
            Shape::Kernel => "kernel",
        }
    }

    /// The shape of that name.
    ///
    /// ```
    /// assert_eq!(lane_table::Shape::named("kernel"), Some(lane_table::Shape::Kernel));
    /// assert_eq!(lane_table::Shape::named("posix"), None);
    /// ```
    pub fn named(name: &str) -> Option<Shape> {
        Shape::ALL.into_iter().find(|shape| shape.name() == name)
    }
}

/// A language that can be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane {
    /// The language.
    pub lang: &'static str,
    /// Other names for it.
    pub also: &'static [&'static str],
    /// The compiler or interpreter, with its version.
    pub compiler: &'static str,
    /// The package that it comes from.
    pub package: &'static str,
    /// What it can make.
    pub shapes: &'static [Shape],
    /// The files of `priv/wasm/lanes` that it needs.
    pub tools: &'static [&'static str],
    /// What to do when they are not there.
    pub hint: &'static str,
}

/// A language that cannot be built here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Without {
    /// The language.
    pub lang: &'static str,
    /// Other names for it.
    pub also: &'static [&'static str],
    /// What to do instead.
    pub what_to_do: &'static str,
}

/// The lane of a language.
///
/// ```
/// assert_eq!(lane_table::lane("python").unwrap().lang, "python");
/// assert_eq!(lane_table::lane("JavaScript").unwrap().lang, "js");
/// assert_eq!(lane_table::lane("rust"), None);
/// ```
pub fn lane(lang: &str) -> Option<&'static Lane> {
    LANES.iter().find(|lane| is(lang, lane.lang, lane.also))
}

/// What to do about a language that has no lane.
///
/// ```
/// assert!(lane_table::what_to_do("go").contains("wasip1"));
/// assert!(lane_table::what_to_do("cobol").contains("wasm"));
/// ```
pub fn what_to_do(lang: &str) -> &'static str {
    let known = WITHOUT.iter().find(|without| is(lang, without.lang, without.also));
    known.map_or(table::UNKNOWN, |without| without.what_to_do)
}

fn is(lang: &str, name: &str, also: &[&str]) -> bool {
    lang.eq_ignore_ascii_case(name) || also.iter().any(|other| lang.eq_ignore_ascii_case(other))
}
