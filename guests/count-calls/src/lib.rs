//! Counts its calls. A fresh instance per call answers `1` each time.

use std::sync::atomic::{AtomicU32, Ordering};

wit_bindgen::generate!({ world: "engine", path: "../../wit/engine.wit" });

struct Component;

export!(Component);

static CALLS: AtomicU32 = AtomicU32::new(0);

impl Guest for Component {
    fn run(_input: String) -> String {
        (CALLS.fetch_add(1, Ordering::Relaxed) + 1).to_string()
    }
}
