//! The stack of the command in WASM: the parser and the compiler recurse as deep as a program is nested.

const STACK: usize = 4 << 20;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "wasi") {
        println!("cargo::rustc-link-arg-bins=-zstack-size={STACK}");
    }
}
