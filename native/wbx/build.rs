//! Embeds the built-in policy table, so that the command line knows the capability names without an engine.

use std::{env, fs, path::Path};

fn main() {
    let policy = Path::new("../../priv/policy.json");
    println!("cargo::rerun-if-changed={}", policy.display());
    let text = fs::read_to_string(policy).unwrap_or_else(|_| "{}".to_owned());
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("policy.json"), text).expect("OUT_DIR is writable");
}
