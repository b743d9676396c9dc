//! Asks the linker for a first memory with room for the stack, the data and the heap of an ordinary call (see `heap`).

const FIRST_MEMORY: usize = 4 << 20;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg-cdylib=--initial-memory={FIRST_MEMORY}");
    }
}
