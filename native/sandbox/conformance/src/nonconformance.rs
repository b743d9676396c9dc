use failure::{Code, fails};
use serde_json::{Value, json};

/// The largest component that is read, in bytes.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Why a component does not fit.
///
/// Every function of this crate answers in time and memory bounded by the size of its input, and that size is at most
/// [`MAX_BYTES`]. Bytes that do not validate are not a component, and neither are value types nested deeper than 100
/// levels, instance types deeper than 127, or declarations and components deeper than 32.
///
/// ```
/// assert_eq!(conformance::engine(b"not wasm"), Err(conformance::Nonconformance::NotAComponent));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Nonconformance {
    /// A core module, or bytes that are not a valid component.
    #[error("not a component")]
    NotAComponent,
    /// A component, and everything about it that does not fit.
    #[error("{}", .0.join("; "))]
    Findings(Vec<String>),
}

fails! {
    Nonconformance {
        Nonconformance::NotAComponent => Code::verification("not_a_component", "a core module, or bytes that are not WebAssembly"),
            "build it as a component";
        Nonconformance::Findings(_) => Code::verification("nonconforming", "a component of another world; `details` has the `findings`"),
            "build it for a world of wit/engine.wit";
    }
    details facts
}

fn facts(found: &Nonconformance) -> Option<Value> {
    match found {
        Nonconformance::NotAComponent => None,
        Nonconformance::Findings(findings) => Some(json!({"findings": findings})),
    }
}
