//! Turns the Fluent messages of the uutils crates into a Rust table at build time.
//!
//! Upstream parses its translations each time a utility starts, which costs more than most utilities do. The patched
//! `uucore` looks messages up in a sorted table instead; a build script makes that table with [`write`] and the
//! command hands it over with `include!`:
//!
//! ```ignore
//! include!(concat!(env!("OUT_DIR"), "/messages.rs"));
//! uucore::locale::set_catalogue(MESSAGES);
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod fluent;
mod packages;

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

/// Writes `$OUT_DIR/messages.rs` with the English messages of every package that `wanted` picks by name.
///
/// # Panics
///
/// When a message file cannot be read or understood: a build must not go on without its messages.
pub fn write(wanted: impl Fn(&str) -> bool) {
    let mut text = String::new();
    for root in packages::roots(wanted) {
        for file in ["locales/en-US.ftl", "locales/errors/en-US.ftl"] {
            text += &fs::read_to_string(root.join(file)).unwrap_or_default();
            text.push('\n');
        }
    }
    let messages = fluent::messages(&text);
    let out = env::var_os("OUT_DIR").expect("a build script has OUT_DIR");
    fs::write(Path::new(&out).join("messages.rs"), table(&messages)).expect("OUT_DIR is writable");
    println!("cargo::rerun-if-changed=build.rs");
}

fn table(messages: &BTreeMap<String, String>) -> String {
    let rows: String = messages
        .iter()
        .map(|(id, parts)| format!("    ({id:?}, {parts}),\n"))
        .collect();
    format!(
        "use uucore::locale::Part::{{Argument, Select, Text}};\n\n\
         static MESSAGES: &[uucore::locale::Message] = &[\n{rows}];\n"
    )
}
